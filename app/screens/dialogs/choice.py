"""Lets one of a few things be chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from app.output.plain import lines
from app.screens.single_exit import LeftOnce
from app.widgets.row_list import ListRow, RowList


class ChooseScreen(LeftOnce, ModalScreen[str | None]):
    """Ends with what was chosen, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Cancel")]
    DEFAULT_CSS = """
    ChooseScreen {
        align: center middle;
        & > Vertical {
            width: 64;
            max-width: 95%;
            height: auto;
            max-height: 95%;
            padding: 0 1;
            border: round $accent;
            background: $surface;
        }
        & RowList { height: auto; max-height: 15; }
    }
    """

    def __init__(self, asked: str, choices: Sequence[str], now: str) -> None:
        """Ask; `now` is where the cursor begins."""
        super().__init__()
        self._asked = asked
        self._choices = choices
        self._now = now
        self._rows = RowList()

    def compose(self) -> ComposeResult:
        """Lay out the question and what there is."""
        with Vertical():
            yield Static(Content(lines(self._asked)))
            yield self._rows
            yield Static(Content("Enter takes it, Escape does not"))
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Stand on what it is now."""
        self._rows.styles.height = len(self._choices)
        self._rows.show([ListRow(choice, choice) for choice in self._choices])
        self._rows.cursor = self._choices.index(self._now) if self._now in self._choices else 0
        self._rows.focus()

    @on(RowList.RowSelected)
    def take(self, selected: RowList.RowSelected) -> None:
        """End with the row."""
        self.dismiss(selected.row.key)
