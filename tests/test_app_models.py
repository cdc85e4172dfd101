"""`models` and `demo`, with a catalogue of one small file and scripted models."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

import pytest

from app.cli import main
from app.commands.demo import verdict
from app.local_models.roles import row_for
from app.settings.config import load_config
from app.sources.sample_files import DemoQuestion, load_questions
from engine.answer_parts import ModelIds, Usage
from engine.values import Answer, Coverage
from models.download.progress import PullProgress
from models.errors import PullFailed
from models.store import catalogue as catalogue_module
from models.store.catalogue import Catalogue, load_catalogue, parse_catalogue
from tests.support.toy_asking import answered_by, asked_here

CONTENT = b"weights" * 1000
ROW = f"""
[[model]]
id = "tiny"
title = "Tiny"
roles = ["lookahead", "generator"]
format = "safetensors"
file = "tiny.bin"
size = {len(CONTENT)}
sha256 = "{hashlib.sha256(CONTENT).hexdigest()}"
licence = "Apache-2.0"
context = 100
parameters = 10
quantisation = "none"
verified = true
starter = true
[[model.source]]
kind = "file"
path = "/nowhere"
"""


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Catalogue:
    rows = parse_catalogue(ROW, "test")
    monkeypatch.setattr("app.local_models.loader.load_catalogue", lambda: rows)
    assert catalogue_module.load_catalogue is load_catalogue
    return rows


@pytest.fixture
def stored(tiny: Catalogue) -> Path:
    path = Path(os.environ["ASKANCE_MODELS_DIR"]) / "tiny" / "tiny.bin"
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    return path


def listed(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    capsys.readouterr()
    assert main(["models", "list", "--json"]) == 0
    [model] = json.loads(capsys.readouterr().out)["models"]
    assert isinstance(model, dict)
    return model


def test_list_says_what_is_here_and_in_use(stored, capsys):
    model = listed(capsys)
    assert model["state"] == "present"
    assert model["in_use"] == ["lookahead", "generator"]
    assert model["size_bytes"] == len(CONTENT)
    assert main(["models", "list"]) == 0
    assert "tiny  present" in capsys.readouterr().out


def test_pull_reports_on_stderr_and_lists_on_stdout(tiny, monkeypatch, capsys):
    def pulled(row, store, *, accept):
        for done in (0, 3500, 7000):
            yield PullProgress(row.id, done, 7000, "download", 1, 1)
        yield PullProgress(row.id, 7000, 7000, "done", 1, 1)

    monkeypatch.setattr("app.local_models.jobs.pull", pulled)
    assert main(["models", "pull", "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == "tiny: 7.0 kB, Apache-2.0\ntiny: ready\n"
    assert [model["id"] for model in json.loads(out)["models"]] == ["tiny"]


def test_an_interrupted_pull_closes_the_download(tiny, monkeypatch, capsys):
    closed = []

    def pulled(row, store, *, accept):
        try:
            yield PullProgress(row.id, 1, 7000, "download", 1, 1)
            raise KeyboardInterrupt
        finally:
            closed.append(row.id)

    monkeypatch.setattr("app.local_models.jobs.pull", pulled)
    assert main(["models", "pull", "tiny"]) == 130
    assert closed == ["tiny"]
    assert capsys.readouterr().err.endswith("Interrupted.\n")


def test_a_failed_pull_is_exit_4(tiny, monkeypatch, capsys):
    def pulled(row, store, *, accept):
        raise PullFailed("The disk is too full.", remedy="Make room.")
        yield

    monkeypatch.setattr("app.local_models.jobs.pull", pulled)
    assert main(["models", "pull", "--starter", "--json"]) == 4
    out, err = capsys.readouterr()
    assert json.loads(out)["error"]["kind"] == "pull_failed"
    assert "Make room." in err


def test_one_flipped_byte_fails_verify_and_every_question(stored, tmp_path, monkeypatch, capsys):
    asked_here(monkeypatch)
    assert main(["models", "verify"]) == 0
    stored.write_bytes(b"W" + CONTENT[1:])
    (tmp_path / "a.txt").write_text("text")
    assert main(["ask", "text", str(tmp_path), "--json"]) == 4
    shown = capsys.readouterr()
    assert '"model_corrupt"' in shown.out
    assert not stored.exists()
    assert listed(capsys)["state"] == "set aside"


def test_rm_asks_and_frees(stored, monkeypatch, capsys):
    assert main(["models", "rm", "tiny"]) == 2
    assert stored.exists()
    assert main(["models", "rm", "tiny", "--yes", "--json"]) == 0
    freed = json.loads(capsys.readouterr().out)["models"]
    assert freed[0]["freed_bytes"] >= len(CONTENT)
    assert not stored.exists()


def test_use_says_when_a_variable_overrides_it(stored, monkeypatch, capsys):
    monkeypatch.setenv("ASKANCE_MODELS_GENERATOR", "other")
    assert main(["models", "use", "generator", "tiny"]) == 2
    assert "ASKANCE_MODELS_GENERATOR overrides" in capsys.readouterr().err


def test_flag_beats_setting_beats_default():
    rows = load_catalogue()
    small, middle = "smollm2-135m-instruct-q4_1", "qwen2.5-coder-0.5b-instruct-q4_k_m"
    config = load_config({"ASKANCE_MODELS_LOOKAHEAD": small})
    assert row_for("lookahead", middle, config, rows).id == middle
    assert row_for("lookahead", None, config, rows).id == small
    assert row_for("generator", None, config, rows) == rows.default("generator")


def made(text: str, grounded: str) -> Answer:
    return Answer(
        "q", text, grounded, (), Coverage(), None, Usage(), {"total": 0.1}, "x", ModelIds()
    )


@pytest.mark.parametrize(
    ("expects", "text", "grounded", "right"),
    [
        ("answer", "It is 340 euros. [1]", "grounded", True),
        ("answer", "It is 340 euros. [1] And more.", "partial", True),
        ("answer", "It is 30 euros. [1]", "grounded", False),
        ("answer", "It is 340 euros.", "none", False),
        ("abstain", "Nothing.", "none", True),
        ("abstain", "It is AB 12. [1]", "partial", False),
    ],
)
def test_the_demo_judges_what_it_shows(expects, text, grounded, right):
    question = DemoQuestion("q", expects, "why", "340" if expects == "answer" else "")
    assert (verdict(question, made(text, grounded)) == "as expected") == right


def test_the_demo_asks_its_questions(monkeypatch, fake_models, capsys):
    sample = Path(sys.modules["app.cli"].__file__ or "").parent / "sample" / "questions.toml"
    questions = load_questions(sample.read_text())
    assert [question.expects for question in questions] == ["answer", "answer", "abstain"]
    answered_by(monkeypatch, fake_models)
    assert main(["demo"]) == 1
    out = capsys.readouterr().out
    assert out.count("Question ") == 3
    assert "1 of 3 as expected." in out
    assert main(["demo", "--json"]) == 1
    answers = json.loads(capsys.readouterr().out)["answers"]
    assert [one["verdict"] for one in answers].count("as expected") == 1
