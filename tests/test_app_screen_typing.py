"""Keys that come together act in their order: quick hands, a slow line, a terminal multiplexer."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from app.screens.app import AskanceApp
from app.screens.dialogs.entry import EntryScreen
from app.widgets.input.prompt import Prompt
from tests.support.toy_chat import chat, config_over, running
from tests.support.toy_talk import Parrot

TYPED = [*"boat wek", "backspace", "backspace", *"eek", "left", "left", "left", "left", "!"]
SHOWN = "boat !week"


async def burst(pilot: Pilot[None], keys: list[str]) -> None:
    """Press keys without waiting between them."""
    for key in keys:
        character = {" ": " ", "!": "!"}.get(key, key if len(key) == 1 else None)
        name = {" ": "space", "!": "exclamation_mark"}.get(key, key)
        pilot.app.post_message(events.Key(name, character))
    await pilot.pause()
    await pilot.pause()


@pytest.fixture
def app(tmp_path: Path) -> AskanceApp:
    return AskanceApp(config_over(tmp_path), Parrot())


async def test_in_the_prompt(app: AskanceApp) -> None:
    async with running(app, (80, 24)) as pilot:
        await burst(pilot, TYPED)
        assert chat(app).query_one(Prompt).text == SHOWN
        await burst(pilot, ["ctrl+j", "x"])
        assert chat(app).query_one(Prompt).text == "boat !\nxweek"


async def test_on_a_line(app: AskanceApp) -> None:
    taken: list[str | None] = []
    async with running(app, (80, 24)) as pilot:
        app.push_screen(EntryScreen("Where?", "", lambda _: ""), taken.append)
        await pilot.pause()
        await burst(pilot, TYPED)
        assert app.screen.query_one(Input).value == SHOWN
        await burst(pilot, ["end", "enter"])
        assert taken == [SHOWN]
