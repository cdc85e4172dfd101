"""What screens share that are left: each is left once, whatever keys come together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from textual.await_complete import AwaitComplete

if TYPE_CHECKING:
    from textual.screen import Screen


class LeftOnce:
    """Mixed into a screen: it is left only while it is the one that is shown.

    Textual takes away whatever screen is shown: of two keys that end this one, the second would
    end the screen below.
    """

    def dismiss(self, result: Any = None) -> AwaitComplete:
        """Go back to the screen before, with a result."""
        if not cast("Screen[Any]", self).is_active:
            return AwaitComplete()
        left: AwaitComplete = super().dismiss(result)  # type: ignore[misc]
        return left
