"""Finds a folder by some letters of its path. Names are listed; nothing is opened."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Static

from app.output.plain import counted
from app.screens.single_exit import LeftOnce
from app.sources.folder_names import best_matches, folders_below
from app.sources.states import short
from app.widgets.key_order import LineInput
from app.widgets.row_list import ListRow, RowList


@dataclass
class FoldersListed(Message):
    """The names of folders are known."""

    names: list[str]


@dataclass
class FoldersMatched(Message):
    """These names hold what was typed."""

    typed: str
    names: list[str]


class FinderScreen(LeftOnce, ModalScreen[str | None]):
    """Ends with the path of a folder, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Cancel"),
        Binding("down", "app.focus_next", show=False),
    ]
    DEFAULT_CSS = """
    FinderScreen {
        background: $background;
        & > Vertical {
            height: 1fr;
            padding: 0 1;
            border: round $accent;
        }
    }
    """

    def __init__(self, root: Path | None = None) -> None:
        """Look below `root`, by default the person's home."""
        super().__init__()
        self._root = root or Path.home()
        self._names: list[str] = []
        self._line = LineInput(placeholder="Letters of the folder's path", compact=True)
        self._rows = RowList()
        self._found = Static(Content("Listing folders …"), id="found")

    def compose(self) -> ComposeResult:
        """Lay out a line to type on and the folders."""
        with Vertical():
            yield self._line
            yield self._rows
            yield self._found
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """List the names, in a thread."""
        self._line.focus()
        self._list()

    @work(thread=True)
    def _list(self) -> None:
        self.post_message(FoldersListed(folders_below(self._root)))

    @on(FoldersListed)
    def listed(self, message: FoldersListed) -> None:
        """Show them."""
        self._names = message.names
        self._match(self._line.value)

    @on(Input.Changed)
    def typed(self, changed: Input.Changed) -> None:
        """Find what holds the letters."""
        self._match(changed.value)

    @work(thread=True, exclusive=True)
    def _match(self, typed: str) -> None:
        self.post_message(FoldersMatched(typed, best_matches(self._names, typed)))

    @on(FoldersMatched)
    def matched(self, message: FoldersMatched) -> None:
        """Show what was found, unless more has been typed."""
        if message.typed == self._line.value:
            self._rows.show([ListRow(name, name) for name in message.names])
            self._rows.action_first()
            below = f"{counted(len(self._names), 'folder')} below {short(self._root)}"
            of = f"{len(message.names):,} of {below}; enter takes the one under the cursor"
            self._found.update(Content(of))

    @on(Input.Submitted)
    def take_first(self) -> None:
        """Take the folder under the cursor."""
        self._rows.action_select()

    @on(RowList.RowSelected)
    def take(self, selected: RowList.RowSelected) -> None:
        """End with it."""
        self.dismiss(str(self._root / selected.row.key))
