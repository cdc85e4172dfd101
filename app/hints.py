"""Hints on the screen that name keys, which `[keymap]` may have changed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol, cast

from app.keys import ACTIONS, Action, keys_shown

_NAMED = re.compile(r"\{(\w+)\}")


class KeyHost(Protocol):
    """What a hint asks of the app."""

    @property
    def actions(self) -> Sequence[Action]:
        """Every action that has a key."""
        ...

    @property
    def keymap(self) -> Mapping[str, str]:
        """The keys that the settings give to actions."""
        ...


def hint(text: str, app: object) -> str:
    """Return a text with the keys of its actions: "{quit} leaves" becomes "ctrl+q leaves".

    Braces around anything else stay.
    """
    host = cast("KeyHost", app)
    return _NAMED.sub(lambda named: _first_key(named[1], host) or named[0], text)


def _first_key(action_id: str, host: KeyHost) -> str:
    known = {action.id: action for action in ACTIONS}
    if action_id not in known:
        # These import widgets, and no first picture waits for them.
        known = {action.id: action for action in host.actions}
    action = known.get(action_id)
    return keys_shown(action, host.keymap).partition(",")[0] if action else ""
