"""The screen of sources: every action by its key, and how it looks."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widgets import Input

from app.screens.app import AskanceApp
from app.screens.dialogs.folder import FinderScreen
from app.screens.lists.sources import SourcesScreen
from app.settings.config import load_config
from app.widgets.row_list import ListRow, RowList
from engine.values import Coverage
from ingest.item import Kind, Reason, Skipped
from tests.support.screen_text import NoEngine, assert_snapshot, settled, text_of

SIZES = ((80, 24), (140, 40))


@pytest.fixture
def mail(home: Path) -> Path:
    for name in ("Mail", "Notes/boats", "Archive"):
        (home / name).mkdir(parents=True)
    (home / "Mail" / "Inbox").write_text("")
    return home


def app_over(*sources: Path) -> AskanceApp:
    folder = Path(os.environ["XDG_CONFIG_HOME"]) / "askance"
    folder.mkdir(exist_ok=True)
    named = "".join(f'"{source}", ' for source in sources)
    (folder / "config.toml").write_text(f"[sources]\npaths = [{named}]\n" if sources else "")
    return AskanceApp(load_config(os.environ), NoEngine())


async def opened(pilot: Pilot[None]) -> SourcesScreen:
    await pilot.press("f3")
    await settled(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, SourcesScreen)
    return screen


async def typed(pilot: Pilot[None], text: str) -> None:
    pilot.app.screen.query_one(Input).value = text
    await pilot.press("enter")
    await settled(pilot)


def reading(home: Path) -> Coverage:
    skipped = Skipped(home / "Mail" / "x.pdf", Reason.ENCRYPTED, "Unlock it.")
    where = {home / "Mail" / "Inbox": 4212, home / "Notes" / "boats": 7, home / "Notes": 2}
    return Coverage(read={Kind.MAIL: 4221}, files=10, skipped=(skipped,), where=where)


async def test_without_a_source_it_says_what_to_do_and_adding_reads_nothing(mail):
    app = app_over()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        assert "Press a to add a folder" in text_of(app)
        await pilot.press("a")
        await typed(pilot, str(mail / "nothing"))
        assert "does not exist" in text_of(app)
        (mail / "Mail" / "Inbox").chmod(0)
        await pilot.press("a")
        await typed(pilot, "~/Mail")
        assert app.current.config.sources == (mail / "Mail",)
        assert load_config(os.environ).sources == (mail / "Mail",)
        assert "is read when you ask" in text_of(app)
        assert [row.key for row in screen.row_list.rows] == [str(mail / "Mail")]


async def test_a_source_is_left_out_for_now_or_from_now_on(mail):
    app = app_over(mail / "Mail", mail / "Notes")
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("space")
        await settled(pilot)
        assert app.current.config.sources == (mail / "Notes",)
        assert load_config(os.environ).sources == (mail / "Mail", mail / "Notes")
        assert "Left out for now" in text_of(app)
        await pilot.press("space", "j", "x")
        await settled(pilot)
        assert app.current.config.sources == (mail / "Mail",)
        assert load_config(os.environ).sources == (mail / "Mail",)
        assert load_config(os.environ).remembered == (mail / "Mail", mail / "Notes")
        await pilot.press("x")
        await settled(pilot)
        assert load_config(os.environ).sources == (mail / "Mail", mail / "Notes")


async def test_forgetting_asks_and_can_be_undone(mail):
    app = app_over(mail / "Mail", mail / "Notes")
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("d", "enter")
        await settled(pilot)
        assert len(load_config(os.environ).sources) == 2
        await pilot.press("d", "y")
        await settled(pilot)
        assert load_config(os.environ).sources == (mail / "Notes",)
        await pilot.press("u")
        await settled(pilot)
        assert set(load_config(os.environ).sources) == {mail / "Mail", mail / "Notes"}
        await pilot.press("u")
        assert "Nothing was forgotten" in text_of(app)


async def test_a_folder_is_found_by_some_letters(mail):
    app = app_over()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("f")
        await settled(pilot)
        assert isinstance(app.screen, FinderScreen)
        await pilot.press(*"nobo")
        await settled(pilot)
        assert [row.text for row in app.screen.query_one(RowList).rows] == ["Notes/boats"]
        await pilot.press("enter")
        await settled(pilot)
        assert load_config(os.environ).sources == (mail / "Notes" / "boats",)


async def test_the_last_reading_is_a_tree_and_changes_are_counted(mail):
    app = app_over(mail / "Mail", mail / "Notes", mail / "Gone")
    async with app.run_test(size=(80, 24)) as pilot:
        app.seen.note(reading(mail))
        app.seen.note_change(mail / "Mail" / "Inbox")
        screen = await opened(pilot)
        await pilot.press("enter")
        await settled(pilot)
        rows = [" ".join(row.text.split()) for row in screen.row_list.rows]
        assert rows == [
            "in 4,212 - ~/Mail 1 changed since, 1 skipped",
            "4,212 Inbox 1 changed since",
            "x.pdf 1 skipped",
            "in 9 + ~/Notes",
            "in 0 ~/Gone missing",
        ]
        assert "skipped x.pdf" in text_of(app)
        await pilot.press("G")
        await settled(pilot)
        assert "missing: Attach its disk, or forget it (d)." in text_of(app)
        await pilot.press("slash", *"notes", "enter")
        assert screen.row_list.row.key == str(mail / "Notes")
        await pilot.press("escape")
        await pilot.pause()
        assert not isinstance(app.screen, SourcesScreen)


async def test_a_variable_that_names_the_sources_is_told(mail, monkeypatch):
    monkeypatch.setenv("ASKANCE_SOURCES_PATHS", str(mail / "Mail"))
    app = app_over()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("d", "y")
        await settled(pilot)
        assert "ASKANCE_SOURCES_PATHS names the sources" in text_of(app)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_how_it_looks(mail, size):
    app = app_over(mail / "Mail", mail / "Notes", mail / "Gone")
    async with app.run_test(size=size) as pilot:
        app.seen.note(reading(mail))
        app.seen.note_change(mail / "Mail" / "Inbox")
        await opened(pilot)
        await pilot.press("enter")
        await settled(pilot)
        assert_snapshot(f"sources-{size[0]}x{size[1]}", app, HOME=re.escape(str(mail)))


async def test_a_small_terminal_still_shows_list_and_keys(mail):
    app = app_over(mail / "Mail")
    async with app.run_test(size=(40, 10)) as pilot:
        await opened(pilot)
        assert "~/Mail" in text_of(app)
        await pilot.press("d")
        await pilot.pause()
        assert "Forget (y)" in text_of(app)


class CountingList(RowList):
    """Counts the lines it draws."""

    drawn = 0

    def render_line(self, y: int) -> Strip:
        self.drawn += 1
        return super().render_line(y)


class OneList(App[None]):
    def compose(self) -> ComposeResult:
        yield CountingList()


async def test_of_50_000_rows_only_those_in_sight_are_drawn():
    app = OneList()
    async with app.run_test(size=(80, 24)) as pilot:
        rows = app.query_one(CountingList)
        rows.show([ListRow(str(number), f"row {number}\x1b[31m\n") for number in range(50_000)])
        rows.focus()
        await pilot.pause()
        rows.drawn = 0
        await pilot.press("G")
        assert "> row 49999�[31m" in text_of(app)
        await pilot.press("k", "pageup", "g", "j")
        await pilot.pause()
        assert rows.cursor == 1
        assert rows.drawn <= 10 * 24
        rows.show(rows.rows[1:])
        assert rows.cursor == 0
