"""What is imported before there is anything to see: each of these would be waited for."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

TO_THE_FIRST_PICTURE = """
import sys
from unittest.mock import Mock

sys.stdin, sys.stderr.isatty = Mock(isatty=lambda: True), lambda: True
from app.main import run
from app.screens.chat.screen import ChatScreen
from textual.app import App

def begin(chat):
    print("seen", chat.query_one("#title").visual, file=sys.__stdout__)
    print(*sys.modules, file=sys.__stdout__)
    chat.app.exit()

on_a_terminal = App.run
App.run = lambda app: on_a_terminal(app, headless=True)
ChatScreen._begin = begin
sys.argv = ["askance"]
sys.exit(run())
"""
"""Runs `askance` up to where the chat is drawn, and prints what is imported by then."""
WAIT = (
    "numpy",
    "llama_cpp",
    "torch",
    "transformers",
    "markdown_it",
    "textual_plotext",
    "sqlcipher3",
    "watchdog",
    "ingest",
    "engine.conversation",
    "engine.language.dates",
    "engine.events",
    "engine.values",
    "models.store.catalogue",
    "models.protocols",
    "app.commands.shared.options",
    "app.history",
    "app.screens.chat.answer_screens",
    "app.widgets.answer.markdown",
    "app.widgets.conversation.turn",
)
"""Heavy modules, or those that import them; `app.screens.chat.late_imports` imports them later."""


@pytest.fixture
def imported(home: Path) -> set[str]:
    config = home / ".config" / "askance" / "config.toml"
    config.parent.mkdir(parents=True)
    config.touch()
    done = subprocess.run(
        [sys.executable, "-P", "-c", TO_THE_FIRST_PICTURE], capture_output=True, text=True
    )
    seen, _, modules = done.stdout.partition("\n")
    assert seen.startswith("seen Askance"), done.stderr
    return set(modules.split())


def test_no_first_picture_waits_for_what_is_heavy(imported: set[str]) -> None:
    assert "textual" in imported
    assert "app.screens.chat.screen" in imported
    early = [name for name in WAIT if name in imported]
    assert early == []


def test_every_module_of_ours_that_has_to_wait_is_there() -> None:
    ours = [name for name in WAIT if name.split(".")[0] in ("app", "engine", "ingest", "models")]
    assert [name for name in ours if find_spec(name) is None] == []
