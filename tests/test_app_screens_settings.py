"""Settings, help, palette, keys and themes: each action by its key, and how they look."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.widgets import Input

from app.cli import COMMANDS
from app.errors import SettingWrong
from app.keys import ACTIONS, Action, checked_keymap
from app.screens.app import AskanceApp
from app.screens.chat.screen import ChatScreen
from app.screens.lists import settings as screen_of_settings
from app.screens.lists.help import HelpScreen
from app.screens.lists.models import ModelsScreen
from app.screens.lists.settings import SettingsScreen
from app.screens.lists.sources import SourcesScreen
from app.settings.config import config_path, load_config
from app.settings.schema import SETTINGS
from tests.support.screen_text import NoEngine, assert_snapshot, settled, text_of, until

SIZES = ((80, 24), (140, 40))


EVERY_COMMAND = tuple((row.name, row.summary) for row in COMMANDS)


def app_here(text: str = "", commands: Sequence[tuple[str, str]] = EVERY_COMMAND) -> AskanceApp:
    path = config_path(os.environ)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return AskanceApp(load_config(os.environ), NoEngine(), commands=commands)


async def opened(pilot: Pilot[None], name: str) -> SettingsScreen:
    await pilot.press("f2")
    await settled(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, SettingsScreen)
    screen.row_list.find(name, 0)
    await pilot.pause()
    return screen


async def test_settings_are_checked_and_written_to_the_file(home):
    app = app_here()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, "seed")
        assert "The same seed gives the same answer." in text_of(app)
        assert "Comes from: default" in text_of(app)
        await pilot.press("enter")
        await pilot.pause()
        app.screen.query_one(Input).value = "many"
        await pilot.press("enter")
        await pilot.pause()
        assert "answer.seed must be a whole number" in text_of(app)
        app.screen.query_one(Input).value = "7"
        await pilot.press("enter")
        await settled(pilot)
        assert load_config(os.environ).values.answer.seed == 7
        assert app.current.config.values.answer.seed == 7
        assert "Comes from: file" in text_of(app)
        await pilot.press("d")
        await settled(pilot)
        assert load_config(os.environ).values.answer.seed == 0


async def test_a_setting_of_few_values_is_chosen(home):
    app = app_here()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, "theme")
        await pilot.press("enter", "down", "enter")
        await settled(pilot)
        assert load_config(os.environ).values.interface.theme == "light"
        assert app.theme == "light"


async def test_what_does_not_go_together_is_not_written(home):
    app = app_here()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, "runtime")
        await pilot.press("enter", "end", "enter")
        await settled(pilot)
        assert "no server is set" in " ".join(text_of(app).split())
        assert config_path(os.environ).read_text() == ""


async def test_what_a_variable_sets_is_not_changed_here(home, monkeypatch):
    monkeypatch.setenv("ASKANCE_ANSWER_SEED", "3")
    app = app_here()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, "seed")
        assert "Comes from: ASKANCE_ANSWER_SEED" in text_of(app)
        await pilot.press("enter")
        await pilot.pause()
        assert "ASKANCE_ANSWER_SEED is set, and beats the file" in text_of(app)


async def test_help_finds_and_does_an_action(home):
    app = app_here()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f1")
        await settled(pilot)
        assert isinstance(app.screen, HelpScreen)
        assert "askance models" in "\n".join(row.text for row in app.screen.row_list.rows)
        await pilot.press("slash", *"choose what is read", "enter")
        await pilot.pause()
        assert "sources = " in text_of(app)
        await pilot.press("enter")
        await settled(pilot)
        assert isinstance(app.screen, SourcesScreen)
        await pilot.press("question_mark")
        await settled(pilot)
        assert app.screen.row_list.rows[0].text == "Sources"
        await pilot.press("f1")
        await settled(pilot)
        assert isinstance(app.screen, SourcesScreen)


async def test_a_question_mark_can_be_typed(home):
    app = app_here()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("w", "question_mark")
        await pilot.pause()
        assert isinstance(app.screen, ChatScreen)
        assert "w?" in text_of(app)


async def test_the_palette_offers_every_action_and_does_it_on_its_screen(home):
    app = app_here()
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette))
        assert app.scope == "chat"
        await pilot.press(*"add a source by its path")
        await until(pilot, lambda: "Sources: Add" in text_of(app))
        await settled(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "Path of a folder" in text_of(app))


async def test_keys_go_from_screen_to_screen_and_back(home):
    app = app_here()
    async with app.run_test(size=(80, 24)) as pilot:
        for key, kind in (("f3", SourcesScreen), ("f4", ModelsScreen), ("f2", SettingsScreen)):
            await pilot.press(key)
            await settled(pilot)
            assert isinstance(app.screen, kind)
            assert len(app.screen_stack) == 3
        await pilot.press("f2")
        await settled(pilot)
        assert isinstance(app.screen, ChatScreen)


async def test_the_keymap_gives_actions_other_keys(home):
    app = app_here('[keymap]\nsources = "f10, f12"\nlist_down = "?"\nhelp = "f1"\n')
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f3")
        await settled(pilot)
        assert isinstance(app.screen, ChatScreen)
        await pilot.press("f12")
        await settled(pilot)
        assert isinstance(app.screen, SourcesScreen)


@pytest.mark.parametrize(
    ("keymap", "said"),
    [
        ({"quti": "ctrl+x"}, 'nearest is "quit"'),
        ({"quit": "ctrl+nothing"}, '"ctrl\\+nothing" is no key'),
        ({"quit": " , "}, "has no key"),
        ({"sources": "f4"}, 'key "f4" would be both models and sources'),
        ({"sources_add": "f"}, 'key "f" would be both sources_find and sources_add'),
        ({"models_pull": "?"}, 'key "\\?" would be both help and models_pull'),
    ],
)
def test_what_is_wrong_with_a_keymap_is_said(keymap, said):
    with pytest.raises(SettingWrong, match=said):
        checked_keymap(keymap, ACTIONS)


def test_no_two_actions_of_a_screen_share_a_key(home):
    assert checked_keymap({}, app_here().actions) == {}
    ids = [action.id for action in app_here().actions]
    assert len(ids) == len(set(ids))


def test_one_key_may_be_in_two_screens():
    actions = [
        Action("one", "sources", "a", "x", "One", "One"),
        Action("two", "models", "b", "x", "Two", "Two"),
    ]
    assert checked_keymap({"two": "a"}, actions) == {"two": "a"}


async def test_no_colour_is_drawn_where_none_is_wanted(home, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    app = app_here('[interface]\ntheme = "light"\n')
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f2")
        await settled(pilot)
        colours = {
            colour.name
            for line in app.screen._compositor.render_strips()
            for segment in line.apply_filter(
                app.get_line_filters()[-1], app.screen.background_colors[1]
            )
            if segment.style
            for colour in (segment.style.color, segment.style.bgcolor)
            if colour is not None
        }
        assert colours <= {"default"}
        assert "> " in text_of(app)
        await pilot.press("f6")
        assert app.theme == "no-colour"


async def test_a_key_goes_through_the_themes(home):
    app = app_here()
    async with app.run_test(size=(80, 24)) as pilot:
        seen = []
        for _ in range(4):
            seen.append(app.theme)
            await pilot.press("f6")
        assert seen == ["dark", "light", "high-contrast", "no-colour"]
        assert app.theme == "dark"


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_how_settings_and_help_look(home: Path, monkeypatch, size):
    shown = ("sources.paths", "models.runtime", "answer.effort", "answer.seed", "keymap")
    kept = tuple(setting for setting in SETTINGS if setting.name in shown)
    monkeypatch.setattr(screen_of_settings, "SETTINGS", kept)
    monkeypatch.setattr(AskanceApp, "actions", property(lambda app: list(ACTIONS)))
    app = app_here('[answer]\nseed = 7\n[keymap]\nsources = "f12"\n', EVERY_COMMAND[:3])
    hidden = {"HOME": re.escape(str(home))}
    async with app.run_test(size=size) as pilot:
        await opened(pilot, "seed")
        assert_snapshot(f"settings-{size[0]}x{size[1]}", app, **hidden)
        await pilot.press("f1")
        await settled(pilot)
        assert_snapshot(f"help-{size[0]}x{size[1]}", app)
