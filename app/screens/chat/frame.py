"""The frame around the questions and answers of the chat: title, state and keys."""

from __future__ import annotations

from textual import events, on
from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from app.local_models.server import where_text_goes
from app.screens.chat.conversation_screen import ConversationScreen
from app.screens.messages import ConfigChanged
from app.settings.current import Current
from app.settings.zone import zone_of
from app.widgets.key_bar import KeyBar

LEAST = (50, 12)
"""Columns and lines below which nothing could be read."""

WELCOME = "Ask a question about your own files. They are read when you ask, never before."
NO_SOURCES = (
    "No source is remembered yet, so there is nothing to read.\n"
    "F3 chooses what is read; F7 goes through the first steps; F8 tries the sample files."
)


class ChatFrame(ConversationScreen):
    """Lays out the chat, and says what it reads, how far it is, and where there is no room."""

    DEFAULT_CSS = """
    ChatFrame #title { height: 1; padding: 0 1; text-style: bold; background: $panel; }
    ChatFrame #welcome { height: auto; padding: 0 1; }
    ChatFrame #stages { height: auto; max-height: 2; padding: 0 1; color: $text-muted; }
    ChatFrame #too-small { display: none; }
    ChatFrame.too-small > * { display: none; }
    ChatFrame.too-small #too-small { display: block; }
    """

    def __init__(self, current: Current) -> None:
        """Begin a conversation with the settings of a session."""
        super().__init__(current)
        self._title = Static("", id="title")
        self._too_small = Static("", id="too-small")
        self._stages = Static("", id="stages")
        self._keys = KeyBar()
        self._config = current.config
        self.text_kept = 0
        """Bytes of text that are kept for the next question."""
        self._focused_before: Widget | None = None
        """What had the focus when the terminal became too small; what is hidden loses it."""

    def compose(self) -> ComposeResult:
        """Lay out the screen from top to bottom."""
        yield self._title
        yield self._too_small
        yield self._turns
        yield self._stages
        yield self._composer
        yield self._keys

    def draw_welcome(self) -> None:
        """Say what to do where nothing was asked yet."""
        welcome = WELCOME if self._config.sources else NO_SOURCES
        self._welcome.update(Content(welcome))

    def draw_title(self) -> None:
        """Say what is read, what is kept in memory and on disk, and where text goes."""
        sources = len(self._config.sources)
        remembered = f"{sources} source{'' if sources == 1 else 's'}"
        kept = self._kept_line() if self.text_kept else ""
        server = f"   {said}" if (said := where_text_goes(self._config)) else ""
        talk = f"   {said}" if (said := self._talk.line) else ""
        shown = f"Askance   {remembered}{kept}{talk}{server}"
        self._title.update(Content(shown))

    def _kept_line(self) -> str:
        from app.output.report import size_text  # no first picture waits for it

        return f"   {size_text(self.text_kept)} in memory"

    @on(ConfigChanged)
    def use_config(self) -> None:
        """Take new settings, from the next question on."""
        self._config = self._current.config
        self._turns.zone = zone_of(self._config)
        self.draw_welcome()
        self.draw_title()

    def say(self, status: str) -> None:
        """Show how far the question in hand is, or how it ended."""
        self._stages.update(Content(status))

    def on_resize(self, event: events.Resize) -> None:
        """Say so where there is no room to draw anything."""
        columns, rows = LEAST
        small = event.size.width < columns or event.size.height < rows
        if small and not self.has_class("too-small"):
            self._focused_before = self.focused
        elif not small and self.has_class("too-small"):
            self.call_after_refresh(self._focus_again)
        self.set_class(small, "too-small")
        size = f"{event.size.width}x{event.size.height}"
        self._too_small.update(
            f"{size} is too small: Askance needs {columns}x{rows}. Make the window larger; "
            "ctrl+q leaves."
        )

    def _focus_again(self) -> None:
        """Give the focus back to what had it before the terminal was too small."""
        before, self._focused_before = self._focused_before, None
        is_there = before is not None and before.is_attached
        self.set_focus(before if is_there else self._composer.prompt)
