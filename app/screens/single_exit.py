"""Leaves a screen once, however many keys arrive together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from textual.await_complete import AwaitComplete

if TYPE_CHECKING:
    from textual.screen import Screen


class LeftOnce:
    """A mixin for a screen that closes only while it is the one shown.

    Textual closes whichever screen is shown. Of two keys that close this screen, the second
    would close the screen below.
    """

    def dismiss(self, result: Any = None) -> AwaitComplete:
        """Go back to the screen before, with a result."""
        if not cast("Screen[Any]", self).is_active:
            return AwaitComplete()
        left: AwaitComplete = super().dismiss(result)  # type: ignore[misc]
        return left
