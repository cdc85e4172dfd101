"""The frame around the questions and answers of the chat: title, state and keys."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.events import DescendantFocus
from textual.widget import Widget
from textual.widgets import OptionList, Static

from app.hints import hint
from app.local_models.server import where_text_goes
from app.screens.chat.conversation_screen import ConversationScreen
from app.screens.messages import ConfigChanged
from app.settings.current import Current
from app.settings.zone import zone_of
from app.sources.first_questions import first_questions
from app.widgets.answer.citations import Citations
from app.widgets.key_bar import KeyBar

if TYPE_CHECKING:
    from app.backend.messages import ReadOn
    from app.output.query.offers import Command
    from app.screens.palette import ActionHost
    from app.widgets.answer.source import SourceView
    from app.widgets.conversation.turn import TurnView
    from engine.settings import Effort
    from engine.values import Citation, Passage

WIDE = 110
"""Columns from which a source is shown beside the conversation."""
CALLS_AFTER = 10.0
"""Seconds of waiting behind which another window may have the focus."""
LEAST = (50, 12)
"""Columns and lines below which nothing could be read."""

WELCOME = "Ask a question about your own files. They are read when you ask, never before."
NO_SOURCES = (
    "No source is remembered yet, so there is nothing to read.\n"
    "Press {sources} to choose what is read, {first_run} for the first steps, {sample} to try the "
    "sample files."
)


class ChatFrame(ConversationScreen):
    """Lays out the chat, and says what it reads, how far it is, and where there is no room."""

    DEFAULT_CSS = """
    ChatFrame #title { height: 1; padding: 0 1; text-style: bold; background: $panel; }
    ChatFrame #welcome { height: auto; padding: 0 1; }
    ChatFrame #stages { height: auto; max-height: 2; padding: 0 1; color: $text-muted; }
    ChatFrame #panes { height: 1fr; }
    ChatFrame #source { display: none; width: 1fr; height: 1fr; border: none; }
    ChatFrame #source { border-left: solid $secondary; }
    ChatFrame #source:focus { border-left: thick $accent; }
    ChatFrame.wide.with-source #source, ChatFrame.turned #source { display: block; }
    ChatFrame.turned #source { border: none; }
    ChatFrame.turned #turns { display: none; }
    ChatFrame #too-small { display: none; }
    ChatFrame.too-small > * { display: none; }
    ChatFrame.too-small #too-small { display: block; }
    """

    def __init__(self, current: Current) -> None:
        """Begin a conversation with the settings of a session."""
        super().__init__(current)
        self._title = Static("", id="title")
        self._too_small = Static("", id="too-small")
        self._panes = Horizontal(id="panes")
        self._source: SourceView | None = None
        self._read_on = ""
        """The source beside the conversation; None until there was one to show."""
        self._stages = Static("", id="stages")
        self._said = ""
        self._keys = KeyBar()
        self._config = current.config
        self.text_kept = 0
        """Bytes of text that are kept for the next question."""
        self._focused_before: Widget | None = None
        """What had the focus when the terminal became too small; what is hidden loses it."""
        self._turned_from: Widget | None = None
        """What had the focus before the source took its place."""

    def compose(self) -> ComposeResult:
        """Lay out the screen from top to bottom."""
        yield self._title
        yield self._too_small
        with self._panes:
            yield self._turns
        yield self._stages
        yield self._composer
        yield self._keys

    def draw_welcome(self) -> None:
        """Say what to do where nothing was asked yet."""
        proposed = "".join(f"\n  {one}" for one in first_questions(self._config.sources))
        welcome = f"{WELCOME}\n\nFor example:{proposed}" if proposed else hint(NO_SOURCES, self.app)
        self._welcome.update(Content(welcome))

    def draw_title(self) -> None:
        """Say what is read, what is kept in memory and on disk, and where text goes."""
        sources = len(self._config.sources)
        remembered = f"{sources} source{'' if sources == 1 else 's'}"
        kept = self._kept_line() if self.text_kept else ""
        server = f"   {said}" if (said := where_text_goes(self._config)) else ""
        talk = f"   {said}" if (said := self._talk.line) else ""
        behind = f"   {self._read_on}" if self._read_on else ""
        effort = f"   effort {said}" if (said := self._current.effort) else ""
        shown = f"Askance   {remembered}{kept}{behind}{effort}{talk}{server}"
        self._title.update(Content(shown))

    def show_reading_on(self, read_on: ReadOn) -> None:
        """Say how far what an answer had no time for is read; and when all of it is."""
        mails = f"attachments of {read_on.mails:,} mails" if read_on.mails else ""
        scans = f"scans {read_on.scans_done:,} of {read_on.scans:,}" if read_on.scans else ""
        self._read_on = "" if read_on.is_over else f"reading on: {mails or scans or 'files'}"
        self.draw_title()
        if read_on.is_all:
            said = "All attachments and scanned pages are read now. {ask_again} asks again."
            self.notify(hint(said, self.app), markup=False)

    def _kept_line(self) -> str:
        from app.output.report import size_text  # no first picture waits for it

        return f"   {size_text(self.text_kept)} in memory"

    def commands(self) -> tuple[Command, ...]:
        """Return what lines that begin with a slash do."""
        from app.screens.chat.commands import commands_of  # no first picture waits for it

        host = cast("ActionHost", self.app)
        return commands_of(host.actions, host.do, self._use_effort)

    def _use_effort(self, effort: Effort) -> None:
        """Answer with this effort until the program ends."""
        self._current.effort = effort
        self.draw_title()
        said = f"Effort {effort}, until you leave. {{settings}} keeps one."
        self.notify(hint(said, self.app), markup=False)

    @on(ConfigChanged)
    def use_config(self) -> None:
        """Take new settings, from the next question on."""
        self._config = self._current.config
        self._turns.zone = zone_of(self._config)
        self._composer.know(sources=self._config.sources)
        self.draw_welcome()
        self.draw_title()

    def call_back_after(self, seconds: float) -> None:
        """Say after so long a wait that it is over, where the person looks at another window."""
        wanted = self._config.values.interface
        if self.app.app_focus or seconds < CALLS_AFTER:
            return
        if wanted.bell:
            self.app.bell()
        if wanted.notice:
            from app.desktop.notice import show_notice  # most never need it

            self.run_worker(show_notice, thread=True)

    def say(self, status: str) -> None:
        """Show how far the question in hand is, or how it ended."""
        if status == self._said:
            return  # said ten times a second, it would be laid out as often
        self._said = status
        self._stages.update(Content(status))
        self._stages.display = bool(status)

    @on(OptionList.OptionHighlighted)
    async def follow_cursor(self, moved: OptionList.OptionHighlighted) -> None:
        """Show beside an answer the source under the cursor."""
        if isinstance(moved.option_list, Citations):
            await self._follow(moved.option_list)

    async def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Show beside the conversation a source of the answer that has the focus."""
        await self._follow(event.widget)

    async def _follow(self, widget: Widget) -> None:
        if (turn := self._turns.around(widget)) is not None and turn.is_laid:
            await self.show_source(turn)

    async def show_source(self, turn: TurnView) -> None:
        """Show the chosen source of an answer beside it, in a window that is wide enough."""
        sources = turn.citations.citations
        citation = turn.citations.chosen or next(iter(sources), None)
        if self._source is not None or citation is not None:
            await self._show_beside(citation, sources)

    async def show_found(self, passage: Passage) -> None:
        """Show beside a question what was found for it so far."""
        if self.has_class("wide"):
            from app.output.objects import place_of  # no first picture waits for it

            whole = place_of(passage)
            await self._show_beside(replace(whole, end=whole.start))  # nothing of it is quoted yet

    async def _show_beside(
        self, citation: Citation | None, among: tuple[Citation, ...] = ()
    ) -> None:
        if self._source is None:
            from app.widgets.answer.source import SourceView  # no first picture waits for it

            self._source = SourceView()
            await self._panes.mount(self._source)
        if citation is not self._source.citation:
            self._source.show(citation, self._turns.zone, among)
        self.add_class("with-source")

    async def action_turn_pane(self) -> None:
        """Go to the source of an answer, or back; without room for both, one takes all of it."""
        if self._source is not None and self._source.has_focus:
            self.turn_back()
            return
        near = self._turns.around(self.focused) if self.focused else None
        turn = near or self._turns.latest
        if turn is not None and turn.is_laid:
            await self.show_source(turn)
        if self._source is None or not self.has_class("with-source"):
            self.notify("There is no source to show yet.", markup=False)
            return
        self._turned_from = self.focused
        self.set_class(not self.has_class("wide"), "turned")
        self._source.focus()

    def turn_back(self) -> bool:
        """Go back from the source to where one was; say whether it had the focus."""
        if self._source is None or not (self._source.has_focus or self.has_class("turned")):
            return False
        self.remove_class("turned")
        before, self._turned_from = self._turned_from, None
        is_there = before is not None and before.is_attached
        self.set_focus(before if is_there else self._composer.prompt)
        return True

    def hide_source(self) -> None:
        """Leave the whole width to the conversation, and let go of the text."""
        self.turn_back()
        self.remove_class("with-source")
        if self._source is not None:
            self._source.show(None, None)

    def on_resize(self, event: events.Resize) -> None:
        """Show a source beside where there is room for it; say so where there is none at all."""
        columns, rows = LEAST
        small = event.size.width < columns or event.size.height < rows
        if small and not self.has_class("too-small"):
            self._focused_before = self.focused
        elif not small and self.has_class("too-small"):
            self.call_after_refresh(self._focus_again)
        self.set_class(small, "too-small")
        self.set_class(event.size.width >= WIDE, "wide")
        self.set_class(event.size.width < WIDE and self.has_class("turned"), "turned")
        size = f"{event.size.width}x{event.size.height}"
        self._too_small.update(
            f"{size} is too small: Askance needs {columns}x{rows}. Make the window larger; "
            + hint("{quit} leaves.", self.app)
        )

    def _focus_again(self) -> None:
        """Give the focus back to what had it before the terminal was too small."""
        before, self._focused_before = self._focused_before, None
        is_there = before is not None and before.is_attached
        self.set_focus(before if is_there else self._composer.prompt)
