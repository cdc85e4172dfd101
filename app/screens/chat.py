"""The chat: questions and answers from top to bottom, and where the next question is typed."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, OptionList, Static, TextArea

from app.asking.talk import (
    Cancel,
    Changed,
    Ended,
    Engine,
    Forget,
    Happened,
    Kept,
    Reply,
    Request,
    Said,
    Unlock,
)
from app.commands.options import zone_of
from app.local_models.serving import where_text_goes
from app.screens.asking import Replied
from app.screens.messages import ConfigChanged
from app.settings.current import Current
from app.shown.report import size_text
from app.widgets.chips import ChipBar
from app.widgets.prompt import Prompt
from app.widgets.turn import Citations, Told, Turn
from engine.conversation import Conversation
from engine.events import Event
from models.errors import AskanceError

if TYPE_CHECKING:
    from app.screens.later import Remedy

DRAW_SECONDS = 0.1
WHOLE = 20
"""Answers that can be opened and examined; of earlier ones only the words are kept."""
CHIPS_TO = 5_000
"""Characters of a question up to which its filters are looked for at every key."""
LEAST = (50, 12)
"""Columns and lines below which nothing could be read."""

WELCOME = "Ask a question about your own files. They are read when you ask, never before."
NO_SOURCES = (
    "No source is remembered yet, so there is nothing to read.\n"
    "F3 chooses what is read; F7 goes through the first steps; F8 tries the sample files."
)


def _later() -> ModuleType:
    """Return what is not needed for the first picture."""
    from app.screens import later

    return later


def _import_later() -> None:
    """Import the rest, and leave what is there by then out of collections of garbage.

    Otherwise each full one goes through all modules, which takes 70 ms.
    """
    _later()
    gc.freeze()


class ChatScreen(Screen[None]):
    """Draws what the engine tells. Text from files is shown as it is, never as markup."""

    AUTO_FOCUS = "Prompt"
    DEFAULT_CSS = """
    ChatScreen #title { height: 1; padding: 0 1; text-style: bold; background: $panel; }
    ChatScreen #turns { height: 1fr; }
    ChatScreen #welcome { height: auto; padding: 0 1; }
    ChatScreen .folded { height: auto; padding: 0 2; margin-bottom: 1; color: $text-muted; }
    ChatScreen #stages { height: auto; max-height: 2; padding: 0 1; color: $text-muted; }
    ChatScreen #offers { height: auto; max-height: 6; border: none; padding: 0 1; display: none; }
    ChatScreen #too-small { display: none; }
    ChatScreen.too-small > * { display: none; }
    ChatScreen.too-small #too-small { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel", id="cancel", tooltip="Cancel; else go up or down"),
        Binding("ctrl+t", "latest('why')", "Why", id="why_latest", tooltip="Show the evidence"),
        Binding("ctrl+g", "latest('again')", "Again", id="ask_again", tooltip="Ask it again, now"),
        Binding("ctrl+n", "new", "New", id="new", tooltip="Begin another conversation"),
        Binding("ctrl+s", "export", "Export", id="export", tooltip="Write it to a file"),
        Binding("ctrl+o", "unlock", "Unlock", False, id="unlock", tooltip="Enter a password"),
        Binding("ctrl+l", "forget", "Forget", id="forget", tooltip="Drop all text from memory"),
    ]

    def __init__(self, current: Current, engine: Engine) -> None:
        """Take the settings and whoever answers."""
        super().__init__()
        self._current = current
        self._engine = engine
        self._config = current.config
        self._zone = zone_of(self._config)
        self._turns: dict[int, Turn] = {}
        self._compared: dict[int, Told] = {}
        """By the number of a request, the answer it is to be compared with."""
        self._number = 0
        self._in_hand: Turn | None = None
        self._status = ""
        self._text_kept = 0
        self._changed: set[Path] = set()
        self._people: tuple[str, ...] = ()
        self._conversation = Conversation()
        self._at: int | None = None
        """The turn of the conversation that the next typed question follows."""

    def compose(self) -> ComposeResult:
        """Lay out the screen from top to bottom."""
        yield Static("", id="title")
        yield Static("", id="too-small")
        with VerticalScroll(id="turns", can_focus=False):
            yield Static(Content(self._welcome()), id="welcome")
        yield Static("", id="stages")
        yield ChipBar()
        yield OptionList(id="offers", markup=False)
        yield Prompt()
        yield Footer()

    def on_mount(self) -> None:
        """Start where people type; the engine starts meanwhile."""
        self._draw_title()
        self.query_one(Prompt).focus()
        self.query_one("#offers").can_focus = False
        self.query_one("#turns", VerticalScroll).anchor()
        self.set_interval(DRAW_SECONDS, self._tick)
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """Start the engine, and import the rest, now that there is something to see."""
        self._engine.listen(self._hear)
        self.run_worker(_import_later, thread=True)

    def on_resize(self, event: events.Resize) -> None:
        """Say so where there is no room to draw anything."""
        columns, rows = LEAST
        small = event.size.width < columns or event.size.height < rows
        self.set_class(small, "too-small")
        size = f"{event.size.width}x{event.size.height}"
        self.query_one("#too-small", Static).update(
            f"{size} is too small: Askance needs {columns}x{rows}. Make the window larger; "
            "ctrl+q leaves."
        )

    def _hear(self, reply: Reply) -> None:
        """Take a reply in the engine's thread."""
        self.post_message(Replied(reply))

    def _welcome(self) -> str:
        return WELCOME if self._config.sources else NO_SOURCES

    def _draw_title(self) -> None:
        sources = len(self._config.sources)
        remembered = f"{sources} source{'' if sources == 1 else 's'}"
        kept = f"   {size_text(self._text_kept)} in memory" if self._text_kept else ""
        server = f"   {said}" if (said := where_text_goes(self._config)) else ""
        self.query_one("#title", Static).update(Content(f"Askance   {remembered}{kept}{server}"))

    @on(ConfigChanged)
    def use_config(self) -> None:
        """Take new settings, from the next question on."""
        self._config = self._current.config
        self._zone = zone_of(self._config)
        self.query_one("#welcome", Static).update(Content(self._welcome()))
        self._draw_title()

    # Asking

    @property
    def busy(self) -> bool:
        """Whether a question is being answered; models serve one at a time."""
        return self._in_hand is not None

    @on(Prompt.Sent)
    async def ask_typed(self, sent: Prompt.Sent) -> None:
        """Ask what was typed."""
        before = self._conversation.moved_to(self._at)
        if await self.ask(Request(0, sent.question, conversation=before)):
            prompt = self.query_one(Prompt)
            prompt.remember(sent.question)
            prompt.fill("")

    async def ask(self, request: Request) -> bool:
        """Start answering; say whether it was possible."""
        if self.busy:
            self.notify("One question at a time. Escape cancels this one.", markup=False)
            return False
        self._number += 1
        request = replace(request, number=self._number, config=self._current.config)
        self._changed.clear()
        self._status = "Starting"
        self._say("Starting …")
        self.query_one("#welcome").display = False
        turn = Turn(Told(request), self._zone, str(self._config.path))
        self._turns[request.number] = self._in_hand = turn
        turns = self.query_one("#turns", VerticalScroll)
        await turns.mount(turn)
        turns.anchor()
        await self._fold()
        self._draw_chips()
        self._engine.send(request)
        return True

    async def _fold(self) -> None:
        """Leave only the words of old turns, so that a long day does not fill the memory."""
        for number in list(self._turns)[:-WHOLE]:
            turn = self._turns.pop(number)
            folded = Static(Content(turn.words), classes="folded")
            await self.query_one("#turns").mount(folded, before=turn)
            await turn.remove()

    def action_cancel(self) -> None:
        """Cancel the question in hand; without one, go from the prompt to the answers or back."""
        turn = self._in_hand
        if turn is not None:
            self._engine.send(Cancel(turn.told.request.number))
            self.run_worker(self._end(turn, Ended(turn.told.request.number, cancelled=True)))
        elif self.query_one(Prompt).has_focus and self._turns:
            self._latest().focus()
        else:
            self.query_one(Prompt).focus()

    def _latest(self) -> Turn:
        return next(reversed(self._turns.values()))

    # What the engine tells

    @on(Replied)
    async def hear(self, replied: Replied) -> None:
        """Draw one reply. What still comes of a cancelled question is left out."""
        match replied.reply:
            case Happened(number, event):
                self._draw(self._turns.get(number), event)
            case Said(number, text):
                if self._is_running(self._turns.get(number)):
                    self._status = text
            case Ended():
                turn = self._turns.get(replied.reply.number)
                if turn is not None and self._is_running(turn):
                    await self._end(turn, replied.reply)
            case Kept(size):
                self._text_kept = size
                self._draw_title()
            case Changed(path):
                self._changed.add(path)

    def _is_running(self, turn: Turn | None) -> bool:
        return turn is not None and turn is self._in_hand

    def _draw(self, turn: Turn | None, event: Event) -> None:
        if turn is not None and self._is_running(turn):
            self._status = ""
            turn.draw(event)

    async def _end(self, turn: Turn, ended: Ended) -> None:
        """Show how it ended and take the next question."""
        self._in_hand = None
        if ended.people:
            self._people = ended.people
        await turn.end(ended)
        self._status = turn.told.stages.line()
        self._say(self._status)
        self._draw_chips()
        self.refresh_bindings()
        # Textual's footer holds on to keys that it no longer shows until this is said to change.
        self.query_one(Footer).mutate_reactive(Footer.compact)
        self._note_answer(turn.told)
        other = self._compared.pop(ended.number, None)
        if other is not None and turn.told.answer is not None:
            self.app.push_screen(_later().CompareScreen(other, turn.told, self._zone))

    def _note_answer(self, told: Told) -> None:
        """Let the conversation go on from an answer, where its question stood."""
        before = told.request.conversation
        if told.answer is not None and before is not None:
            here = self._conversation.moved_to(before.at)
            self._conversation = here.answered(told.answer, told.request.question)
            self._at = self._conversation.at

    async def _tick(self) -> None:
        """Draw what came since the last time."""
        if self._in_hand is not None:
            turn = self._in_hand
            await turn.flush()
            if turn is not self._in_hand:
                return  # it ended meanwhile
            line = turn.told.stages.line()
            shown = " · ".join(filter(None, (line, self._status)))
            self._say(shown if shown.endswith("…") else f"{shown} …")
        elif self._turns and self._changed:
            files = f"{len(self._changed)} file{'' if len(self._changed) == 1 else 's'}"
            said = f"{self._status}  Changed since: {files}; ctrl+g asks again."
            self._say(said)

    def _say(self, status: str) -> None:
        self.query_one("#stages", Static).update(Content(status))

    # Filters

    @on(TextArea.Changed)
    def typing(self) -> None:
        """Show the filters of what is typed, and what its last word may become."""
        self._draw_chips()
        self._offer()

    def _draw_chips(self) -> None:
        typed = self.query_one(Prompt).text
        if len(typed) > CHIPS_TO:
            shown = []
        elif not typed.strip() and self._turns:
            told = self._latest().told
            shown = _later().chips(told.request.question, told.query)
        else:
            shown = _later().chips(typed, None)
        self.query_one(ChipBar).show(shown)

    @on(ChipBar.Removed)
    async def remove_filter(self, removed: ChipBar.Removed) -> None:
        """Take a filter out of what is typed, or ask the last question again without it."""
        prompt, bar = self.query_one(Prompt), self.query_one(ChipBar)
        if prompt.text.strip():
            prompt.fill(_later().without(prompt.text, bar.chips, removed.chip)[0])
        else:
            request = self._latest().told.request
            question, infer = _later().without(request.question, bar.chips, removed.chip)
            await self.ask(replace(request, question=question, infer=infer and request.infer))
        if not bar.display:
            prompt.focus()

    def _offer(self) -> None:
        """List what the last word may become."""
        prompt, offers = self.query_one(Prompt), self.query_one("#offers", OptionList)
        found = _later().completions(prompt.word, self._people) if prompt.has_focus else []
        prompt.is_completing = offers.display = bool(found)
        offers.clear_options()
        offers.add_options([Content(one) for one in found])
        offers.highlighted = 0 if found else None

    @on(Prompt.Steered)
    def steer(self, steered: Prompt.Steered) -> None:
        """Let a key choose among the completions."""
        prompt, offers = self.query_one(Prompt), self.query_one("#offers", OptionList)
        match steered.key:
            case "up":
                offers.action_cursor_up()
            case "down":
                offers.action_cursor_down()
            case "escape":
                prompt.is_completing = offers.display = False
            case _ if offers.highlighted is not None:
                chosen = str(offers.get_option_at_index(offers.highlighted).prompt)
                is_whole = not chosen.endswith(":")
                prompt.complete(chosen, is_whole=is_whole)

    # What is done with an answer

    @on(Turn.Wanted)
    async def do(self, wanted: Turn.Wanted) -> None:
        """Do what was asked for with one question."""
        await self._do(wanted.turn, wanted.what)

    async def action_latest(self, what: str) -> None:
        """Do something with the last question."""
        if self._turns:
            await self._do(self._latest(), what)

    async def _do(self, turn: Turn, what: str) -> None:
        told = turn.told
        if not turn.offers(what):
            return
        match what:
            case "why":
                self.app.push_screen(_later().EvidenceScreen(told, self._zone))
            case "edit":
                self._at = told.request.conversation.at if told.request.conversation else None
                self.query_one(Prompt).fill(told.request.question)
                self.query_one(Prompt).focus()
            case "again":
                await self.ask(told.request)
            case "without":
                await self.ask(replace(told.request, infer=False))
            case "compare":
                self.app.push_screen(_later().VariantScreen(told.request), self._vary(told))
            case _:
                self._show(turn, what)

    def _show(self, turn: Turn, what: str) -> None:
        answer = turn.told.answer
        if answer is None:
            return
        if what == "coverage":
            self.app.push_screen(_later().CoverageScreen(answer.coverage), self._remedy(turn))
        elif what == "table" and answer.table is not None:
            self.app.push_screen(_later().TableScreen(answer.table, self._zone))
        elif what == "agenda":
            self.app.push_screen(_later().AgendaScreen(_later().dated(answer), self._zone))
        elif what == "copy":
            self.app.copy_to_clipboard(turn.body.text)
            self.notify("Copied the answer.", markup=False)

    def _vary(self, told: Told) -> Callable[[Request | None], Awaitable[None]]:
        async def vary(request: Request | None) -> None:
            if request is not None and await self.ask(request):
                self._compared[self._number] = told

        return vary

    def _remedy(self, turn: Turn) -> Callable[[Remedy | None], Awaitable[None]]:
        async def apply(remedy: Remedy | None) -> None:
            if remedy == "unlock":
                self.action_unlock()
            elif remedy is not None:
                whole = remedy == "whole" or turn.told.request.whole
                await self.ask(replace(turn.told.request, whole=whole))

        return apply

    @on(OptionList.OptionSelected)
    def preview(self, selected: OptionList.OptionSelected) -> None:
        """Open a citation's source at the quote."""
        if isinstance(selected.option_list, Citations):
            citation = selected.option_list.citations[selected.option_index]
            self.app.push_screen(_later().PreviewScreen(citation, self._zone))

    @on(Citations.Opened)
    def open_source(self, opened: Citations.Opened) -> None:
        """Open the file in the program that the system has for it."""
        try:
            _later().open_file(opened.citation.passage.item.locator.path)
        except AskanceError as error:
            self.notify(str(error), severity="warning", markup=False)

    @on(Citations.Copied)
    def copy(self, copied: Citations.Copied) -> None:
        """Copy where it stands and what it says."""
        self.app.copy_to_clipboard(_later().copied_citation(copied.citation, self._zone))
        self.notify("Copied the citation.", markup=False)

    # The conversation as a whole

    async def action_new(self) -> None:
        """Begin anew: nothing of this conversation is meant by the next question."""
        if self.busy:
            self.notify("Escape cancels the question first.", markup=False)
            return
        await self.query_one("#turns").remove_children("Turn, .folded")
        self._turns.clear()
        self._conversation, self._at = Conversation(), None
        self._status = ""
        self._say("")
        self.query_one("#welcome").display = True
        self._draw_chips()
        self.query_one(Prompt).focus()

    def action_export(self) -> None:
        """Ask where to write the conversation."""
        if not self._conversation.turns:
            self.notify("There is no answer to export yet.", markup=False)
            return
        name = f"askance-{datetime.now(self._zone):%Y-%m-%d-%H%M}.md"
        asked = "Write questions, answers and quotes to a file (.md, or .json to read again):"
        later = _later()
        entry = later.EntryScreen(
            asked, str(Path.home() / name), later.fault_of, later.PathSuggester()
        )
        self.app.push_screen(entry, self._export)

    async def _export(self, typed: str | None) -> None:
        if typed is None:
            return
        try:
            path = await asyncio.to_thread(_later().export, self._conversation, typed, self._zone)
        except AskanceError as error:
            self.notify(str(error), severity="error", markup=False)
        else:
            self.notify(f"Wrote {path}.", markup=False)

    def action_forget(self) -> None:
        """Drop all text and passwords that are kept for the next question."""
        if self.busy:
            self.notify("Escape cancels the question first.", markup=False)
            return
        self._engine.send(Forget())
        self.notify(
            f"Forgot {size_text(self._text_kept)} of text, and all passwords.", markup=False
        )

    def action_unlock(self) -> None:
        """Take a password for encrypted files."""
        self.app.push_screen(_later().PasswordScreen(), self._unlock)

    async def _unlock(self, password: str | None) -> None:
        if password:
            self._engine.send(Unlock(password))
            self.notify("It is tried from the next question on, until you leave.", markup=False)
