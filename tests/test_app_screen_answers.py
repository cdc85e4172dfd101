"""What opens from an answer by key, over answers that are told as they are wanted here."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from textual.widgets import Input

from app.backend.messages import Command, Ended, Happened, Request
from app.screens.answers.agenda import AgendaScreen
from app.screens.answers.coverage import CoverageScreen
from app.screens.answers.preview import PreviewScreen
from app.screens.app import AskanceApp
from app.widgets.row_list import RowList
from engine.events import Answered
from engine.values import Citation, Coverage, Passage
from ingest.item import Item, Kind, Locator, People, Reason, Skipped
from tests.support.screen_text import text_of
from tests.support.toy_chat import asked, chat, config_over, running, turn, until
from tests.support.toy_talk import Parrot, answer_to

NAMES = ("alder.pdf", "birch.pdf", "alder copy.pdf")
SKIPPED = tuple(Skipped(Path(f"/papers/{name}"), Reason.SCANNED, "Read it.") for name in NAMES)
CALL = Item(
    Kind.EVENT,
    "Call with the harbour",
    datetime(2026, 11, 17, 10, tzinfo=UTC),
    People(),
    "Summary: Call with the harbour\nWhere: Quay House",
    Locator(Path("/cal.ics"), uid="call", occurrence="2026-11-17T10:00:00+00:00"),
)


class Teller(Parrot):
    """An engine whose every answer is the same."""

    def __init__(self, **changed: object) -> None:
        self._answer = replace(answer_to("When?"), **changed)  # type: ignore[arg-type]

    def send(self, command: Command) -> None:
        if isinstance(command, Request):
            self.asked.append(command)
            self._tell(Happened(command.number, Answered(self._answer)))
            self._tell(Ended(command.number))


def app_telling(engine: Teller) -> AskanceApp:
    return AskanceApp(config_over(Path("/note.txt")), engine)


def row(app: AskanceApp) -> str:
    found = app.screen.query_one(RowList).row
    return found.text if found else ""


async def test_the_ledger_reads_the_rest() -> None:
    unread = Coverage({Kind.DOCUMENT: 1}, files=1, bytes=30, unread=2, complete=False)
    engine = Teller(coverage=unread)
    app = app_telling(engine)
    async with running(app) as pilot:
        await asked(pilot, "When?")
        turn(app).focus()
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, CoverageScreen))
        assert "Not read for lack of time: 2; b reads the rest" in text_of(app)
        await pilot.press("b")
        await until(pilot, lambda: len(engine.asked) == 2 and not chat(app).busy)
        assert [request.whole for request in engine.asked] == [False, True]
        assert app.screen is chat(app)


async def test_the_ledger_reads_no_rest_for_which_there_is_no_memory() -> None:
    full = Coverage({Kind.DOCUMENT: 1}, files=1, unread=2, complete=False, is_full=True)
    engine = Teller(coverage=full)
    app = app_telling(engine)
    async with running(app) as pilot:
        await asked(pilot, "When?")
        turn(app).focus()
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, CoverageScreen))
        await pilot.press("b")
        await pilot.pause()
        assert isinstance(app.screen, CoverageScreen)
        assert "[reading] memory sets more" in text_of(app)
        assert len(engine.asked) == 1


async def test_a_key_looks_further_for_a_missing_answer() -> None:
    engine = Teller(strategy="auto: read", grounded="none", certainty="none")
    app = app_telling(engine)
    async with running(app) as pilot:
        await asked(pilot, "When?")
        assert "f looks further: it asks again at thorough effort." in text_of(app)
        turn(app).focus()
        await pilot.press("f")
        await until(pilot, lambda: len(engine.asked) == 2 and not chat(app).busy)
        assert [request.effort for request in engine.asked] == [None, "thorough"]
        assert not turn(app).offers("further")


async def test_no_key_looks_further_for_an_answer_that_is_there() -> None:
    engine = Teller(strategy="auto: read")
    app = app_telling(engine)
    async with running(app) as pilot:
        await asked(pilot, "When?")
        assert "looks further" not in text_of(app)
        turn(app).focus()
        await pilot.press("f")
        await pilot.pause()
        assert len(engine.asked) == 1


async def test_words_are_found_in_a_list_and_found_again() -> None:
    app = app_telling(Teller(coverage=Coverage({Kind.DOCUMENT: 1}, skipped=SKIPPED)))
    async with running(app) as pilot:
        await asked(pilot, "When?")
        turn(app).focus()
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, CoverageScreen))
        await pilot.press("slash", *"ALDER")
        await until(pilot, lambda: "alder.pdf" in row(app))
        assert app.screen.query_one(Input).has_focus
        await pilot.press("enter", "n")
        await until(pilot, lambda: "alder copy.pdf" in row(app))
        await pilot.press("n")
        await until(pilot, lambda: "alder.pdf" in row(app))
        await pilot.press("slash", *"birch", "escape")
        await until(pilot, lambda: "birch.pdf" in row(app))
        assert isinstance(app.screen, CoverageScreen)
        assert app.screen.query_one(RowList).has_focus


async def test_an_answer_opens_its_days_and_a_day_its_event() -> None:
    whole = Passage(CALL, 0, len(CALL.text))
    cited = Citation(1, whole, 0, len(CALL.text), "model", support=True)
    app = app_telling(Teller(citations=(cited,)))
    async with running(app) as pilot:
        await asked(pilot, "When?")
        turn(app).focus()
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, AgendaScreen))
        await until(pilot, lambda: "Tuesday 2026-11-17" in text_of(app))
        assert "Call with the harbour" in text_of(app)
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, PreviewScreen))
        await until(pilot, lambda: "Where: Quay House" in text_of(app))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: app.screen is chat(app))
