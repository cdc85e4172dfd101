"""Where people type: several lines, sent with Enter, completed behind `kind:` and its like."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from app.widgets.key_order import KeysInOrder


class Prompt(KeysInOrder, TextArea):
    """A question as it is typed."""

    DEFAULT_CSS = """
    Prompt { height: auto; min-height: 1; max-height: 8; border: none; padding: 0 1;
        border-left: thick $accent; background: $surface; }
    Prompt:focus { border: none; border-left: thick $accent; }
    Prompt .text-area--placeholder { color: $text-muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "send", "Ask", id="send", tooltip="Ask the question", priority=True),
        Binding(
            "ctrl+j,shift+enter,alt+enter",
            "newline",
            "Line",
            show=False,
            id="newline",
            tooltip="Begin a new line",
        ),
    ]

    class Sent(Message):
        """A question is complete."""

        def __init__(self, question: str) -> None:
            """Keep the question as typed."""
            super().__init__()
            self.question = question

    class Steered(Message):
        """A key that the open list of completions may take."""

        def __init__(self, key: str) -> None:
            """Keep the key."""
            super().__init__()
            self.key = key

    def __init__(self) -> None:
        """Start empty."""
        super().__init__(
            soft_wrap=True,
            show_line_numbers=False,
            tab_behavior="focus",
            placeholder="Ask about your files. @ names a person or source, / does something.",
            id="prompt",
        )
        self.is_completing = False
        """Whether completions are open: some keys go to them."""
        self._earlier: list[str] = []
        self._back = 0

    def action_send(self) -> None:
        """Hand the question over, or take the completion, once what was typed before is there.

        The key comes before others to this widget, and would overtake them.
        """
        self.call_later(self._send)

    def _send(self) -> None:
        if self.is_completing:
            self.post_message(self.Steered("enter"))
        elif question := self.text.strip():
            self.post_message(self.Sent(question))

    def action_newline(self) -> None:
        """Begin a new line."""
        self.insert("\n")

    def remember(self, question: str) -> None:
        """Keep what was asked, for the arrow up."""
        if not self._earlier or self._earlier[-1] != question:
            self._earlier = [*self._earlier[-199:], question]
        self._back = 0

    def fill(self, text: str) -> None:
        """Put a text there, the cursor behind it."""
        self.load_text(text)
        self.move_cursor(self.document.end)

    async def _on_key(self, event: events.Key) -> None:
        if self.is_completing and event.key in ("up", "down", "tab", "escape"):
            event.stop()
            event.prevent_default()
            self.post_message(self.Steered(event.key))
            return
        if event.key == "up" and self.cursor_at_first_line and self._recall(1):
            event.stop()
            event.prevent_default()
            return
        if event.key == "down" and self.cursor_at_last_line and self._recall(-1):
            event.stop()
            event.prevent_default()

    def _recall(self, steps: int) -> bool:
        """Go back or forth among what was asked; say whether there is something."""
        back = self._back + steps
        if not 0 <= back <= len(self._earlier) or (back == 0 and self._back == 0):
            return False
        if self._back == 0 and self.text.strip():
            return False  # what is being typed is not replaced
        self._back = back
        self.fill(self._earlier[-back] if back else "")
        return True

    @property
    def word(self) -> str:
        """The text between the last blank and the cursor."""
        row, column = self.cursor_location
        before = self.document.get_line(row)[:column]
        return before.rsplit(" ", 1)[-1]

    def complete(self, chosen: str, *, is_whole: bool) -> None:
        """Put what was chosen in the place of the word before the cursor; a whole one is over."""
        row, column = self.cursor_location
        self.replace(
            chosen + " " * is_whole,
            (row, column - len(self.word)),
            (row, column),
            maintain_selection_offset=False,
        )
