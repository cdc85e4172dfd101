"""How what opens above the chat looks at two sizes: previews, agenda, tables, questions asked."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from app.backend.messages import Request
from app.screens.answers.agenda import AgendaScreen
from app.screens.answers.comparison import CompareScreen, VariantScreen
from app.screens.answers.coverage import CoverageScreen
from app.screens.answers.preview import PreviewScreen
from app.screens.answers.table import TableScreen
from app.screens.app import AskanceApp
from app.screens.dialogs.choice import ChooseScreen
from app.screens.dialogs.confirmation import ConfirmScreen
from app.screens.dialogs.entry import EntryScreen
from app.screens.dialogs.folder import FinderScreen
from app.screens.dialogs.password import PasswordScreen
from app.settings.config import load_config
from app.widgets.conversation.turn import Told
from engine.answer_parts import ModelIds, ModelTokens, Usage
from engine.settings import Effort
from engine.strategies import registry
from engine.values import Agreement, Answer, Citation, Coverage, Passage, TableRow, TableShown
from ingest.item import Item, Kind, Locator, People, Person
from tests.support.screen_text import NoEngine, assert_snapshot, settled, text_of, until

FILES = Path("/home/ann/files")
SIZES = ((80, 24), (140, 40))
KIM = Person("Kim Ode", "kim@x.example")
ANN = Person("Ann Lee", "ann@x.example")
AT = datetime(2026, 11, 17, 10, 0, tzinfo=UTC)
QUESTION = "When does the lease end?"


def event(title: str, days: int, hours: float | None) -> Item:
    """Return an event; without hours, of the whole day."""
    begins = AT + timedelta(days=days)
    locator = Locator(FILES / "work.ics", uid=title, occurrence=f"{begins:%Y-%m-%d}")
    if hours is None:
        return Item(Kind.EVENT, title, begins, People(), title, locator)
    timed = Locator(FILES / "work.ics", uid=title, occurrence=begins.isoformat())
    people = People((KIM,), attendees=(ANN, Person("", "bo@x.example")))
    text = f"Summary: {title}\nWhere: Quay House, room 2\nDescription: Bring the signed form."
    return Item(
        Kind.EVENT, title, begins, people, text, timed, until=begins + timedelta(hours=hours)
    )


EVENTS = (
    event("Open day at the boathouse", 0, None),
    event("Meeting about the lease", 0, 1),
    event("日本 choir, with a title that is longer than a line of the smaller of both sizes", 1, 2),
    event("Night watch", 1, 20),
)
PAGES = ("Supply agreement\n\n1. The sampler is delivered.\n", "2. Late delivery costs 340 euros.")
PDF = Item(
    Kind.DOCUMENT,
    "supply-agreement.pdf",
    AT,
    People(),
    "".join(PAGES),
    Locator(FILES / "supply-agreement.pdf"),
    pages=(0, len(PAGES[0])),
)
ROWS = tuple(f"Boat: Skerry {number} | Days: {number * 3}\n" for number in range(1, 5))
SHEET = Item(
    Kind.DOCUMENT,
    "boats.xlsx",
    None,
    People(),
    "".join(ROWS),
    Locator(FILES / "boats.xlsx", sheet="Hire"),
    records=tuple(len("".join(ROWS[:number])) for number in range(4)),
    hidden_removed=3,
)


def cited(item: Item, quote: str) -> Citation:
    begin = item.text.index(quote)
    passage = Passage(item, item.text.rfind("\n", 0, begin) + 1, len(item.text))
    return Citation(1, passage, begin, begin + len(quote), "model", support=True)


def weeks(count: int) -> TableShown:
    rows = tuple(
        TableRow(f"2026-W{number:02}", f"{value}", float(value), (Passage(PDF, 0, 16),) * value)
        for number, value in ((number, 1 + number * 7 % 11) for number in range(1, count + 1))
    )
    return TableShown(
        "count mail from Kim Ode by week", "", ("week", "count"), rows, count, is_chart=True
    )


def asked(effort: Effort) -> Request:
    return Request(1, QUESTION, strategy="fb_rag", effort=effort)


def told(effort: Effort) -> Told:
    citation = cited(EVENTS[1], "Quay House, room 2")
    text = f"The lease ends on 31 December 2026 [1].\n\nThis is what {effort} says."
    answer = Answer(
        QUESTION,
        text,
        "grounded",
        (citation,),
        Coverage({Kind.EVENT: 4}, files=1, bytes=2_100),
        Agreement(5, 5),
        Usage(ModelTokens(900, 900, 80, 1), ModelTokens(1200, 700, 20, 2)),
        {"read": 0.2, "total": 3.1},
        "fb_rag",
        ModelIds("small", "large"),
    )
    made = Told(asked(effort))
    made.answer = answer
    return made


def nothing_wrong(typed: str) -> str:
    return "" if typed else "Write a path, such as ~/Mail."


OPENED: dict[str, tuple[Callable[[], Screen], str, tuple[str, ...]]] = {
    "preview-event": (
        lambda: PreviewScreen(cited(EVENTS[1], "Quay House, room 2"), UTC),
        "With: Ann Lee",
        (),
    ),
    "preview-pdf": (lambda: PreviewScreen(cited(PDF, "340 euros"), UTC), "page 2 ─", ()),
    "preview-rows": (lambda: PreviewScreen(cited(SHEET, "Skerry 3"), UTC), "sheet Hire", ()),
    "agenda": (lambda: AgendaScreen([Passage(one, 0, 5) for one in EVENTS], UTC), "all day", ()),
    "table-weeks": (lambda: TableScreen(weeks(30), UTC), "┤", ("s", "s", "S")),
    "table-sources": (lambda: TableScreen(weeks(3), UTC), "Supply agreement", ("down", "enter")),
    "table-empty": (lambda: TableScreen(weeks(0), UTC), "Back", ()),
    "coverage-whole": (lambda: CoverageScreen(Coverage({Kind.MAIL: 3}, 1, 900)), "Nothing", ()),
    "compare": (lambda: CompareScreen(told("quick"), told("thorough"), UTC), "says", ()),
    "variant": (lambda: VariantScreen(asked("quick")), "strategy", ()),
    "password": (lambda: PasswordScreen("Password of encrypted files:"), "•••", tuple("abc")),
    "confirm": (lambda: ConfirmScreen("Forget ~/Mail? Its files stay.", "Forget"), "No (n)", ()),
    "choose": (lambda: ChooseScreen("Theme:", ["dark", "light"], "light"), "> light", ()),
    "entry": (lambda: EntryScreen("Path:", "", nothing_wrong), "such as", ("enter",)),
    "finder": (lambda: FinderScreen(Path.home() / "files"), "1 of 3 folders", tuple("boat")),
}
"""By the name of the snapshot: the screen, words that it shows when drawn, keys before that."""


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_how_what_is_opened_looks(home: Path, monkeypatch, size: tuple[int, int]) -> None:
    monkeypatch.setattr(registry, "names", lambda: ["auto", "fb_rag", "vanilla"])
    for name in ("boats", "mail/saved"):
        (home / "files" / name).mkdir(parents=True)
    app = AskanceApp(load_config(os.environ), NoEngine())
    async with app.run_test(size=size) as pilot:
        for name, (make, words, keys) in OPENED.items():
            app.push_screen(make())
            await pilot.pause()
            await pilot.press(*keys)
            await until_seen(pilot, words)
            assert_snapshot(f"{name}-{size[0]}x{size[1]}", app)
            app.pop_screen()
            await pilot.pause()


async def until_seen(pilot: Pilot[None], words: str) -> None:
    await until(pilot, lambda: words in text_of(pilot.app))
    await settled(pilot)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_how_the_chat_begins_and_the_palette_looks(home: Path, size: tuple[int, int]) -> None:
    app = AskanceApp(load_config(os.environ), NoEngine())
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert_snapshot(f"chat-empty-{size[0]}x{size[1]}", app)
        await pilot.press("ctrl+p")
        await pilot.press(*"add a source by its path")
        await until_seen(pilot, "Sources: Add")
        assert_snapshot(f"palette-{size[0]}x{size[1]}", app)
