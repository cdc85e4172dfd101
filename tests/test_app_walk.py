"""The walk of `toy_walk`: with scripted models, and the program itself in a terminal."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from textual.pilot import Pilot

from app.screens.app import AskanceApp
from app.settings.config import config_path, load_config
from models.store.catalogue import load_catalogue
from models.store.store import Store
from tests.support.screen_text import text_of
from tests.support.toy_chat import POOL, engine_of, running, until
from tests.support.toy_walk import LEAVE, SETTINGS, WALK, Step, exported, is_seen, prepare
from tests.support.walk_in_tmux import terminal, walked

MODEL = "smollm2-135m-instruct-q4_1"
PATIENCE = 900.0
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
    written = exported(home)
    assert "31 December 2026" in written.read_text()
    assert written.stat().st_mode & 0o777 == 0o600
    assert "boats/calendars" in config_path(os.environ).read_text()


async def taken(pilot: Pilot[None], step: Step) -> None:
    for key in step.does:
        if key.startswith(" "):
            await pilot.press(*key[1:])
        else:
            await pilot.press(key)
        await pilot.pause()
    await until(pilot, lambda: is_seen(step, text_of(pilot.app)))


@pytest.mark.slow
def test_the_walk_in_a_terminal_with_a_real_model(home: Path) -> None:
    lacking = missing()
    if lacking and os.environ.get("CI") == "true":
        pytest.fail(lacking)
    elif lacking:
        pytest.skip(lacking)
    prepare(home)
    before = files_in(home)
    models = {"ASKANCE_MODELS_LOOKAHEAD": MODEL, "ASKANCE_MODELS_GENERATOR": MODEL}
    store = {"ASKANCE_MODELS_DIR": os.environ["ASKANCE_MODELS_DIR"]}
    quickest = {"ASKANCE_ANSWER_STRATEGY": "auto"}  # of one question it writes only the answer
    with terminal(home, (80, 24), SETTINGS | quickest | models | store) as shown:
        steps = [step.name for step, _ in walked(shown, PATIENCE)]
    assert steps[-1] == "Forget"
    written = exported(home)
    assert "2026-12-03 14:00" in written.read_text()
    assert files_in(home) - before == {written.name, ".config/askance/config.toml"}


def missing() -> str:
    """Return what this machine lacks for the walk in a terminal."""
    if shutil.which("tmux") is None:
        return "tmux is not installed"
    state = Store.default(os.environ).state(load_catalogue().row(MODEL))
    return "" if state == "present" else f"{MODEL} is not in the store; `make test` pulls it"


def files_in(home: Path) -> set[str]:
    """Return the files below a home, without the socket of its terminal."""
    return {str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()}
