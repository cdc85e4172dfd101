"""First steps, doctor, and the loop of lines."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from app.backend.answerer import Answerer
from app.backend.messages import Command, Request
from app.cli import main
from app.doctor import Check
from app.plain_loop import PlainLoop, Terminal
from app.screens.app import AskanceApp
from app.screens.chat.screen import ChatScreen
from app.screens.lists import doctor as screen_of_doctor
from app.screens.lists import first_run as screen_of_first_run
from app.screens.lists import first_run_offers
from app.screens.lists.doctor import DoctorScreen
from app.screens.lists.first_run import FirstRunScreen
from app.settings.config import config_path, load_config
from app.settings.current import Current
from app.sources.first_questions import QUESTIONS, first_questions
from app.sources.first_steps import PairOffer, ServerOffer
from app.sources.known_places import PlaceSize, known_places, size_of
from app.sources.sample_files import sample_folder
from app.widgets.input.prompt import Prompt
from engine.answer import answer
from engine.events import Event, Token
from engine.retrieval.memory import Memory
from engine.settings import Settings
from models.errors import ModelMissing
from models.roles import ModelSet
from models.store.store import Store
from tests.support.screen_text import NoEngine, assert_snapshot, settled, text_of, until
from tests.support.toy_rows import toy_catalogue, toy_row

SIZES = ((80, 24), (140, 40))


@pytest.fixture
def places(home: Path) -> Path:
    for name in (
        *(".thunderbird/ab.default/Mail", ".thunderbird/ab.default/ImapMail"),
        *(
            ".thunderbird/ab.default/calendar-data",
            ".thunderbird/Crash Reports",
            "Maildir/cur",
            "Documents",
            "Calendars",
        ),
    ):
        (home / name).mkdir(parents=True)
    return home


def test_known_places_are_found_by_their_existence(places):
    found = [
        (place.name, str(place.path.relative_to(places))) for place in known_places(os.environ)
    ]
    assert found == [
        ("Thunderbird mail", ".thunderbird/ab.default/Mail"),
        ("Thunderbird mail", ".thunderbird/ab.default/ImapMail"),
        ("Thunderbird calendars", ".thunderbird/ab.default/calendar-data"),
        ("Mail", "Maildir"),
        ("Calendars", "Calendars"),
        ("Documents", "Documents"),
    ]


@pytest.fixture
def pair(home: Path, monkeypatch: pytest.MonkeyPatch) -> PairOffer:
    toy_catalogue(home, monkeypatch)
    row = toy_row("small", home / "small.gguf")
    offer = PairOffer("verified and small", row, row, Store.default(os.environ))
    monkeypatch.setattr(first_run_offers, "pair_offers", lambda: [offer])
    return offer


def newcomer() -> AskanceApp:
    return AskanceApp(load_config(os.environ), NoEngine(), first_run=True)


class Listening(NoEngine):
    """Notes what it is asked, and answers nothing."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def send(self, command: Command) -> None:
        if isinstance(command, Request):
            self.asked.append(command.question)


def listening_to(app: AskanceApp) -> Listening:
    app._engine = Listening()
    return app._engine


async def begun(pilot: Pilot[None]) -> FirstRunScreen:
    await pilot.pause()
    await settled(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, FirstRunScreen)
    return screen


async def test_three_steps_lead_to_the_first_question(places, pair):
    app = newcomer()
    engine = listening_to(app)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await begun(pilot)
        assert "1 of 3" in text_of(app)
        assert screen.row_list.row.text == "Remember 6 and go on"
        for row in range(6):
            screen.row_list.cursor = row
            await pilot.press(*(["space"] if row != 3 else ["enter", "enter"]))
        assert screen.row_list.rows[-1].text == "Remember 1 and go on"
        assert not config_path(os.environ).exists()
        screen.row_list.find("Name another", 0)
        await pilot.press("enter")
        await pilot.pause()
        app.screen.query_one(Input).value = "~/nothing"
        await pilot.press("enter")
        await settled(pilot)
        assert "does not exist" in text_of(app)
        await pilot.press("G", "enter")
        await settled(pilot)
        assert load_config(os.environ).sources == (places / "Maildir",)
        assert "2 of 3" in text_of(app)
        await pilot.press("enter")
        await until(pilot, lambda: "3 of 3" in text_of(app))
        await settled(pilot)
        assert pair.missing == []
        assert load_config(os.environ).values.models.generator == "small"
        assert "without a model" in text_of(app)
        await pilot.press("enter")
        await settled(pilot)
        assert isinstance(app.screen, ChatScreen)
        await until(pilot, lambda: bool(engine.asked))
        assert engine.asked == ["Who wrote to me most this year?"]


