"""What screens about an answer share: they show something, and ask for nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen, ScreenResultType

from app.keys import ACTIONS, EVERYWHERE
from app.screens.single_exit import LeftOnce


class ShowingScreen(LeftOnce, ModalScreen[ScreenResultType]):
    """Lies above the chat until it is left; any other screen may open from it."""

    SCOPE: ClassVar[str] = ""
    """Of its actions, in `app.keys`."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", "Back", id="back"),
        *(  # Textual asks the app for no keys of its own while a modal screen is shown
            replace(row, run=f"app.{row.run}", shown=row.id == "help").binding()
            for row in ACTIONS
            if row.scope == EVERYWHERE
        ),
    ]

    def action_back(self) -> None:
        """Go back to the screen before."""
        self.dismiss(None)
