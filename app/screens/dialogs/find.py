"""Finds words in the conversation under way: in questions, answers and quotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Static

from app.screens.single_exit import LeftOnce
from app.widgets.key_order import LineInput
from app.widgets.row_list import ListRow, RowList
from engine.conversation import Conversation, Said

PARTS = {"asked": "question", "answer": "answer", "quote": "quote"}


@dataclass
class PlacesFound(Message):
    """These places hold what was typed."""

    typed: str
    places: Sequence[Said]


class FindScreen(LeftOnce, ModalScreen[int | None]):
    """Ends with the turn that was chosen, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Cancel"),
        Binding("down", "app.focus_next", show=False),
    ]
    DEFAULT_CSS = """
    FindScreen {
        align: center middle;
        & > Vertical {
            width: 90%;
            height: 90%;
            padding: 0 1;
            border: round $accent;
            background: $surface;
        }
    }
    """

    def __init__(self, conversation: Conversation) -> None:
        """Look in this conversation, in all its branches."""
        super().__init__()
        self._conversation = conversation
        self._line = LineInput(
            placeholder="Words of a question, an answer or a quote", compact=True
        )
        self._rows = RowList()
        self._found = Static(Content("Enter goes there, Escape goes back"), id="found")

    def compose(self) -> ComposeResult:
        """Lay out a line to type on and what is found."""
        with Vertical():
            yield self._line
            yield self._rows
            yield self._found
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Start where people type."""
        self._line.focus()

    @on(Input.Changed)
    def typed(self, changed: Input.Changed) -> None:
        """Find the words that are typed so far."""
        self._find(changed.value)

    @work(thread=True, exclusive=True)
    def _find(self, typed: str) -> None:
        self.post_message(PlacesFound(typed, self._conversation.search(typed)))

    @on(PlacesFound)
    def found(self, message: PlacesFound) -> None:
        """Show what was found, unless more has been typed."""
        if message.typed != self._line.value:
            return
        self._rows.show(
            [
                ListRow(f"{said.turn} {index}", f"{said.turn + 1}. {PARTS[said.part]}: {said.text}")
                for index, said in enumerate(message.places)
            ]
        )
        self._rows.action_first()
        count = len(message.places)
        said = f"{count:,} place{'' if count == 1 else 's'}" if message.typed.strip() else ""
        self._found.update(Content(said))

    @on(Input.Submitted)
    def take_first(self) -> None:
        """Take the place under the cursor."""
        self._rows.action_select()

    @on(RowList.RowSelected)
    def take(self, selected: RowList.RowSelected) -> None:
        """End with its turn."""
        self.dismiss(int(selected.row.key.split()[0]))