async def test_three_keys_lead_from_the_start_to_a_question(places, pair):
    app = newcomer()
    engine = listening_to(app)
    async with app.run_test(size=(80, 24)) as pilot:
        await begun(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "2 of 3" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "3 of 3" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: bool(engine.asked))
        assert len(load_config(os.environ).sources) == 6
        assert engine.asked == ["What is on this week?"]


def test_the_size_of_a_place_is_counted_for_a_while(tmp_path):
    assert size_of(tmp_path).text == "empty"
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.txt").write_bytes(b"x" * 1500)
    assert size_of(tmp_path).text == "1 file, 1.5 kB"
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "two.txt").write_bytes(b"x" * 1500)
    assert size_of(tmp_path) == PlaceSize(2, 3000, True)
    assert size_of(tmp_path, seconds=-1).text.startswith("over 1 file")
    assert size_of(tmp_path / "gone").text == "empty"


@pytest.mark.parametrize(
    ("sources", "asked"),
    [
        (["/home/ann/.thunderbird/ab.default/ImapMail"], ["Who wrote to me most this year?"]),
        (["/home/ann/.thunderbird/ab.default/calendar-data"], ["What is on this week?"]),
        (["/srv/work.ics", "/srv/Inbox.mbox"], ["What is on this week?", "Who wrote to me"]),
        (["/home/ann/Documents", "/srv/leases"], ["Which documents are the newest?"]),
        ([], []),
    ],
)
def test_questions_fit_the_sources(sources: list[str], asked: list[str]) -> None:
    found = first_questions(map(Path, sources))
    assert [one[: len(start)] for one, start in zip(found, asked, strict=True)] == asked


