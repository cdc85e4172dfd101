"""What is done on the screen with the conversation as a whole, whoever answers in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from app.screens.chat.conversation import Conversing, PassphraseWanted, answer_once
from app.screens.lists.base import ListingScreen
from app.settings.current import Current
from app.settings.zone import zone_of
from app.widgets.conversation.turns import Turns
from app.widgets.input.composer import Composer

if TYPE_CHECKING:
    from engine.conversation import Conversation


class ConversationScreen(Screen[None]):
    """Begins conversations, goes on with them, finds words in them, and writes them to files."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+n", "new", "New", id="new", tooltip="Begin another conversation"),
        Binding(
            "alt+n",
            "new(True)",
            "New, temporary",
            False,
            priority=True,  # a prompt takes the letter otherwise
            id="new_temporary",
            tooltip="Begin a conversation that is not kept",
        ),
        Binding(
            "f9",
            "temporary",
            "Temporary",
            False,
            id="temporary",
            tooltip="Leave this conversation out of the history, or take it in",
        ),
        Binding(
            "ctrl+f", "find", "Find", False, id="find", tooltip="Find words in this conversation"
        ),
        Binding("ctrl+s", "export", "Export", False, id="export", tooltip="Write it to a file"),
    ]

    def __init__(self, current: Current) -> None:
        """Begin a conversation with the settings of a session."""
        super().__init__()
        self._current = current
        self._welcome = Static(Content(""), id="welcome")
        self._turns = Turns(self._welcome, zone=zone_of(current.config))
        self._composer = Composer()
        self._talk = Conversing(self, current)

    def on_unmount(self) -> None:
        """Close the history; what is being kept is kept."""
        self._talk.close()

    @property
    def busy(self) -> bool:
        """Whether a question is being answered; models serve one at a time."""
        raise NotImplementedError

    def draw_title(self) -> None:
        """Show whether the conversation is kept."""
        raise NotImplementedError

    def draw_conversation(self, *, is_new: bool) -> None:
        """Show that another conversation is under way."""
        self.draw_title()
        self._welcome.display = is_new
        self._composer.show_filters_of(None)
        self._composer.prompt.focus()

    def _is_free(self) -> bool:
        """Say whether no question is in hand, and what to do where one is."""
        if self.busy:
            self.notify("Escape cancels the question first.", markup=False)
        return not self.busy

    async def action_new(self, temporary: bool = False) -> None:
        """Begin anew, perhaps with what is never kept."""
        if self._is_free():
            self._talk.begin(temporary=temporary)
            await self._turns.clear()
            self.draw_conversation(is_new=True)

    async def resume(self, conversation: Conversation, place: int | None = None) -> None:
        """Go on with a kept conversation, at what was found in it."""
        if self._is_free():
            self._talk.go_on_with(conversation)
            await self._turns.put(conversation)
            self.draw_conversation(is_new=False)
            if place is not None:
                self.call_after_refresh(self._turns.go_to, place)

    def history_screen(self) -> ListingScreen:
        """Return the list of kept conversations, which goes on with one of them here."""
        from app.screens.lists.history import HistoryScreen

        return HistoryScreen(
            self._talk.archive,
            self._current.config,
            self._turns.zone,
            lambda conversation, place: self.call_later(self.resume, conversation, place),
        )

    def action_temporary(self) -> None:
        """Leave this conversation out of the history, or take it in after all."""
        if not self._talk.is_history_on:
            self.notify("History is off: no conversation is kept.", markup=False)
            return
        self._talk.temporary = not self._talk.temporary
        self.run_worker(self._leave_out() if self._talk.temporary else self._take_in())
        self.draw_title()

    async def _leave_out(self) -> None:
        if await self._talk.forget_kept():
            said = "From now on it is not kept; the history holds nothing of this conversation."
            self.notify(said, markup=False)

    async def _take_in(self) -> None:
        self.notify("This conversation is kept, encrypted from now on.", markup=False)
        await self._talk.keep()

    @on(PassphraseWanted)
    def ask_passphrase(self, wanted: PassphraseWanted) -> None:
        """Ask what the history waits for."""
        from app.screens.dialogs.password import PasswordScreen

        screen = PasswordScreen(wanted.prompt)
        self.app.push_screen(screen, lambda typed: answer_once(wanted.typed, typed))

    @on(Turns.BranchWanted)
    async def go_on_elsewhere(self, wanted: Turns.BranchWanted) -> None:
        """Go on from what else was asked at that place."""
        place = self._talk.branch(wanted.place, wanted.step)
        self._turns.stand(self._talk.whole)
        await self._turns.go_to(place)

    def action_find(self) -> None:
        """Find words in this conversation."""
        if not self._talk.whole.turns:
            self.notify("There is no answer yet to find words in.", markup=False)
            return
        from app.screens.dialogs.find import FindScreen

        self.app.push_screen(FindScreen(self._talk.whole), self._go_to)

    async def _go_to(self, place: int | None) -> None:
        if place is not None:
            await self._turns.go_to(place)

    def action_export(self) -> None:
        """Ask where to write the conversation."""
        if not self._talk.whole.turns:
            self.notify("There is no answer to export yet.", markup=False)
            return
        from app.screens.dialogs.export import ask_and_export

        ask_and_export(self, self._talk.whole, self._turns.zone)
