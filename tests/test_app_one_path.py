"""One way for a question: the command line, the screen and `--plain` get the same events."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from app.backend.client import EngineClient
from app.backend.messages import Happened, Reply, Tell
from app.backend.process import EngineProcess
from app.cli import main
from app.plain_loop import PlainLoop, Terminal
from app.screens.app import AskanceApp
from app.settings.config import Config, load_config
from app.settings.current import Current
from engine.events import Event, Expected, Reading, Stage
from engine.values import Answer, Coverage
from ingest.item import Item
from tests.support.toy_chat import settled, typed

SMALL = "smollm2-135m-instruct-q4_1"
MAILS = {
    "lease.eml": """From: Dana Okafor <dana@okafor.example>
To: jo@lane.example
Date: Mon, 2 Mar 2026 09:00:00 +0000
Message-ID: <lease@okafor.example>
Subject: Lease of the boathouse

The lease of the boathouse ends on 31 December 2026. The rent is 400 euros a month.
""",
    "jetty.eml": """From: Tom Sato <tom@sato.example>
To: jo@lane.example
Date: Tue, 3 Mar 2026 10:00:00 +0000
Message-ID: <jetty@sato.example>
Subject: Jetty

The jetty was repaired in May. The carpenter asks for 250 euros.
""",
}
ASKED = "When does the lease of the boathouse end?"
FOLLOWED = "Who sent it?"
COMPUTED = "How many mails did Tom Sato write?"

pytestmark = pytest.mark.slow


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "mail"
    folder.mkdir()
    for name, text in MAILS.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def config(source: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    """The same settings for every front end, in the environment that its engine inherits."""
    chosen = {
        "SOURCES_PATHS": str(source),
        "MODELS_LOOKAHEAD": SMALL,
        "MODELS_GENERATOR": SMALL,
        "ANSWER_EFFORT": "quick",
        "READING_WORKERS": "1",
    }
    for name, value in chosen.items():
        monkeypatch.setenv(f"ASKANCE_{name}", value)
    return load_config(os.environ)


def plain(value: Any) -> Any:
    """Return what no two runs may have otherwise: all but seconds, speeds and progress."""
    match value:
        case Stage():
            return (value.name, value.state)
        case Expected():
            return ("expected", value.tokens, value.budget)
        case Item():
            return (value.title, str(value.locator.path), value.locator.offset)
        case Coverage():
            return (value.complete, value.read)
        case Answer():
            return tuple(
                plain(getattr(value, field.name))
                for field in fields(value)
                if field.name != "timings"
            )
        case float():
            return round(value, 6)
        case list() | tuple():
            return tuple(map(plain, value))
        case dict():
            return {key: plain(one) for key, one in value.items()}
    if is_dataclass(value):
        return tuple(plain(getattr(value, field.name)) for field in fields(value))
    return value


class Listened(EngineProcess):
    """Keeps the events of each question."""

    def __init__(self) -> None:
        super().__init__(watch=True)
        self.heard: dict[int, list[Any]] = {}

    def listen(self, tell: Tell) -> None:
        def both(reply: Reply) -> None:
            if isinstance(reply, Happened) and not isinstance(reply.event, Reading):
                self.heard.setdefault(reply.number, []).append(plain(reply.event))
            tell(reply)

        super().listen(both)


def on_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str
) -> tuple[list[Any], dict[str, Any]]:
    """Return the events of `ask` and what it printed."""
    heard: list[Event] = []
    events = EngineClient.events

    def kept(client: EngineClient, *asked: Any) -> Iterator[Event]:
        for event in events(client, *asked):
            heard.append(event)
            yield event

    with monkeypatch.context() as patched:
        patched.setattr(EngineClient, "events", kept)
        assert main(["ask", *words, "--json"]) in (0, 3)
    printed: dict[str, Any] = json.loads(capsys.readouterr().out)
    return [plain(one) for one in heard if not isinstance(one, Reading)], printed


async def on_the_screen(config: Config, *conversations: tuple[str, ...]) -> list[Any]:
    """Return the events of each question, asked in one engine."""
    engine = Listened()
    app = AskanceApp(config, engine)
    try:
        async with app.run_test(size=(80, 24)) as pilot:
            for questions in conversations:
                for question in questions:
                    await typed(pilot, question)
                    await settled(pilot)
                await pilot.press("ctrl+n")
    finally:
        engine.close()
    return [*engine.heard.values()]


def in_lines(config: Config, *lines: str) -> list[Any]:
    """Return the events of each question of `--plain`."""
    engine = Listened()
    try:
        terminal = Terminal(lambda text: None, lambda prompt: "", lambda words: 0)
        PlainLoop(engine, Current(config), terminal).run(iter(lines))
    finally:
        engine.close()
    return [*engine.heard.values()]


async def test_every_front_end_gets_the_same_events(
    config: Config,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """By `auto`: a question, one that follows it, and one that is computed."""
    first, printed = on_the_command_line(monkeypatch, capsys, ASKED)
    before = tmp_path / "before.json"
    before.write_text(json.dumps(printed))
    told = ("--follow-up-to", str(before))
    follow_up, _ = on_the_command_line(monkeypatch, capsys, FOLLOWED, *told)
    computed, _ = on_the_command_line(monkeypatch, capsys, COMPUTED)
    wanted = [first, follow_up, computed]
    assert await on_the_screen(config, (ASKED, FOLLOWED), (COMPUTED,)) == wanted
    assert in_lines(config, ASKED, FOLLOWED, "/new", COMPUTED) == wanted


async def test_attention_is_read_whoever_asks(
    config: Config, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASKANCE_ANSWER_STRATEGY", "fb_rag+youra")
    asked, printed = on_the_command_line(monkeypatch, capsys, ASKED)
    assert "youra" in printed["strategy"]
    assert "bm25" not in printed["strategy"]
    assert await on_the_screen(load_config(os.environ), (ASKED,)) == [asked]
