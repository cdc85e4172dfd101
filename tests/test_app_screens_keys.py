"""Every action of the table runs by each of its keys, where it says it does."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual import actions, events
from textual.pilot import Pilot
from textual.screen import Screen

from app.backend.messages import Command, Ended, Happened, Request, Tell
from app.hints import hint
from app.keys import EVERYWHERE, FOCUSED, Action
from app.screens.answers.coverage import CoverageScreen
from app.screens.answers.preview import PreviewScreen
from app.screens.answers.table import TableScreen
from app.screens.app import AskanceApp
from app.screens.lists import doctor as screen_of_doctor
from app.screens.lists import first_run_offers
from app.screens.lists.help import HelpScreen
from app.screens.lists.sources import SourcesScreen
from app.settings.config import load_config
from app.widgets.conversation.turn import TurnView
from app.widgets.input.chips import ChipBar
from app.widgets.input.composer import Composer
from app.widgets.row_list import RowList
from engine.answer_parts import ModelIds, ModelTokens, Usage
from engine.events import Answered
from engine.values import Answer, Citation, Coverage, Passage, TableRow, TableShown
from ingest.item import Item, Kind, Locator, People, Reason, Skipped
from tests.support.keyed_app import KeyedApp
from tests.support.screen_text import settled, text_of, until
from tests.support.toy_chat import QUESTION, chat, config_over, turn

ANY_LIST = ("lists", "screens", EVERYWHERE)
"""Scopes that are heard on every screen with a list."""

NOTE = Item(Kind.DOCUMENT, "lease.txt", None, People(), "It ends.", Locator(Path("/lease.txt")))
ANSWER = Answer(
    "When?",
    "It ends [1].",
    "grounded",
    (Citation(1, Passage(NOTE, 0, 8), 0, 8, "model", support=True),),
    Coverage({Kind.DOCUMENT: 1}, files=1, bytes=8),
    None,
    Usage(ModelTokens(0, 0, 0, 0), ModelTokens(1, 1, 1, 1)),
    {"total": 0.1},
    "vanilla",
    ModelIds("small", "large"),
)


LOCKED = Skipped(Path("/locked.zip"), Reason.ENCRYPTED, "Enter its password.")
ROWS = tuple(TableRow(label, "1", 1.0, ()) for label in ("Ann", "Kim"))
ABOUT_ANSWERS: dict[str, Callable[[], Screen[Any]]] = {
    "preview": lambda: PreviewScreen(ANSWER.citations[0], None),
    "coverage": lambda: CoverageScreen(Coverage(unread=1, skipped=(LOCKED,), complete=False)),
    "table": lambda: TableScreen(TableShown("count", "", ("who", "count"), ROWS, 2), None),
}


class OneAnswer:
    """An engine that answers everything alike."""

    def listen(self, tell: Tell) -> None:
        self._tell = tell

    def send(self, command: Command) -> None:
        if isinstance(command, Request):
            self._tell(Happened(command.number, Answered(ANSWER)))
            self._tell(Ended(command.number))

    def close(self) -> None:
        """Nothing is held."""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[Any, ...]]]:
    """Names and arguments of the actions that keys have run; nothing comes of them."""
    found: list[tuple[str, tuple[Any, ...]]] = []

    async def note(app: AskanceApp, at: object, name: str, given: tuple[Any, ...]) -> bool:
        found.append((name, given))
        return True

    monkeypatch.setattr(AskanceApp, "_dispatch_action", note)
    return found


async def test_each_key_runs_its_action(home, monkeypatch, run) -> None:
    monkeypatch.setattr(screen_of_doctor, "examine", lambda: iter(()))
    monkeypatch.setattr(first_run_offers, "pair_offers", list)
    monkeypatch.setattr(TurnView, "offers", lambda self, what: True)
    for scope in dict.fromkeys(action.scope for action in new_app().actions):
        app = new_app()
        async with app.run_test(size=(80, 24)) as pilot:
            await go_to(pilot, app, scope)
            for action in app.actions:
                if action.scope == scope:
                    for key in action.keys.split(","):
                        run.clear()
                        await pilot.press(key)
                        assert run == [called(action)], f"{key} in {scope}: {action.id}"


def new_app() -> AskanceApp:
    return AskanceApp(load_config(os.environ), OneAnswer())


async def go_to(pilot: Pilot[None], app: AskanceApp, scope: str) -> None:
    """Show the screen of a scope, with the focus where its keys are heard."""
    if scope in ABOUT_ANSWERS:
        await app.push_screen(ABOUT_ANSWERS[scope]())
    elif scope in ("chat", *FOCUSED):
        await until(pilot, lambda: chat(app).query_one(Composer).is_ready)
        await chat(app).ask(Request(0, "When? kind:mail"))
        await until(pilot, lambda: not chat(app).busy)
        if scope == "answers":
            turn(app).focus()
        elif scope == "citations":
            turn(app).citations.focus()
        elif scope == "filters":
            chat(app).query_one(ChipBar).focus()
    else:  # a screen is opened by an action of its own name
        getattr(app, f"action_{'settings' if scope in ANY_LIST else scope}")()
    await settled(pilot)


def called(action: Action) -> tuple[str, tuple[Any, ...]]:
    _, name, given = actions.parse(action.run)
    return name, given


async def test_what_is_typed_at_once_is_asked_whole(home) -> None:
    app = AskanceApp(config_over(home), OneAnswer())
    async with app.run_test(size=(80, 24)) as pilot:
        for character in QUESTION:
            app.post_message(events.Key(character, character))
        app.post_message(events.Key("enter", "\r"))
        await until(pilot, lambda: chat(app).query(TurnView) and not chat(app).busy)
        assert turn(app).told.request.question == QUESTION


async def test_help_and_other_screens_open_from_what_shows_an_answer(home, monkeypatch) -> None:
    opened: list[Citation] = []
    monkeypatch.setattr("app.widgets.answer.source.open_source", opened.append)
    app = new_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(ABOUT_ANSWERS["preview"]())
        await pilot.press("f1")
        await settled(pilot)
        assert isinstance(app.screen, HelpScreen)
        assert app.screen.row_list.rows[0].text == "On a source that is shown"
        await pilot.press("down", "enter")
        await until(pilot, lambda: opened == [ANSWER.citations[0]])
        assert isinstance(app.screen, PreviewScreen)
        app.call_later(app.do, next(one for one in app.actions if one.id == "table_sort"))
        await until(
            pilot, lambda: any("an answer opens" in one.message for one in app._notifications)
        )
        await pilot.press("f3")
        await settled(pilot)
        assert isinstance(app.screen, SourcesScreen)
        assert len(app.screen_stack) == 3


async def test_the_keymap_changes_the_keys_of_what_shows_an_answer(home, monkeypatch) -> None:
    copied: list[str] = []
    monkeypatch.setenv("ASKANCE_SOURCES_PATHS", str(home))
    config = load_config(os.environ)
    keymap = {"preview_copy": "c", "back": "f10"}
    app = AskanceApp(config.having("keymap", keymap), OneAnswer())
    app.copy_to_clipboard = copied.append
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(ABOUT_ANSWERS["preview"]())
        await pilot.press("y")
        assert copied == []
        await pilot.press("c")
        assert len(copied) == 1
        await pilot.press("escape")
        assert isinstance(app.screen, PreviewScreen)
        await pilot.press("f10")
        await until(pilot, lambda: app.screen is chat(app))


async def test_hints_name_the_keys_of_the_keymap(monkeypatch) -> None:
    monkeypatch.setenv("ASKANCE_SOURCES_PATHS", "")
    config = load_config(os.environ).having("keymap", {"sources": "f10", "sources_add": "ctrl+y"})
    app = AskanceApp(config, OneAnswer())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "Press f10 to choose what is read" in text_of(app))
        await pilot.press("f10")
        await until(pilot, lambda: "Press ctrl+y to add a folder" in text_of(app))


def test_braces_that_name_no_action_stay() -> None:
    assert hint("{quit} leaves {one} folder.", KeyedApp()) == "ctrl+q leaves {one} folder."


async def test_the_palette_works_on_what_shows_an_answer(home) -> None:
    app = new_app()
    copied: list[str] = []
    app.copy_to_clipboard = copied.append
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(ABOUT_ANSWERS["preview"]())
        await pilot.press("ctrl+p", *"copy the citation")
        await until(pilot, lambda: "Copy the citation" in text_of(app))
        await settled(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: len(copied) == 1)
        assert isinstance(app.screen, PreviewScreen)
        await app.push_screen(ABOUT_ANSWERS["coverage"]())
        rows = app.screen.query_one(RowList)
        await until(pilot, lambda: len(rows.rows) > 1)
        app.call_later(app.do, next(one for one in app.actions if one.id == "list_bottom"))
        await until(pilot, lambda: rows.cursor == len(rows.rows) - 1)
