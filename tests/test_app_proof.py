"""What the program does with llama.cpp's proof: models are loaded by it, doctor shows it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llama_cpp
import pytest

from app import doctor
from app.cli import main
from app.doctor import Check
from app.local_models import loader as loading
from app.local_models import recommendation as recommending
from app.local_models import rows
from app.local_models.fit import LoadPlan
from app.local_models.loader import Loader
from app.privacy import system_calls as tracing
from app.settings.config import load_config
from models.errors import LibraryBroken
from models.llama.attention import load_llama_attention
from models.llama.generator import load_llama
from models.llama.model import rearranging_pays
from models.llama.precautions import LADDER, NONE, Precautions
from models.proof.proof import RECORD, compile_command
from models.proof.tiny_model import tiny_model
from models.store.catalogue import parse_catalogue
from models.store.store import Store
from models.system.machine import Gpu, MemoryBytes
from tests.support.toy_library import compiled
from tests.support.toy_rows import toy_toml

SEGV = 11


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(tiny_model())
    return path


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return what llama.cpp was asked for: extra buffers, then whether flash attention may be."""
    found: list[bool] = []
    load, context = llama_cpp.llama_model_load_from_file, llama_cpp.llama_init_from_model

    def loaded(path: bytes, params: Any) -> Any:
        found.append(params.use_extra_bufts)
        return load(path, params)

    def made(model: Any, params: Any) -> Any:
        disabled = llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED
        found.append(params.flash_attn_type != disabled)
        return context(model, params)

    monkeypatch.setattr(llama_cpp, "llama_model_load_from_file", loaded)
    monkeypatch.setattr(llama_cpp, "llama_init_from_model", made)
    return found


@pytest.mark.parametrize("precautions", LADDER, ids=["none", "extra", "both"])
def test_a_model_is_loaded_with_precautions(
    tiny: Path, asked: list[bool], precautions: Precautions
) -> None:
    load_llama(tiny, "tiny", context=64, precautions=precautions).close()
    extra = precautions.extra_buffers and rearranging_pays()
    assert asked == [extra, precautions.flash_attention]
    asked.clear()
    reader = load_llama_attention(tiny, "tiny", context=64, precautions=precautions)
    reader.read("Who", "me", layers=[0])
    reader.close()
    assert asked == [extra, False]


@pytest.mark.parametrize("way", ["generator", "attentive", "attention"])
def test_whoever_loads_a_model_has_the_library_proved_first(
    tiny: Path, asked: list[bool], monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    store = Store(tiny.parent / "models")
    catalogue = parse_catalogue(toy_toml("toy", tiny), "toy.toml")
    monkeypatch.setattr(store, "open", lambda row: tiny)
    order: list[object] = []

    def proved(root: Path, say: Callable[[str], object]) -> Precautions:
        order.append(root)
        return LADDER[-1]

    def fit(*args: object, **named: object) -> LoadPlan:
        order.append("fit")  # which imports llama.cpp
        return LoadPlan(gpu_layers=-1, cache=None)

    monkeypatch.setattr(loading, "proved", proved)
    loader = Loader(load_config(os.environ), catalogue, store, 64, lambda text: None)
    monkeypatch.setattr(loader.room, "fit", fit)
    model = getattr(loader, way)("toy")
    if way == "attention":
        model.read("Who", "me", layers=[0])
    model.close()
    assert order == [store.root, "fit"]
    assert asked == [False, False]


def checks(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, str]]:
    capsys.readouterr()
    main(["doctor", "--json"])
    return {one["name"]: one for one in json.loads(capsys.readouterr().out)["checks"]}


def test_doctor_says_that_it_computes_rightly(capsys: pytest.CaptureFixture[str]) -> None:
    assert checks(capsys)["llama.cpp proof"]["state"] == "ok"


def test_doctor_says_what_is_switched_off_and_sees_a_repair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LLAMA_CPP_LIB_PATH", str(compiled(tmp_path)))
    monkeypatch.setenv("TOY_FAULT", f"prompt {SEGV} extra")
    found = checks(capsys)["llama.cpp proof"]
    assert found["state"] == "note"
    assert "without rearranged weights" in found["detail"]
    assert "SIGSEGV while a prompt was read" in found["detail"]
    assert doctor.COST in found["detail"]
    assert compile_command() in found["remedy"]
    monkeypatch.setenv("TOY_FAULT", "")
    assert checks(capsys)["llama.cpp proof"]["state"] == "ok"
    monkeypatch.setenv("TOY_FAULT", f"init {SEGV} always")
    broken = checks(capsys)
    assert broken["llama-cpp-python"]["state"] == "missing"
    assert "SIGSEGV while llama.cpp was loaded" in broken["llama-cpp-python"]["detail"]
    assert compile_command() in broken["llama-cpp-python"]["remedy"]
    assert "sandbox" in broken  # the report goes on


def test_doctor_says_that_it_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    def proof(*args: object, **named: object) -> None:
        raise LibraryBroken("It does not work.", remedy="Compile it.")

    monkeypatch.setattr(doctor, "proof", proof)
    assert Check("llama.cpp proof", "missing", "It does not work.", "Compile it.") in list(
        doctor.examine()
    )


def test_no_command_but_those_that_load_a_model_imports_llama_cpp() -> None:
    code = (
        "import sys; from app.cli import main\n"
        "for command in (['doctor'], ['models', 'list'], ['models', 'recommend']): main(command)\n"
        "print('llama_cpp' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_a_broken_library_is_no_reason_to_show_no_models(monkeypatch: pytest.MonkeyPatch) -> None:
    def described() -> None:
        raise LibraryBroken("It does not work.", remedy="Compile it.")

    monkeypatch.setattr(rows, "gpus_present", lambda: [Gpu("Toy", MemoryBytes(1, 1))])
    monkeypatch.setattr(rows, "described", described)
    shown = rows.models_shown(load_config(os.environ))
    assert shown.models
    assert "It does not work." in shown.faults
    monkeypatch.setattr(recommending, "described", described)
    found, note = recommending.recommended(shown.catalogue, shown.store)
    assert found.pair.device == "cpu"
    assert "It does not work." in note


def test_what_is_remembered_of_it_is_listed_and_goes_with_everything(
    capsys: pytest.CaptureFixture[str],
) -> None:
    checks(capsys)
    record = Path(os.environ["ASKANCE_MODELS_DIR"], RECORD)
    assert record.exists()
    half = record.with_name(f"{RECORD}.new")
    half.touch()
    assert main(["forget", "--everything", "--yes", "--json"]) == 0
    removed = json.loads(capsys.readouterr().out)["removed"]
    assert [(one["what"], one["name"]) for one in removed] == [
        ("proof", str(record)),
        ("proof", str(half)),
    ]
    assert not record.exists()
    assert not half.exists()
    assert NONE.without == ""


def test_the_memory_of_the_tiny_model_is_no_file_that_was_written() -> None:
    lines = [
        '7 memfd_create("askance-tiny-model", MFD_CLOEXEC) = 3',
        '7 memfd_create("other", MFD_CLOEXEC) = 4',
    ]
    assert tracing.written(lines) == ["other"]
