"""Questions and answers from top to bottom, and what is done with one of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import TYPE_CHECKING

from textual import on
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from app.backend.messages import Request
from app.widgets.conversation.asked import Asked
from app.widgets.growth import Growing

if TYPE_CHECKING:
    from app.widgets.conversation.past_turn import Past
    from app.widgets.conversation.turn import Told, TurnView
    from engine.conversation import Conversation

WHOLE = 20
"""Answers that can be opened and examined; of earlier ones only the words are kept."""
SHOWN = 60
"""Questions on the screen; those before them come back when they are asked for."""


class Turns(Growing, VerticalScroll, can_focus=False):
    """Holds the turns by the numbers of their requests."""

    DEFAULT_CSS = """
    Turns { height: 1fr; scrollbar-size-vertical: 1; }
    Turns #earlier { height: auto; padding: 0 2; margin-bottom: 1; color: $text-muted; }
    """

    @dataclass
    class AskWanted(Message):
        """A question is to be asked once more, perhaps otherwise."""

        request: Request
        beside: Told | None = None
        """The answer that the new one is to be compared with."""

    @dataclass
    class EditWanted(Message):
        """A question is to be changed where it stood."""

        request: Request
        """As it was understood."""

    @dataclass
    class BranchWanted(Message):
        """The conversation is to go on from what else was asked at the place of a turn."""

        place: int
        step: int
        """-1: what was asked there before; 1: afterwards."""

    @dataclass
    class ScreenWanted(Message):
        """A screen about an answer is to be opened."""

        turn: Asked
        what: str
        """As in the bindings of a turn."""

    class UnlockWanted(Message):
        """A password is to be entered."""

    def __init__(self, *above: Static, zone: tzinfo | None) -> None:
        """Start with what is shown above the first turn."""
        self._hint = Static("", id="earlier")
        self._hint.display = False
        super().__init__(*above, self._hint, id="turns")
        self.zone = zone
        """In which times are shown."""
        self._turns: dict[int, TurnView] = {}
        self._unseen: TurnView | None = None
        """The last one, as long as it is not shown from its beginning and nobody scrolled."""
        self._hidden: list[Past] = []
        self._conversation: Conversation | None = None

    def on_mount(self) -> None:
        """Stay at the end while an answer grows."""
        self.anchor()

    def __getitem__(self, number: int) -> TurnView | None:
        """Return the turn of a request, None when it was folded or taken away."""
        return self._turns.get(number)

    def around(self, widget: Widget) -> TurnView | None:
        """Return the turn that a widget is or belongs to; None: none, or one of earlier."""
        return next(
            (turn for turn in self._turns.values() if turn in widget.ancestors_with_self), None
        )

    @property
    def latest(self) -> TurnView | None:
        """The turn that was added last."""
        return next(reversed(self._turns.values()), None)

    async def add(self, turn: TurnView) -> None:
        """Put a turn below the others."""
        self._turns[turn.told.request.number] = turn
        await self.mount(turn)
        self.anchor()
        self._unseen = turn
        await self._fold()

    async def _fold(self) -> None:
        """Leave only the words of old turns, so that a long day does not fill the memory."""
        from app.widgets.conversation.past_turn import PastTurn  # no first picture waits for it

        for number in list(self._turns)[:-WHOLE]:
            turn = self._turns.pop(number)
            await self.mount(PastTurn(turn.folded()), before=turn)
            await turn.remove()
        beyond = list(self.query_children(PastTurn))[: WHOLE - SHOWN]
        self._hidden += [past.past for past in beyond]
        await self.remove_children(beyond)
        self._draw_hint()
        if self._conversation is not None:
            self.stand(self._conversation)

    def _draw_hint(self) -> None:
        count = len(self._hidden)
        which = f"{count:,} earlier questions" if count > 1 else "1 earlier question"
        self._hint.update(Content(f"{which}: k on the first one below shows more"))
        self._hint.display = count > 0

    @on(Asked.EarlierWanted)
    async def show_earlier(self, wanted: Asked.EarlierWanted) -> None:
        """Show more of the questions that are not shown, and go to the last of them."""
        if self._hidden and wanted.turn is self.query_children(Asked).first():
            await self._bring_back(min(WHOLE, len(self._hidden)))

    async def _bring_back(self, count: int) -> None:
        """Show the last so many of the questions that are not shown; go to the last of them."""
        from app.widgets.conversation.past_turn import PastTurn  # no first picture waits for it

        self._hidden, back = self._hidden[:-count], self._hidden[-count:]
        shown = [PastTurn(past) for past in back]
        await self.mount_all(shown, after=self._hint)
        self._draw_hint()
        if self._conversation is not None:
            self.stand(self._conversation)
        shown[-1].focus()

    async def clear(self) -> None:
        """Take all turns away."""
        self._turns.clear()
        self._hidden.clear()
        self._unseen = None
        self._conversation = None
        self._draw_hint()
        await self.remove_children(Asked)

    async def put(self, conversation: Conversation) -> None:
        """Show a conversation of earlier in place of what is there."""
        from app.widgets.conversation.past_turn import (  # no first picture waits for it
            Past,
            PastTurn,
        )

        await self.clear()
        past = [Past.kept(conversation, turn, self.zone) for turn in conversation.turns]
        self._hidden = past[:-SHOWN]
        await self.mount_all([PastTurn(one) for one in past[-SHOWN:]])
        self._draw_hint()
        self.stand(conversation)
        self.anchor()

    def stand(self, conversation: Conversation) -> None:
        """Show the place of each turn in the conversation."""
        self._conversation = conversation
        path = {turn.id for turn in conversation.path}
        for turn in self.query_children(Asked):
            turn.stand(conversation, turn.place in path)

    async def go_to(self, place: int) -> None:
        """Go to a turn of the conversation."""
        places = [past.place for past in self._hidden]
        if place in places:
            await self._bring_back(len(places) - places.index(place))
        for turn in self.query_children(Asked):
            if turn.place == place:
                turn.focus()

    def release_anchor(self) -> None:
        """Let go of the end, as whoever scrolls away from it does."""
        super().release_anchor()
        self._unseen = None

    def on_resize(self) -> None:
        """Look again: filters that are shown below leave less room."""
        self.show_beginning()

    @on(Asked.Laid)
    def show_beginning(self) -> None:
        """Show an answer that is longer than the screen from its question on.

        Once, and not to those who scrolled away from the end meanwhile.
        """
        turn, room = self._unseen, self.scrollable_content_region.height
        if turn is not None and turn.is_laid and turn.outer_size.height > room:
            self.anchor(anchor=False)
            self.scroll_to_widget(turn, top=True, animate=False)

    @on(Asked.Wanted)
    def do_wanted(self, wanted: Asked.Wanted) -> None:
        """Do what was asked for with one question."""
        self.do(wanted.turn, wanted.what)

    def do(self, turn: Asked, what: str) -> None:
        """Do something with a question, if it can be done now; `what` as in its bindings."""
        if not turn.offers(what):
            return
        match what:
            case "edit":
                self.post_message(self.EditWanted(turn.understood))
            case "again":
                again = self._answers_to(turn)
                self.post_message(self.AskWanted(replace(turn.request, again=again)))
            case "without":
                self.post_message(self.AskWanted(replace(turn.request, infer=False, scope=())))
            case "further":
                self.post_message(self.AskWanted(replace(turn.request, effort="thorough")))
            case "copy":
                self.app.copy_to_clipboard(turn.copied)
            case "branch_before" | "branch_after" if turn.place is not None:
                step = -1 if what == "branch_before" else 1
                self.post_message(self.BranchWanted(turn.place, step))
            case _:
                self.post_message(self.ScreenWanted(turn, what))

    def _answers_to(self, turn: Asked) -> int:
        """Return how many answers a question has at its place; it counts on where it has none."""
        if turn.place is None or self._conversation is None:
            return turn.request.again
        there = self._conversation.alternatives(turn.place)
        return sum(other.asked == turn.request.question for other in there)
