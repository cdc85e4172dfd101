"""`models add`, `estimate`, `recommend`, `list --found`, and consent, through the command line."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from app.cli import main
from app.doctor import gpu_check
from app.local_models.fit import Room
from app.local_models.loader import known_models, model_set, user_rows_path
from app.local_models.rows import detail_lines, models_shown
from app.settings.config import load_config
from models import foreign
from models.roles import READING, FittedWeights
from models.store.catalogue import HubSource
from models.store.consent import Accepted, write_consent
from models.store.estimate import CONTEXT, ModelTooLarge, estimate_row
from models.system.machine import Gpu, MemoryBytes
from tests.support.toy_hub import COMMIT, REPO
from tests.support.toy_models import SHAPE, gguf, sha256
from tests.support.toy_pulls import hub_on_loopback

GOOD = gguf()
FREE = "qwen2.5-0.5b-instruct-q4_k_m"


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    capsys.readouterr()
    assert main(["models", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "My Model (v2).gguf"
    path.write_bytes(GOOD)
    return path


def test_a_file_of_ones_own_is_added_used_and_removed_but_stays(mine, capsys):
    [added] = shown(capsys, "add", str(mine))["models"]
    assert (added["id"], added["state"], added["context"]) == ("my-model-v2", "present", 4096)
    assert not added["verified"]
    assert added["bound"]
    assert main(["models", "add", str(mine)]) == 2
    assert "already" in capsys.readouterr().err
    assert main(["models", "use", "generator", "my-model-v2"]) == 0
    assert main(["models", "verify", "my-model-v2"]) == 0
    ids = [model["id"] for model in shown(capsys, "list")["models"]]
    assert ids.index("my-model-v2") < ids.index(FREE)
    mine.write_bytes(GOOD[:-1] + b"!")
    assert main(["models", "verify", "my-model-v2"]) == 4
    assert mine.exists()
    assert main(["models", "rm", "my-model-v2", "--yes"]) == 0
    assert mine.exists()
    assert "my-model-v2" not in user_rows_path(os.environ).read_text()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (GOOD[:900], "cut short"),
        (b"text", "does not begin"),
        (gguf(SHAPE | {"split.count": 3}), "one of 3 files"),
        (gguf(SHAPE | {"general.architecture": "frobnicator9"}), "does not know"),
    ],
)
def test_a_file_that_cannot_be_used_is_not_added(tmp_path, capsys, data, says):
    path = tmp_path / "odd.gguf"
    path.write_bytes(data)
    assert main(["models", "add", str(path)]) == 4
    assert says in capsys.readouterr().err
    assert not user_rows_path(os.environ).exists()


def test_the_confidence_of_a_row_reaches_the_model_set(mine, capsys):
    shown(capsys, "add", str(mine))
    config = load_config(os.environ)
    chosen = {"lookahead": "my-model-v2", "generator": "my-model-v2"}
    assert model_set(config, **chosen).confidence is None
    fitted = "\n[model.confidence]\nintercept = 0.5\nheld = 2\n"
    with user_rows_path(os.environ).open("a") as file:
        file.write(fitted)
    assert model_set(config, **chosen).confidence == FittedWeights(
        {"intercept": 0.5, "held": 2.0}, {}
    )


@pytest.mark.parametrize(
    ("runtime", "biases"),
    [("auto", (0.0, 2.5)), ("transformers", (1.0, None)), ("llama", (1.0, None))],
)
def test_biases_are_those_of_the_adapter_where_it_is_at_work(
    mine, capsys, monkeypatch, runtime, biases
):
    shown(capsys, "add", str(mine))
    rows = user_rows_path(os.environ)
    adapter = known_models(os.environ)[0].default("generator").adapter
    extra = f'\nyes_bias = 1.0\ndenial_bias = 2.5\nadapter = "{adapter}"\n'
    rows.write_text(re.sub(r"(?m)^(id = .*)$", rf"\1{extra}", rows.read_text()))
    monkeypatch.setattr(foreign, "found", lambda: ("llama",))
    rows.with_name("config.toml").write_text(f'[models]\nruntime = "{runtime}"\n')
    models = model_set(load_config(os.environ), lookahead="my-model-v2", generator="my-model-v2")
    assert (models.yes_bias, models.denial_bias) == biases


def test_a_file_of_the_hub_is_added_without_a_network(capsys):
    [added] = shown(capsys, "add", "ada/Toy-GGUF", "--file", "Toy.Q4_K_M.gguf")["models"]
    assert (added["id"], added["bound"], added["fits"]) == ("toy.q4_k_m", False, None)
    assert main(["models", "list"]) == 0
    out, _ = capsys.readouterr()
    assert "toy.q4_k_m" in out
    assert "size unknown" in out


def test_owner_name_and_file_are_enough(capsys):
    [added] = shown(capsys, "add", "ada/Toy-GGUF/quants/Toy.Q4_K_M.gguf")["models"]
    assert added["id"] == "toy.q4_k_m"
    row = known_models(os.environ)[0].row("toy.q4_k_m")
    assert row.sources == (HubSource("ada/Toy-GGUF", "", "quants/Toy.Q4_K_M.gguf"),)
    assert main(["models", "add", "ada/Toy-GGUF"]) == 2
    assert "ada/Toy-GGUF/FILE.gguf" in capsys.readouterr().err


def test_the_hub_is_asked_what_a_file_is_and_nothing_is_fetched(capsys, monkeypatch):
    with hub_on_loopback(monkeypatch) as hub:
        hub.files["Toy.gguf"] = b"GGUF" * 300
        assert main(["models", "add", f"{REPO}/Toy.gguf", "--look"]) == 0
        said = capsys.readouterr().err
        digest = sha256(b"GGUF" * 300)
        assert f"Toy.gguf of {REPO}: 1.2 kB, commit {COMMIT}, SHA-256 {digest}" in said
        assert not hub.fetched
        [source] = known_models(os.environ)[0].row("toy").sources
        assert source.revision == COMMIT
        assert main(["models", "add", f"{REPO}/Gone.gguf", "--look", "--id", "gone"]) != 0
        assert "Gone.gguf" in capsys.readouterr().err


def test_of_what_nobody_here_has_measured_that_is_said(capsys):
    assert main(["models", "list"]) == 0
    out, _ = capsys.readouterr()
    [line] = [line for line in out.splitlines() if line.startswith("distilbert-base-uncased ")]
    assert line.split()[1] == "absent"
    [encoder] = [m for m in models_shown(load_config(os.environ)).models if "distil" in m.row.id]
    assert "its answers have not been measured yet" in detail_lines(encoder)[0]


def test_consent_binds_the_row_that_every_command_sees(capsys):
    catalogue, store = known_models(os.environ)
    row = catalogue.row(FREE)
    store.folder(row).mkdir(parents=True)
    store.file(row).write_bytes(GOOD)
    files = {row.file: Accepted(len(GOOD), sha256(GOOD))}
    write_consent(store.folder(row), "c" * 40, files, publisher=True)
    [model] = [m for m in shown(capsys, "list")["models"] if m["id"] == FREE]
    assert (model["state"], model["bound"], model["verified"]) == ("present", True, False)
    assert model["publisher_checksum"]
    assert main(["models", "verify", FREE]) == 0
    store.file(row).write_bytes(GOOD[:-1] + b"!")
    assert main(["models", "verify", FREE]) == 4


def test_an_estimate_names_what_fits_instead(mine, capsys, monkeypatch):
    shown(capsys, "add", str(mine), "--id", "mine")
    found = shown(capsys, "estimate", "mine", "--context", "4096")["estimate"]
    assert found["exact"]
    assert found["weights_bytes"] == len(GOOD)
    assert found["needed_bytes"] > found["weights_bytes"] + found["cache_bytes"]
    big = gguf(SHAPE | {"qwen2.context_length": 1 << 20, "qwen2.block_count": 100})
    mine.write_bytes(big)
    free = MemoryBytes(10**8, 10**8)
    monkeypatch.setattr("app.commands.model_estimate.memory", lambda: free)
    found = shown(capsys, "estimate", "mine", "--context", "1000000")["estimate"]
    assert not found["fits"]
    assert found["instead"]["context"] in (1024, 2048, 4096)
    assert main(["models", "estimate", "mine", "--context", "1000000"]) == 0
    assert f"does not fit. --context {found['instead']['context']} does." in capsys.readouterr().out
    assert main(["models", "estimate", "qwen2.5-32b-instruct-q8_0"]) == 0
    out, err = capsys.readouterr()
    assert "It does not fit." in out
    assert "Roughly" in err


def test_two_models_are_estimated_at_once(mine, capsys, monkeypatch):
    shown(capsys, "add", str(mine), "--id", "mine")
    shown(capsys, "add", str(mine), "--id", "other")
    each = estimate_of("mine")
    cases = ((3, 0, True), (1, 0, False), (1, 3, True), (3, 1, False))
    for main_memory, gpu, together in [(a * each, b * each, both) for a, b, both in cases]:
        free = MemoryBytes(main_memory, main_memory)
        monkeypatch.setattr("app.commands.model_estimate.memory", lambda free=free: free)
        monkeypatch.setattr("app.commands.model_estimate.free_on_gpus", lambda gpu=gpu: gpu)
        found = shown(capsys, "estimate", "mine", "other")
        assert found["together"] is together
        assert [one["id"] for one in found["estimates"]] == ["mine", "other"]
        on_gpu = [one["gpu_layers"] for one in found["estimates"]]
        assert on_gpu == 2 * [found["estimates"][0]["layers"] if gpu else None]
        assert main(["models", "estimate", "mine", "other"]) == 0
        said = capsys.readouterr().out
        assert ("they fit." in said) is together
        assert ("one makes room for the other" in said) is not together
        assert ("On the GPU run" in said) is bool(gpu)
    assert main(["models", "estimate", "mine", "other", "mine"]) == 2
    assert "Name two at most" in capsys.readouterr().err


def test_a_model_that_does_not_fit_is_refused_before_it_is_loaded(mine, capsys, monkeypatch):
    shown(capsys, "add", str(mine), "--id", "mine")
    catalogue, store = known_models(os.environ)
    row = catalogue.row("mine")
    room = Room(catalogue, store, CONTEXT)
    monkeypatch.setattr("app.local_models.fit.memory", lambda: MemoryBytes(10**7, 10**7))
    with pytest.raises(ModelTooLarge, match=r"0\.0 GB are free"):
        room.fit(row, store.file(row))
    monkeypatch.setattr("app.local_models.fit.memory", lambda: MemoryBytes(10**11, 10**11))
    found = room.fit(row, store.file(row))
    assert found.gpu_layers in (0, -1)
    assert 0 < (found.cache or 0) < 10**11
    monkeypatch.setattr("app.local_models.fit.memory", lambda: MemoryBytes(0, 0))
    assert room.fit(row, store.file(row)).cache is None


def test_two_models_are_loaded_together_only_where_both_fit(mine, monkeypatch, capsys):
    shown(capsys, "add", str(mine), "--id", "mine")
    shown(capsys, "add", str(mine), "--id", "other")
    each = estimate_of("mine")
    for free, together in ((3 * each, True), (each + each // 2, False), (0, True)):
        monkeypatch.setattr(
            "app.local_models.fit.memory", lambda free=free: MemoryBytes(free, free)
        )
        room = Room(*known_models(os.environ), CONTEXT)
        assert room.both("mine", "other") is together
        assert room.both("mine", "big@gpu.example.org")  # takes no memory here


def test_a_model_that_reads_attention_takes_memory_of_its_own(mine, monkeypatch, capsys):
    shown(capsys, "add", str(mine), "--id", "mine")
    shown(capsys, "add", str(mine), "--id", "other")
    catalogue, store = known_models(os.environ)
    row = catalogue.row("mine")
    found = estimate_row(row, store, CONTEXT, reads=True)
    assert found
    each = estimate_of("mine")
    assert found.needed > each  # the toy's vocabulary leaves no room that could be used again
    # Of another model's pages it takes all, of its own model's only what is not the file.
    for other, needed in (("other", each + found.needed), ("mine", each + found.needed - row.size)):
        for free, together in ((needed, True), (needed - 1, False)):
            free_now = MemoryBytes(free, free)
            monkeypatch.setattr("app.local_models.fit.memory", lambda now=free_now: now)
            room = Room(catalogue, store, CONTEXT)
            assert room.both(f"mine{READING}", other) is together
    free_now = MemoryBytes(found.needed - 1, found.needed - 1)
    monkeypatch.setattr("app.local_models.fit.memory", lambda: free_now)
    assert Room(catalogue, store, CONTEXT).fit(row, store.file(row)).gpu_layers in (0, -1)
    with pytest.raises(ModelTooLarge):
        Room(catalogue, store, CONTEXT).fit(row, store.file(row), reads=True)


def estimate_of(model_id: str) -> int:
    catalogue, store = known_models(os.environ)
    found = estimate_row(catalogue.row(model_id), store, CONTEXT)
    assert found
    return found.needed


def test_a_pair_is_recommended_with_the_commands_that_get_it(capsys, monkeypatch):
    device = ("gpu", 16 * 10**9, 16 * 10**9, "")
    monkeypatch.setattr("app.local_models.recommendation._device", lambda: device)
    found = shown(capsys, "recommend")["recommendation"]
    assert found["generator"]["id"] == "qwen2.5-14b-instruct-q4_k_m"
    assert found["device"] == "gpu"
    assert found["together"]
    assert [row["id"] for row in found["beside"]] == ["splade-tiny"]
    assert main(["models", "recommend"]) == 0
    out, err = capsys.readouterr()
    assert "askance models pull qwen2.5-14b-instruct-q4_k_m\n" in out
    assert "askance models use generator qwen2.5-14b-instruct-q4_k_m" in out
    assert "askance models pull splade-tiny\n" in out
    assert "have not been measured yet" in err


def test_files_of_other_programs_are_listed(home, capsys):
    path = home / ".lmstudio" / "models" / "ada" / "toy" / "toy.gguf"
    path.parent.mkdir(parents=True)
    path.write_bytes(GOOD)
    [file] = shown(capsys, "list", "--found")["found"]
    assert (file["program"], file["path"], file["usable"]) == ("LM Studio", str(path), True)
    assert main(["models", "list", "--found"]) == 0
    out, err = capsys.readouterr()
    assert str(path) in out
    assert "askance models add PATH" in err
    path.write_bytes(b"\x1b[31m")
    assert main(["models", "list", "--found"]) == 0
    assert "does not begin like a GGUF file" in capsys.readouterr().out


def test_doctor_says_why_a_gpu_is_not_used():
    card = Gpu("NVIDIA H100", MemoryBytes(80 * 10**9, 79 * 10**9))
    assert gpu_check([], [], built=False).state == "ok"
    unused = gpu_check([], [card], built=False)
    assert "H100 is not used: llama.cpp was built without it" in unused.detail
    assert "GGML_CUDA=on" in (unused.remedy or "")
    blind = gpu_check([], [card], built=True)
    assert "finds no device" in blind.detail
    used = gpu_check([card], [card], built=True)
    assert used.state == "ok"
    assert "79.0 GB of 80.0 GB free" in used.detail
    assert re.search(r"\b(\d+) of \1 layers|no model is here", used.detail)


def test_doctor_names_instruction_sets_and_gpu(capsys):
    main(["doctor", "--json"])
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["instruction sets"]["state"] == "ok"
    assert "gpu" in checks
    assert "free" in checks["memory"]["detail"]
