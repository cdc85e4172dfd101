"""The chat: questions and answers from top to bottom, and where the next question is typed."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import OptionList

from app.backend.messages import (
    Cancel,
    Changed,
    Ended,
    Engine,
    Forget,
    Happened,
    ModelsSaid,
    ReadOn,
    Reply,
    Request,
    TextKept,
    Unlock,
)
from app.hints import hint
from app.screens.chat.frame import NO_SOURCES, ChatFrame
from app.screens.chat.late_imports import import_later
from app.screens.chat.reply import Replied
from app.screens.garbage import Tidying
from app.settings.current import Current
from app.widgets.answer.citations import Citations
from app.widgets.conversation.asked import ASK_AGAIN, Asked
from app.widgets.conversation.turns import Turns
from app.widgets.input.chips import ChipBar
from app.widgets.input.prompt import Prompt
from app.widgets.key_bar import KeyBar

if TYPE_CHECKING:
    from app.screens.chat.answer_screens import AnswerScreens
    from app.widgets.conversation.turn import Told, TurnView
    from engine.events import Event

DRAW_SECONDS = 0.1
TO_SOURCE = "Go to the source of an answer, or back"
AS_WRITTEN = "It is asked as you write it: nothing is put in from what was said before."
ASK_TO_UNLOCK = "Password of encrypted files, kept in memory until you leave:"


class LateImportsDone(Message):
    """What the first picture does not need is there."""


class ChatScreen(ChatFrame):
    """Draws what the engine tells. Text from files is shown as it is, never as markup."""

    AUTO_FOCUS = "Prompt"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel", id="cancel", tooltip="Cancel; else go up or down"),
        Binding(  # a prompt takes the letter, unless this comes first
            *("alt+s", "turn_pane", "Source", False),
            priority=True,
            id="turn_pane",
            tooltip=TO_SOURCE,
        ),
        Binding("ctrl+t", "latest('why')", "Why", id="why_latest", tooltip="Show the evidence"),
        Binding("ctrl+g", "latest('again')", "Again", False, id="ask_again", tooltip=ASK_AGAIN),
        Binding("ctrl+o", "unlock", "Unlock", False, id="unlock", tooltip="Enter a password"),
        Binding(
            "ctrl+l", "forget", "Forget", False, id="forget", tooltip="Drop all text from memory"
        ),
    ]

    def __init__(self, current: Current, engine: Engine, tidying: Tidying) -> None:
        """Take the settings, whoever answers, and what collects garbage."""
        super().__init__(current)
        self._tidying = tidying
        self._engine = engine
        self._compared: dict[int, Told] = {}
        """By the number of a request, the answer it is to be compared with."""
        self._number = 0
        self._in_hand: TurnView | None = None
        self._began = 0.0
        self._status = ""
        self._changed: set[Path] = set()

    def on_mount(self) -> None:
        """Start where people type; the engine starts meanwhile."""
        self.draw_welcome()
        self.draw_title()
        self._composer.prompt.focus()
        self.set_interval(DRAW_SECONDS, self._tick)
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """Start the engine, and import the rest, now that there is something to see."""
        self._engine.listen(self._hear)
        self.run_worker(self._import, thread=True)

    def _import(self) -> None:
        import_later()
        self.post_message(LateImportsDone())

    @on(LateImportsDone)
    def find_filters(self) -> None:
        """Show the filters of what is typed, which until now would have been waited for.

        What is there by now is no garbage.
        """
        self._tidying.begin()
        self._composer.get_ready(self._config.sources, self.commands())

    def _hear(self, reply: Reply) -> None:
        """Take a reply in the engine's thread."""
        self.post_message(Replied(reply))

    @cached_property
    def _answer_screens(self) -> AnswerScreens:
        from app.screens.chat.answer_screens import AnswerScreens  # no first picture waits for it

        return AnswerScreens(self._turns)

    @on(Turns.ScreenWanted)
    def open_screen(self, wanted: Turns.ScreenWanted) -> None:
        """Open a screen about an answer."""
        self._answer_screens.open(wanted.turn, wanted.what)

    @on(OptionList.OptionSelected)
    def preview(self, selected: OptionList.OptionSelected) -> None:
        """Open a citation's source at the quote."""
        if isinstance(selected.option_list, Citations):
            among = selected.option_list.citations
            self._answer_screens.preview(among[selected.option_index], among)

    @on(Citations.Opened)
    def open_source(self, opened: Citations.Opened) -> None:
        """Open a citation's file in its program."""
        self._answer_screens.open_source(opened.citation)

    @on(Citations.Copied)
    def copy_citation(self, copied: Citations.Copied) -> None:
        """Copy a citation."""
        self._answer_screens.copy(copied.citation)

    # Asking

    @property
    def busy(self) -> bool:
        """Whether a question is being answered; models serve one at a time."""
        return self._in_hand is not None

    @on(Prompt.Sent)
    async def ask_typed(self, sent: Prompt.Sent) -> None:
        """Ask what was typed; it stays there while there is nothing to read."""
        if sent.question.startswith("/") and len(sent.question.split()) == 1:
            said = f"There is no command {sent.question}. A slash alone lists them."
            self.notify(said, severity="warning", markup=False)
            return
        if not self._current.config.sources:
            self.notify(hint(NO_SOURCES, self.app), severity="warning", markup=False)
            return
        before, scope = self._talk.before, self._composer.scope
        if await self.ask(Request(0, sent.question, conversation=before, scope=scope)):
            prompt = self._composer.prompt
            prompt.remember(sent.question)
            prompt.fill("")

    async def ask(self, request: Request, beside: Told | None = None) -> bool:
        """Start answering, `beside` an answer to compare with; say whether it was possible."""
        if self.busy:
            self.notify("One question at a time. Escape cancels this one.", markup=False)
            return False
        await asyncio.to_thread(
            import_later
        )  # who asks at once waits for imports, the screen does not
        from app.widgets.conversation.turn import Told, TurnView

        self.turn_back()
        self._number += 1
        request = replace(request, number=self._number, config=self._current.config)
        self._changed.clear()
        self._status = "Starting"
        self.say("Starting …")
        self._welcome.display = False
        if beside is not None:
            self._compared[request.number] = beside
        self._began = time.monotonic()
        told = Told(request)
        turn = self._in_hand = TurnView(told, self._turns.zone, str(self._config.path))
        await self._turns.add(turn)
        self._composer.show_filters_of(told)
        self._engine.send(request)
        self._talk.prepare()
        return True

    @on(ChipBar.Removed)
    async def ask_without(self, removed: ChipBar.Removed) -> None:
        """Ask the last question again without one of its filters."""
        from app.output.query.chips import without

        if (last := self._turns.latest) is not None:
            request = last.told.understood
            chips = self._composer.bar.chips
            question, infer = without(request.question, chips, removed.chip)
            scope = () if removed.chip.is_scope else request.scope
            request = replace(request, question=question, scope=scope)
            await self.ask(replace(request, infer=infer and request.infer))
            self._composer.leave_empty_bar()

    @on(Turns.AskWanted)
    async def ask_once_more(self, wanted: Turns.AskWanted) -> None:
        """Ask what was asked before, and compare the answers where that is wanted."""
        await self.ask(wanted.request, wanted.beside)

    @on(Turns.EditWanted)
    def edit(self, wanted: Turns.EditWanted) -> None:
        """Let a question be changed; what is then asked follows what that one followed."""
        before = wanted.request.conversation
        self._talk.at = before.at if before else None
        self._composer.edit(wanted.request)
        if wanted.request.scope is not None:
            self.say(AS_WRITTEN)

    def action_latest(self, what: str) -> None:
        """Do something with the last question."""
        if (turn := self._turns.latest) is not None:
            self._turns.do(turn, what)

    def action_cancel(self) -> None:
        """Cancel the question in hand; without one, go from the prompt to the answers or back."""
        if self.turn_back():
            return
        turn, answers = self._in_hand, self._turns.query_children(Asked)
        if turn is not None:
            self._engine.send(Cancel(turn.told.request.number))
            self._hear(Ended(turn.told.request.number, cancelled=True))
        elif self._composer.prompt.has_focus and answers:
            answers.last().focus()
        else:
            self._composer.prompt.focus()

    # What the engine tells

    @on(Replied)
    async def hear(self, replied: Replied) -> None:
        """Draw one reply. What still comes of a cancelled question is left out."""
        match replied.reply:
            case Happened(number, event):
                await self._draw(self._turns[number], event)
            case ModelsSaid(number, text):
                if self._is_running(self._turns[number]):
                    self._status = text
            case Ended():
                turn = self._turns[replied.reply.number]
                if turn is not None and self._is_running(turn):
                    await self._end(turn, replied.reply)
            case TextKept(size):
                self.text_kept = size
                self.draw_title()
            case ReadOn() as read_on:
                self.show_reading_on(read_on)
            case Changed(path):
                self._changed.add(path)

    def _is_running(self, turn: TurnView | None) -> bool:
        return turn is not None and turn is self._in_hand

    async def _draw(self, turn: TurnView | None, event: Event) -> None:
        if turn is not None and self._is_running(turn):
            self._status = ""
            before = turn.found.best
            turn.draw(event)
            if turn.found.best is not None and turn.found.best is not before:
                await self.show_found(turn.found.best)

    async def _end(self, turn: TurnView, ended: Ended) -> None:
        """Show how it ended and take the next question."""
        self._in_hand = None
        if ended.people:
            self._composer.know(people=ended.people)
        await turn.end(ended)
        self._status = ""
        self.say("")
        await self.show_source(turn)
        self._composer.show_filters_of(turn.told)
        self.refresh_bindings()
        # Textual's footer holds on to keys that it no longer shows until this is said to change.
        self._keys.mutate_reactive(KeyBar.compact)
        self._note_answer(turn)
        if not ended.cancelled:
            self.call_back_after(time.monotonic() - self._began)
        self._tidying.answered()
        other = self._compared.pop(ended.number, None)
        if other is not None and turn.told.answer is not None:
            self._answer_screens.compare(other, turn.told)

    def _note_answer(self, turn: TurnView) -> None:
        """Let the conversation go on from an answer, and keep it where that is wanted."""
        answer, before = turn.told.answer, turn.request.conversation
        if answer is not None and before is not None:
            turn.place = self._talk.answered(answer, turn.request.question, before)
            self._turns.stand(self._talk.whole)
            self.run_worker(self._talk.keep())

    async def _tick(self) -> None:
        """Draw what came since the last time."""
        if self._in_hand is not None:
            turn = self._in_hand
            await turn.flush()
            if turn is not self._in_hand:
                return  # it ended meanwhile
            self.say(self._status or turn.told.stages.now())
        elif self._turns.latest is not None and self._changed:
            files = f"{len(self._changed)} file{'' if len(self._changed) == 1 else 's'}"
            self.say(hint(f"Changed since: {files}; {{ask_again}} asks again.", self.app))

    def draw_conversation(self, *, is_new: bool) -> None:
        """Show that another conversation is under way."""
        self._status = ""
        self._composer.scope = None
        self.say("")
        self.hide_source()
        super().draw_conversation(is_new=is_new)

    def action_forget(self) -> None:
        """Drop all text and passwords that are kept for the next question."""
        from app.output.report import size_text

        if self._is_free():
            self._engine.send(Forget())
            size = size_text(self.text_kept)
            self.notify(f"Forgot {size} of text, and all passwords.", markup=False)

    @on(Turns.UnlockWanted)
    def action_unlock(self) -> None:
        """Take a password for encrypted files."""
        from app.screens.dialogs.password import PasswordScreen

        self.app.push_screen(PasswordScreen(ASK_TO_UNLOCK), self._unlock)

    async def _unlock(self, password: str | None) -> None:
        if password:
            self._engine.send(Unlock(password))
            self.notify("It is tried from the next question on, until you leave.", markup=False)
