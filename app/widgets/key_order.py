"""Keys of what is typed in, each after the one before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual import events
from textual.widgets import Input

if TYPE_CHECKING:
    from textual.widget import Widget


class KeysInOrder:
    """Mixed into an input: a key that edits acts before those that were pressed after it.

    Textual puts letters in at once and looks for the meaning of other keys later. Of keys that come
    together, from quick hands or over a slow line, "wek", backspace, "ek" became "wee".
    """

    async def _on_key(self, event: events.Key) -> None:
        if event.is_printable:
            return
        widget = cast("Widget", self)
        bound = widget.screen.active_bindings.get(event.key)
        if bound is None or bound.node is not widget or bound.binding.priority:
            return
        if bound.binding.action == "submit":
            return  # it comes behind keys of what is around, such as the one that leaves the line
        if await widget.app.run_action(bound.binding.action, widget):
            event.stop()
            event.prevent_default()


class LineInput(KeysInOrder, Input):
    """One line to type on."""
