"""Asks where a conversation is to be written, and writes it there."""

from __future__ import annotations

import asyncio
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from textual.screen import Screen

from app.history.export.file import export, fault_of
from app.screens.dialogs.entry import EntryScreen, PathSuggester
from engine.conversation import Conversation
from models.errors import AskanceError

ASKED = "Write questions, answers and quotes to a file (.md, or .json to read again):"


def ask_and_export(screen: Screen[Any], conversation: Conversation, zone: tzinfo | None) -> None:
    """Ask above `screen` for a path, and say there what came of it."""

    async def write(typed: str | None) -> None:
        if typed is None:
            return
        try:
            path = await asyncio.to_thread(export, conversation, typed, zone)
        except AskanceError as error:
            screen.notify(str(error), severity="error", markup=False)
        else:
            screen.notify(f"Wrote {path}.", markup=False)

    name = f"askance-{datetime.now(zone):%Y-%m-%d-%H%M}.md"
    screen.app.push_screen(
        EntryScreen(ASKED, str(Path.home() / name), fault_of, PathSuggester()), write
    )
