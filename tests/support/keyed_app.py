"""An app around one turn of a conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.app import App

from app.keys import ACTIONS, Action, actions_of
from app.widgets.conversation.turn import TurnView


class KeyedApp(App[None]):
    """Knows the keys of a turn, as hints ask for them."""

    keymap: ClassVar[Mapping[str, str]] = {}

    @property
    def actions(self) -> Sequence[Action]:
        """Every action of a turn, and those of `app.keys`."""
        return [*ACTIONS, *actions_of("answers", TurnView)]
