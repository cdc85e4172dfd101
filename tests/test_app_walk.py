"""The walk of `toy_walk` with scripted models."""

from __future__ import annotations

import os
from pathlib import Path

from textual.pilot import Pilot

from app.screens.askance import AskanceApp
from app.settings.config import config_path, load_config
from tests.screen_text import text_of
from tests.toy_chat import POOL, engine_of, running, until
from tests.toy_walk import LEAVE, SETTINGS, WALK, Step, is_seen, prepare

REPLY = "The lease of Boathouse 3 ends on 31 December 2026 [1]."


async def test_the_walk(home: Path, fake_models, monkeypatch) -> None:
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)
    prepare(home)
    config = load_config(os.environ)
    app = AskanceApp(config, engine_of(fake_models(generator=[REPLY])), first_run=True)
    try:
        async with running(app, (100, 32), toasts=True) as pilot:
            for step in WALK:
                await taken(pilot, step)
            await pilot.press(LEAVE)
    finally:
        POOL.end()
    written = (home / "walk.md").read_text()
    assert "31 December 2026" in written
    assert (home / "walk.md").stat().st_mode & 0o777 == 0o600
    assert "boats/calendars" in config_path(os.environ).read_text()


async def taken(pilot: Pilot[None], step: Step) -> None:
    for key in step.does:
        if key.startswith(" "):
            await pilot.press(*key[1:])
        else:
            await pilot.press(key)
        await pilot.pause()
    await until(pilot, lambda: is_seen(step, text_of(pilot.app)))
