"""Native code that dies never takes the person with it: every stage, every front end."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from app.backend import process
from app.backend.client import EngineClient, EngineFailed, open_engine
from app.backend.messages import Request
from app.cli import main
from app.plain_loop import PlainLoop, Terminal
from app.screens.app import AskanceApp
from app.settings.config import load_config
from app.settings.current import Current
from engine.events import Answered, Stage
from engine.settings import Settings
from tests.support.toy_chat import LEASE, QUESTION, config_over, settled, shown, source, typed

__all__ = ["source"]

ENGINE = (str(Path(__file__).parent / "support" / "dying_engine.py"),)
SIGNALS = {
    "SIGSEGV": "SIGSEGV (Segmentation fault)",
    "SIGABRT": "SIGABRT (Aborted)",
    "SIGKILL": "SIGKILL (Killed), perhaps for lack of memory",
    "SIGILL": "SIGILL (Illegal instruction)",
    "SIGBUS": "SIGBUS (Bus error)",
}
STAGES = {
    "read": "while reading files.",
    "recall": "while scoring passages.",
    "lookahead": "while looking ahead",
    "select": "while selecting evidence",
    "write": "while writing the answer",
    "cite": "while checking citations",
}
SOON = list(zip(STAGES, [*SIGNALS, "SIGSEGV"], strict=True))
PAIRS = [
    pytest.param(stage, name, marks=() if (stage, name) in SOON else pytest.mark.prove)
    for stage in STAGES
    for name in SIGNALS
]
SMALL = "smollm2-135m-instruct-q4_1"


@pytest.fixture(autouse=True)
def dying(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "PROGRAM", ENGINE)
    monkeypatch.setenv("ASKANCE_ANSWER_STRATEGY", "fb_rag")
    monkeypatch.setenv("ASKANCE_READING_WORKERS", "1")


@pytest.mark.parametrize(("stage", "name"), PAIRS)
def test_a_death_is_said_with_its_stage_and_what_to_do(
    stage: str,
    name: str,
    source: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DIE_AT", stage)
    monkeypatch.setenv("DIE_BY", name)
    assert main(["ask", QUESTION, str(source), "--json"]) == 1
    out, err = capsys.readouterr()
    error: dict[str, Any] = json.loads(out)["error"]
    assert error["kind"] == "engine"
    assert SIGNALS[name] in error["message"]
    assert STAGES[stage] in error["message"]
    assert "sk again" in error["remedy"]
    assert error["message"] in err
    assert LEASE[20:40] not in out + err


def test_the_model_that_was_at_work_is_named(
    source: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DIE_AT", "cite")
    monkeypatch.setenv("DIE_BY", "SIGSEGV")
    assert main(["ask", QUESTION, str(source)]) == 1
    assert "while checking citations, with the model large." in capsys.readouterr().err


def test_the_next_question_has_an_engine_of_its_own(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a word of the first one: neither its stage nor its events."""
    monkeypatch.setenv("DIE_AT", "write")
    monkeypatch.setenv("DIE_BY", "SIGABRT")
    asked = Request(0, QUESTION, config=load_config(os.environ), sources=(source,))
    with EngineClient(open_engine()) as engine:
        with pytest.raises(EngineFailed, match="SIGABRT"):
            list(engine.events(asked))
        spared = Request(0, f"{QUESTION} safely", config=asked.config, sources=(source,))
        *_, last = engine.events(spared)
        assert isinstance(last, Answered)


def test_in_lines_a_death_costs_one_question(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIE_AT", "write")
    monkeypatch.setenv("DIE_BY", "SIGBUS")
    said: list[str] = []
    terminal = Terminal(said.append, lambda prompt: "", lambda words: 0)
    engine = open_engine(watch=True)
    try:
        loop = PlainLoop(engine, Current(config_over(source)), terminal)
        loop.run(iter([f"{QUESTION} safely", QUESTION, "safely, who wrote it?"]))
    finally:
        engine.close()
    died = next(i for i, line in enumerate(said) if "SIGBUS (Bus error)" in line)
    answers = [i for i, line in enumerate(said) if "31 December 2026" in line]
    assert min(answers) < died < max(answers)
    assert any("Understood as" in line or "[1]" in line for line in said[died:])


ON_SCREEN = [
    pytest.param(stage, name, marks=() if stage == "select" else pytest.mark.prove)
    for stage in STAGES
    for name in ("SIGSEGV", "SIGABRT", "SIGKILL")
    if stage != "select" or name == "SIGABRT"
]


@pytest.mark.parametrize(("stage", "name"), ON_SCREEN)
async def test_on_the_screen_a_death_costs_one_question(
    stage: str, name: str, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIE_AT", stage)
    monkeypatch.setenv("DIE_BY", name)
    config = config_over(source, ASKANCE_ANSWER_STRATEGY="fb_rag")
    engine = process.EngineProcess(watch=True)
    app = AskanceApp(config, engine)
    try:
        async with app.run_test(size=(100, 30)) as pilot:
            for question in (f"{QUESTION} safely", QUESTION, f"{QUESTION} safely"):
                await typed(pilot, question)
                await settled(pilot)
            said = " ".join(shown(app, "answer", 1).split())
            assert SIGNALS[name] in said
            assert STAGES[stage].strip(".") in said
            for place in (0, 2):
                assert "31 December 2026. [1]" in shown(app, "answer", place)
    finally:
        engine.close()


def test_no_engine_outlives_whoever_asked(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that hears nothing, as native code that hangs does not."""
    monkeypatch.setattr(process, "CLOSING", 0.2)
    monkeypatch.setattr(process, "PROGRAM", ("-c", "import time; time.sleep(600)"))
    engine = process.EngineProcess()
    engine.listen(lambda reply: None)
    pid = engine.pid
    assert pid is not None
    engine.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> Request:
    """A question for a real model over the sample."""
    from app.sources.sample_files import SAMPLE_DAY, sample_folder

    monkeypatch.setattr(process, "PROGRAM", ("-m", "app.backend.process_main"))
    settings = Settings(strategy="fb_rag", effort="quick", now=SAMPLE_DAY)
    return Request(
        0,
        "Which ferry does Kim take?",
        config=load_config(os.environ),
        sources=(sample_folder(),),
        settings=settings,
        lookahead=SMALL,
        generator=SMALL,
    )


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["lookahead", "write"])
def test_a_real_model_that_dies_is_named(stage: str, real: Request) -> None:
    """In the middle of what it decodes, by the signal that a fault of native code gives."""
    engine = process.EngineProcess()
    with EngineClient(engine) as client:
        events = client.events(real)
        while next(events) != Stage(stage, "started"):  # type: ignore[arg-type]
            pass
        assert engine.pid is not None
        os.kill(engine.pid, signal.SIGSEGV)
        with pytest.raises(EngineFailed, match=f"SIGSEGV .* with the model {SMALL}") as died:
            list(events)
        assert STAGES[stage] in died.value.message


def test_the_engine_is_started_while_the_command_is_imported() -> None:
    """Only for what asks at once, and it is taken by one client alone."""
    from app.backend import early_start as early
    from app.main import asks

    assert asks(["ask", "When?"])
    assert asks(["demo"])
    for line in ([], ["search", "ask"], ["ask", "--help"], ["--plain"], ["models", "list"]):
        assert not asks(line)
    early.begin()
    engine = open_engine()
    assert isinstance(engine, process.EngineProcess)
    before = engine.pid
    assert before is not None
    with EngineClient(engine):
        assert engine.pid == before
    assert early.taken() is None
    other = open_engine()
    assert isinstance(other, process.EngineProcess)
    assert other.pid is None
