"""The filters above the prompt, one chip each; a key takes one away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Static

if TYPE_CHECKING:
    from app.output.query.chips import Chip


class ChipBar(Static, can_focus=True):
    """Chips from left to right; the one under the cursor can be removed."""

    DEFAULT_CSS = """
    ChipBar { height: auto; max-height: 2; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1)", "Left", show=False),
        Binding("right", "move(1)", "Right", show=False),
        Binding(
            "delete,backspace,enter",
            "remove",
            "Remove filter",
            id="chip_remove",
            tooltip="Ask without this filter",
        ),
    ]
    cursor = reactive(0)

    class Removed(Message):
        """A filter is not wanted."""

        def __init__(self, chip: Chip) -> None:
            """Keep which."""
            super().__init__()
            self.chip = chip

    def __init__(self) -> None:
        """Show nothing yet."""
        super().__init__(id="chips")
        self.chips: tuple[Chip, ...] = ()
        self.display = False

    def show(self, chips: Sequence[Chip]) -> None:
        """Put these chips there."""
        if tuple(chips) == self.chips:
            return
        self.chips = tuple(chips)
        self.display = bool(chips)
        self.cursor = min(self.cursor, max(0, len(chips) - 1))
        self._draw()

    def _draw(self) -> None:
        parts: list[str | tuple[str, str]] = []
        for number, chip in enumerate(self.chips):
            mark = " (inferred)" if chip.inferred else ""
            chosen = self.has_focus and number == self.cursor
            parts += [(f" {chip.label}{mark} × ", "reverse" if chosen else "bold"), " "]  # noqa: RUF001
        self.update(Content.assemble(*parts))

    def watch_cursor(self) -> None:
        """Draw the cursor where it is."""
        self._draw()

    def on_focus(self) -> None:
        """Show the cursor."""
        self._draw()

    def on_blur(self) -> None:
        """Hide the cursor."""
        self._draw()

    def action_move(self, step: int) -> None:
        """Go to another chip."""
        self.cursor = max(0, min(len(self.chips) - 1, self.cursor + step))

    def action_remove(self) -> None:
        """Take away the chip under the cursor."""
        if self.chips:
            self.post_message(self.Removed(self.chips[self.cursor]))
