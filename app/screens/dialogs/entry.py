"""Asks for one line of text, and says at once what is wrong with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.suggester import Suggester
from textual.widgets import Footer, Input, Static

from app.output.plain import lines
from app.screens.single_exit import LeftOnce
from app.widgets.key_order import LineInput

Check = Callable[[str], str]
"""Returns what is wrong with what was typed, empty when nothing is."""


class EntryScreen(LeftOnce, ModalScreen[str | None]):
    """Ends with what was typed, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Cancel")]
    DEFAULT_CSS = """
    EntryScreen {
        align: center middle;
        & > Vertical {
            width: 76;
            max-width: 95%;
            height: auto;
            max-height: 95%;
            padding: 0 1;
            border: round $accent;
            background: $surface;
        }
        & #fault { color: $text-error; height: auto; }
    }
    """

    def __init__(
        self, asked: str, value: str, check: Check, suggester: Suggester | None = None
    ) -> None:
        """Ask for something, beginning with a value."""
        super().__init__()
        self._asked = asked
        self._value = value
        self._check = check
        self._suggester = suggester
        self._fault = Static(Content(""), id="fault")

    def compose(self) -> ComposeResult:
        """Lay out the question, the line, and room for a fault."""
        with Vertical():
            yield Static(Content(lines(self._asked)), id="asked-for")
            yield LineInput(self._value, suggester=self._suggester, compact=True)
            yield self._fault
            yield Static(Content("Enter takes it, Escape does not"))
        yield Footer(show_command_palette=False)

    @on(Input.Changed)
    def look(self, changed: Input.Changed) -> None:
        """Take the fault away while it is being corrected."""
        self._fault.update(Content(""))

    @on(Input.Submitted)
    def done(self, submitted: Input.Submitted) -> None:
        """End, unless something is wrong."""
        fault = self._check(submitted.value)
        if fault:
            self._fault.update(Content(lines(fault)))
        else:
            self.dismiss(submitted.value)


class PathSuggester(Suggester):
    """Completes a path with the first name that continues it."""

    def __init__(self) -> None:
        """Look at folders anew each time."""
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        """Return the path continued; names are listed, nothing is opened."""
        return await asyncio.to_thread(_continued, value)


def _continued(value: str) -> str | None:
    folder, _, begun = value.rpartition("/")
    if not begun:
        return None
    try:
        names = sorted(path.name for path in Path(folder or "/").expanduser().iterdir())
    except OSError:
        return None
    found = next((name for name in names if name.startswith(begun)), None)
    return f"{folder}/{found}" if found else None