@pytest.mark.parametrize("question", QUESTIONS.values())
def test_what_is_proposed_is_answered_without_a_model(question: str, home: Path, capsys) -> None:
    assert main(["ask", question, str(sample_folder()), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["citations"]
    assert not any(answer["models"].values())


async def test_a_server_is_looked_for_when_asked_and_used(places, pair, monkeypatch):
    offer = ServerOffer("http://127.0.0.1:11434", "Use Ollama here: toy")
    monkeypatch.setattr(screen_of_first_run, "servers_to_use", lambda: [offer])
    app = newcomer()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await begun(pilot)
        await pilot.press("G", "enter")
        await settled(pilot)
        assert "Ollama" not in text_of(app)
        screen.row_list.find("Look for a model server", 0)
        await pilot.press("enter")
        await settled(pilot)
        screen.row_list.find("Use Ollama", 0)
        await pilot.press("enter")
        await until(pilot, lambda: "3 of 3" in text_of(app))
        assert load_config(os.environ).values.server.url == offer.url


async def test_the_sample_is_read_until_a_source_is_named(places, pair):
    app = newcomer()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await begun(pilot)
        screen.row_list.find("sample", 0)
        await pilot.press("enter")
        await settled(pilot)
        assert isinstance(app.screen, ChatScreen)
        assert "Nordvik" in app.screen.query_one(Prompt).text
        assert app.current.config.sources == (sample_folder(),)
        assert load_config(os.environ).remembered == ()
        await pilot.press("f7")
        screen = await begun(pilot)
        assert "Remember 6 and go on" in text_of(app), "the sample is nothing remembered"
        for row in range(1, 6):
            screen.row_list.cursor = row
            await pilot.press("space")
        await pilot.press("G", "enter")
        await settled(pilot)
        assert app.current.config.sources == (places / ".thunderbird/ab.default/Mail",)
        await pilot.press("escape")
        await settled(pilot)
        assert isinstance(app.screen, ChatScreen)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_how_the_steps_look(places, pair, monkeypatch, size):
    monkeypatch.setattr("app.sources.first_steps.size_text", lambda size: "1.6 kB")
    app = newcomer()
    async with app.run_test(size=size) as pilot:
        await begun(pilot)
        await pilot.press("j", "j", "space")
        await pilot.pause()
        assert_snapshot(f"first-run-1-{size[0]}x{size[1]}", app, HOME=re.escape(str(places)))
        await pilot.press("G", "enter")
        await settled(pilot)
        assert_snapshot(f"first-run-2-{size[0]}x{size[1]}", app)
        await pilot.press("enter")
        await until(pilot, lambda: "3 of 3" in text_of(app))
        await settled(pilot)
        assert_snapshot(f"first-run-3-{size[0]}x{size[1]}", app)


CHECKS = [
    Check("askance", "ok", "0.1.0"),
    Check("recall", "note", "numpy: the compiled scan is not there", "Install a C compiler."),
    Check("model large", "missing", "absent, 3.2 kB", "askance models pull large"),
]


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_doctor_shows_findings_and_remedies(home, monkeypatch, size):
    monkeypatch.setattr(screen_of_doctor, "examine", lambda: iter(CHECKS))
    app = AskanceApp(load_config(os.environ), NoEngine())
    async with app.run_test(size=size) as pilot:
        await pilot.press("f5")
        await settled(pilot)
        assert isinstance(app.screen, DoctorScreen)
        await pilot.press("G")
        await settled(pilot)
        assert "1 missing, 1 to note" in text_of(app)
        assert "askance models pull large" in text_of(app)
        assert_snapshot(f"doctor-{size[0]}x{size[1]}", app)
        monkeypatch.setattr(screen_of_doctor, "examine", lambda: iter(CHECKS[:1]))
        await pilot.press("r")
        await settled(pilot)
        assert "all is well" in text_of(app)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "lease.txt").write_text("The lease of the boathouse ends on 31 December 2026.\n")
    return folder


def talked(
    lines: list[str],
    answers: Callable[..., Iterator[Event]],
    models: ModelSet,
    environ: dict[str, str],
) -> list[str]:
    """Return what the loop says to these lines, with `> COMMAND` for what it runs."""
    said: list[str] = []
    terminal = Terminal(
        said.append, lambda asked: "secret", lambda words: said.append(f"> {' '.join(words)}") or 0
    )
    engine = Answerer(lambda request, show: models, answers, Memory(1))
    try:
        PlainLoop(engine, Current(load_config(environ), environ), terminal).run(iter(lines))
    finally:
        engine.close()
    return said


def test_the_loop_answers_in_lines(house, fake_models):
    def answers(request: Request, models, memory) -> Iterator[Event]:
        assert request.config is not None
        return answer(request.question, request.config.sources, models, Settings(), memory=memory)

    models = fake_models(generator=["The lease ends on 31 December 2026 [1]."])
    environ = {"ASKANCE_SOURCES_PATHS": str(house)}
    lines = [
        "When does the lease of the boathouse end?",
        "/why",
        "/unlock",
        "/forget",
        "/quit",
        "x",
    ]
    said = talked(lines, answers, models, environ)
    assert not any("\n" in line or "\x1b" in line or "\r" in line for line in said)
    assert "The lease ends on 31 December 2026. [1]" in said
    assert any(line.startswith("grounded: ") for line in said)
    assert any(line.startswith("Read 1 document") for line in said)
    assert any(line.startswith("How this answer came about") for line in said)
    assert said[-1] == "All text and passwords are forgotten."


def test_the_loop_runs_commands_and_says_what_is_wrong(fake_models):
    def answers(request: Request, models, memory) -> Iterator[Event]:
        yield Token("word")
        raise ModelMissing("The model is not here.", remedy="Run `askance models pull`.")

    lines = [
        "/help",
        "/models list --found",
        '/sources add "a',
        "/",
        "Anything?",
        "/new",
        "/sample",
    ]
    said = talked(lines, answers, fake_models(), {})
    assert "No source is remembered yet." in said[1]
    assert "> models list --found" in said
    assert "No closing quotation." in said
    assert "The model is not here." in said
    assert "Run `askance models pull`." in said
    assert said[-1].startswith("The sample files are read. Try: ")
