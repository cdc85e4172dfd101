"""Asks before something is lost."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Footer, Static

from app.output.plain import lines
from app.screens.single_exit import LeftOnce


class ConfirmScreen(LeftOnce, ModalScreen[bool]):
    """Ends with True only when somebody said so; No is where the cursor is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes"),
        Binding("n,escape", "answer(False)", "No"),
        Binding("left,right", "app.focus_next", show=False),
    ]
    DEFAULT_CSS = """
    ConfirmScreen {
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
        & Horizontal { height: auto; margin-top: 1; }
        & Button { margin-right: 2; }
    }
    """

    def __init__(self, question: str, yes: str) -> None:
        """Take the question and the word for going on."""
        super().__init__()
        self._question = question
        self._no = Button("No (n)", id="no", compact=True)
        self._yes = Button(f"{yes} (y)", id="yes", variant="error", compact=True)

    def compose(self) -> ComposeResult:
        """Lay out the question and two answers."""
        with Vertical():
            yield Static(Content(lines(self._question)), id="question")
            with Horizontal():
                yield self._no
                yield self._yes
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Stand on No."""
        self._no.focus()

    @on(Button.Pressed)
    def pressed(self, pressed: Button.Pressed) -> None:
        """Take the button's answer."""
        self.dismiss(pressed.button.id == "yes")

    def action_answer(self, yes: bool) -> None:
        """Take the key's answer."""
        self.dismiss(yes)
