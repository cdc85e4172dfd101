"""How the chat and what it opens look at two sizes, with toy data told by a scripted engine."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual import events
from textual.widgets import Static

from app.backend.messages import Command, Ended, Happened, Request, Tell, TextKept
from app.screens.app import AskanceApp
from app.widgets.answer.citations import Citations
from app.widgets.answer.source import SourceView
from app.widgets.input.prompt import Prompt
from engine.answer_parts import ModelIds, ModelTokens, Usage
from engine.events import Answered, Drafted, Event, Ranked, Reading, Sampled, Selected, Stage, Voted
from engine.values import (
    Agreement,
    Answer,
    Citation,
    Coverage,
    Passage,
    Query,
    TableRow,
    TableShown,
)
from ingest.item import Item, Kind, Locator, People, Person, Reason, Skipped
from tests.support.screen_text import assert_snapshot, text_of
from tests.support.toy_chat import asked, chat, config_over, turn, until

INBOX = Path("/home/ann/Mail/Inbox.mbox")
SIZES = [(80, 24), (140, 40)]
OPENED = (
    ("w", "evidence", "Ranked by recall"),
    ("v", "coverage", "encrypted: 1"),
    ("t", "table", "as computed"),
)
"""Key on an answer, what it opens, and words that are there when it is drawn."""
BODY = "Dear Ann,\n\nthe lease of the boathouse [b]ends[/b] on 31 December 2026.\n\nKim"


def mail(title: str, sender: Person, text: str) -> Item:
    when = datetime(2026, 11, 17, 10, 2, tzinfo=UTC)
    people = People((sender,), (Person("Ann Lee", "ann@x.example"),))
    return Item(Kind.MAIL, title, when, people, text, Locator(INBOX, message_id="<1@x.example>"))


KIM = Person("Kim Ode", "kim@x.example")
LEASE = mail("The lease", KIM, BODY)
DINA = Person("\u05d3\u05e0\u05d4", "dina@x.example")
RTL = mail("\u05e9\u05dc\u05d5\u05dd 日本 e\u0301 \u202eevil", DINA, "Rent is 395 euros.")


def passage(item: Item) -> Passage:
    return Passage(item, 0, len(item.text))


FOUND = [passage(LEASE), passage(RTL)]
BEGIN = BODY.index("the lease")
CITED = (
    Citation(1, FOUND[0], BEGIN, BODY.index("\n\nKim"), "model", support=True),
    Citation(2, FOUND[1], 0, len(RTL.text), "matched", support=True),
)
COVERAGE = Coverage(
    {Kind.MAIL: 3912, Kind.DOCUMENT: 4},
    files=57,
    bytes=38_200_000,
    skipped=(
        Skipped(Path("/home/ann/Mail/locked.zip"), Reason.ENCRYPTED, "Give its password."),
        Skipped(Path("/home/ann/scan.pdf"), Reason.SCANNED, "It holds pictures of pages."),
    ),
    complete=False,
)
TABLE = TableShown(
    "count mail by person",
    "",
    ("person", "count"),
    tuple(
        TableRow(name, f"{count}", float(count), (FOUND[0],))
        for name, count in (("Kim Ode", 12), ("Ann Lee", 7), ("Bo", 3))
    ),
    22,
    is_chart=True,
)
ANSWER = Answer(
    "When does the lease end?",
    "The lease ends on **31 December 2026** [1].\n\n- Rent: 395 euros [2]",
    "partial",
    CITED,
    COVERAGE,
    Agreement(4, 5),
    Usage(ModelTokens(900, 900, 80, 1), ModelTokens(1200, 700, 20, 2)),
    {"read": 1.2, "recall": 0.11, "total": 9.5},
    "fb_rag",
    ModelIds("small", "large"),
    confidence=0.93,
    certainty="sure",
    query=Query("When does the lease end?"),
    table=TABLE,
)
EVENTS: tuple[Event, ...] = (
    Stage("read", "started"),
    Reading(57, 57, 38, 38, 2),
    Stage("read", "done", 1.2),
    Stage("recall", "started"),
    Ranked("recall", FOUND, [12.5, 3.0]),
    Stage("recall", "done", 0.11),
    Sampled(0, "The mail says so.", "31 December"),
    Ranked("select", FOUND, [1.0, 0.2], {"backward": [12.5, 3.0], "forward": [0.9, 0.1]}),
    Drafted(0, FOUND, "It ends on 31 December 2026."),
    Voted(4, 5, [[1.0, 0.8], [0.8, 1.0]]),
    Selected("write", FOUND[:1], 2),
    Answered(ANSWER),
)


class ScriptedEngine:
    """Tells the same of every question."""

    def listen(self, tell: Tell) -> None:
        self._tell = tell

    def send(self, command: Command) -> None:
        if isinstance(command, Request):
            for event in EVENTS:
                self._tell(Happened(command.number, event))
            self._tell(Ended(command.number))
            self._tell(TextKept(38_200_000))

    def close(self) -> None:
        """Nothing is held."""


def scripted_app() -> AskanceApp:
    config = config_over(INBOX)
    return AskanceApp(config.having("reading.timezone", "UTC"), ScriptedEngine())


def beside(app: AskanceApp) -> str:
    """Return the title of the source beside the conversation; nothing where none is shown."""
    shown = chat(app).query("#source")
    return (
        str(shown.first().query_one("#source-title", Static).visual)
        if shown and shown.first().display
        else ""
    )


async def test_a_wide_window_shows_the_source_under_the_cursor_beside_the_answer() -> None:
    app = scripted_app()
    async with app.run_test(size=(140, 40)) as pilot:
        assert beside(app) == ""
        await asked(pilot, "When does the lease end?")
        assert beside(app).startswith('Mail "The lease"')
        await pilot.press("escape", "enter", "down")
        await until(pilot, lambda: "evil" in beside(app))
        assert "Rent is 395 euros." in text_of(app)
        await pilot.press("up")
        await until(pilot, lambda: beside(app).startswith('Mail "The lease"'))
        await pilot.press("ctrl+n")
        await until(pilot, lambda: beside(app) == "")
        assert chat(app).query_one(SourceView).citation is None


async def test_what_is_found_is_beside_a_question_before_its_answer() -> None:
    app = scripted_app()
    async with app.run_test(size=(140, 40)) as pilot:
        shown: list[str] = []
        screen = chat(app)
        real = screen.show_found

        async def watched(passage: Passage) -> None:
            await real(passage)
            shown.append(beside(app))

        screen.show_found = watched
        await asked(pilot, "When does the lease end?")
        assert shown
        assert shown[0].startswith('Mail "The lease"')


async def test_the_source_is_beside_the_answer_from_110_columns_on() -> None:
    app = scripted_app()
    async with app.run_test(size=(109, 30)) as pilot:
        await asked(pilot, "When does the lease end?")
        assert beside(app) == ""
        await pilot.resize_terminal(110, 30)
        await until(pilot, lambda: beside(app).startswith('Mail "The lease"'))
        await pilot.resize_terminal(109, 30)
        await until(pilot, lambda: beside(app) == "")


async def test_a_key_turns_a_narrow_window_to_the_source_and_back() -> None:
    app = scripted_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("alt+s")
        assert not chat(app).has_class("turned")
        await asked(pilot, "When does the lease end?")
        await pilot.press("escape", "enter", "alt+s")
        await until(pilot, lambda: beside(app).startswith('Mail "The lease"'))
        assert beside(app).endswith("(1 of 2)")
        assert "When does the lease end?" not in text_of(app)
        await pilot.press("n")
        await until(pilot, lambda: "evil" in beside(app))
        await pilot.press("n")
        await until(pilot, lambda: beside(app).startswith('Mail "The lease"'))
        await pilot.press("p")
        await until(pilot, lambda: "evil" in beside(app))
        await pilot.press("escape")
        await until(pilot, lambda: "When does the lease end?" in text_of(app))
        assert isinstance(app.focused, Citations)
        await pilot.press("alt+s", "alt+s")
        await until(pilot, lambda: not chat(app).has_class("turned"))
        await pilot.press("alt+s")
        await pilot.resize_terminal(140, 40)
        await until(pilot, lambda: not chat(app).has_class("turned"))
        assert isinstance(app.focused, SourceView)
        await pilot.press("alt+s")
        await until(pilot, lambda: isinstance(app.focused, Citations))


@pytest.mark.parametrize(("key", "letter"), [("alt+s", "s"), ("alt+n", "n")])
async def test_a_prompt_does_not_take_the_letter_of_a_key(key: str, letter: str) -> None:
    app = scripted_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, "When does the lease end?")
        app.post_message(events.Key(key, letter))  # as terminals send it
        await pilot.pause()
        assert chat(app).query_one(Prompt).text == ""


async def test_a_question_asked_turns_back() -> None:
    app = scripted_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(pilot, "When does the lease end?")
        await pilot.press("alt+s")
        assert chat(app).has_class("turned")
        await asked(pilot, "When does the lease end?")
        await until(pilot, lambda: not chat(app).has_class("turned"))


async def test_the_answer_in_focus_has_its_source_beside_it() -> None:
    app = scripted_app()
    async with app.run_test(size=(140, 40)) as pilot:
        await asked(pilot, "When does the lease end?")
        await pilot.press("escape", "enter", "down")
        await until(pilot, lambda: "evil" in beside(app))
        await asked(pilot, "And now?")
        assert beside(app).startswith('Mail "The lease"')
        await pilot.press("escape", "k")
        await until(pilot, lambda: "evil" in beside(app))


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_how_it_looks(size: tuple[int, int]) -> None:
    app = scripted_app()
    named = f"{size[0]}x{size[1]}"
    async with app.run_test(size=size) as pilot:
        await asked(pilot, "When does the lease end?")
        await until(pilot, lambda: "MB" in str(chat(app).query_one("#title").render()))
        assert_snapshot(f"chat-{named}", app)
        turn(app).focus()
        for key, name, sight in OPENED:
            await pilot.press(key)
            await until(pilot, lambda sight=sight: sight in text_of(app) and "Back" in text_of(app))
            assert_snapshot(f"{name}-{named}", app)
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is chat(app))
        await pilot.press("enter", "enter")
        await until(pilot, lambda: "From: Kim" in text_of(app) and "Back" in text_of(app))
        assert_snapshot(f"preview-{named}", app)
