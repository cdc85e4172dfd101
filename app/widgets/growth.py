"""What parts are added to one after the other, for as long as there is a screen to show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from textual.widget import AwaitMount

if TYPE_CHECKING:
    from textual.widget import Widget


class Growing:
    """Mixed into a widget: what would be added while the program ends is left out.

    An answer still comes in then, and Textual raises where nothing can be added any more.
    """

    def mount(self, *parts: Widget, **place: Any) -> AwaitMount:
        """Add parts, in a place as Textual has it."""
        widget = cast("Widget", self)
        if not widget.is_attached:
            return AwaitMount(widget, [])
        added: AwaitMount = super().mount(*parts, **place)  # type: ignore[misc]
        return added
