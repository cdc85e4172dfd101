"""Asks for a password; what is typed is not shown."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from app.output.plain import lines
from app.screens.single_exit import LeftOnce
from app.widgets.key_order import LineInput


class PasswordScreen(LeftOnce, ModalScreen[str | None]):
    """Ends with what was typed, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Cancel")]

    def __init__(self, asked: str) -> None:
        """Say what it is the password of."""
        super().__init__()
        self._asked = asked

    def compose(self) -> ComposeResult:
        """Lay out one line to type on."""
        with Vertical(id="password"):
            yield Static(Content(lines(self._asked)))
            yield LineInput(password=True, placeholder="Enter keeps it, Escape does not")

    @on(Input.Submitted)
    def done(self, submitted: Input.Submitted) -> None:
        """Hand the password over."""
        self.dismiss(submitted.value or None)
