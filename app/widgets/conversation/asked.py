"""What every question in the chat has: its words, its place in the conversation, and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from app.backend.messages import Request
from app.output.plain import lines

if TYPE_CHECKING:
    from engine.conversation import Conversation

ASKED_SHOWN = 1_000
ASK_AGAIN = "Ask it again, now; what is drawn at random is drawn with another seed"


class Asked(Widget, can_focus=True):
    """A question with what came of it below. Keys on it are about this question."""

    DEFAULT_CSS = """
    Asked { width: 1fr; height: auto; padding: 0 1; margin-bottom: 1; border-left: blank; }
    Asked:focus, Asked:focus-within { border-left: thick $accent; }
    Asked.aside { color: $text-muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "about('edit')", "Edit", id="edit", tooltip="Change the question and ask"),
        Binding("r", "about('again')", "Again", False, id="again", tooltip=ASK_AGAIN),
        Binding("y", "about('copy')", "Copy", False, id="copy", tooltip="Copy the answer"),
        Binding(
            "left_square_bracket",
            "about('branch_before')",
            "Before",
            False,
            id="branch_before",
            tooltip="Go to the question asked here before, and on from there",
        ),
        Binding(
            "right_square_bracket",
            "about('branch_after')",
            "After",
            False,
            id="branch_after",
            tooltip="Go to the question asked here afterwards, and on from there",
        ),
        Binding(
            "k", "next_turn(-1)", "Earlier", False, id="earlier", tooltip="Go to the one before"
        ),
        Binding("j", "next_turn(1)", "Later", False, id="later", tooltip="Go to the next one"),
        Binding("up", "step(-1)", show=False),
        Binding("down", "step(1)", show=False),
    ]

    class Wanted(Message):
        """Something is to be done with this question."""

        def __init__(self, turn: Asked, what: str) -> None:
            """Keep what: a word of the bindings."""
            super().__init__()
            self.turn = turn
            self.what = what

    class EarlierWanted(Message):
        """The questions before this one, the first one shown, are to be shown."""

        def __init__(self, turn: Asked) -> None:
            """Keep the one that was the first."""
            super().__init__()
            self.turn = turn

    class Laid(Message):
        """The whole answer takes its room."""

    def __init__(self, request: Request) -> None:
        """Show what was asked."""
        super().__init__()
        self.request = request
        self.place: int | None = None
        """The turn of the conversation that it became; None while there is none."""
        self._branches = (1, 1)

    @property
    def asked(self) -> Content:
        """The question, and which of several that were asked at this place it is."""
        style = "$text-muted" if self.has_class("aside") else "$accent bold"
        asked = Content.styled(f"> {_asked(self.request.question)}", style)
        number, of = self._branches
        if of == 1:
            return asked
        others = f"{number} of {of} asked here; [ and ] go to the others"
        return Content("\n").join([asked, Content.styled(others, "$text-muted")])

    def draw_asked(self) -> None:
        """Show the question in its present state."""
        raise NotImplementedError

    def stand(self, conversation: Conversation, on_path: bool) -> None:
        """Show whether the next question follows this one, and what else does."""
        if self.place is None:
            return
        others = [turn.id for turn in conversation.alternatives(self.place)]
        branches = (others.index(self.place) + 1, len(others))
        if branches != self._branches or on_path == self.has_class("aside"):
            self.set_class(not on_path, "aside")
            self._branches = branches
            self.draw_asked()

    def offers(self, what: str) -> bool:
        """Say whether something can be done with this question now."""
        if what in ("branch_before", "branch_after"):
            return self._branches[1] > 1
        return what in ("edit", "again", "copy")

    @property
    def understood(self) -> Request:
        """The question as it was understood: asked so, it is asked as written."""
        raise NotImplementedError

    @property
    def copied(self) -> str:
        """What is copied."""
        raise NotImplementedError

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what this question has."""
        return self.offers(str(parameters[0])) if action == "about" else True

    def action_about(self, what: str) -> None:
        """Ask the screen for it."""
        self.post_message(self.Wanted(self, what))

    def action_step(self, step: int) -> None:
        """Move by a line in what is longer than the screen, else to the question beside it."""
        if not isinstance(self.parent, Widget):
            return
        view, place = self.parent.container_viewport, self.region
        if step < 0 and place.y < view.y:
            self.parent.scroll_relative(y=-1, animate=False)
        elif step > 0 and place.bottom > view.bottom:
            self.parent.scroll_relative(y=1, animate=False)
        else:
            self.action_next_turn(step)

    def action_next_turn(self, step: int) -> None:
        """Go to the question before or after."""
        if self.parent is None:
            return
        turns = list(self.parent.query_children(Asked))
        place = turns.index(self) + step
        if place < 0:
            self.post_message(self.EarlierWanted(self))
        elif place < len(turns):
            turns[place].focus()


def _asked(question: str) -> str:
    """Return a question, cut where it is a whole text that was pasted."""
    shown = lines(question)
    more = len(shown) - ASKED_SHOWN
    return shown if more <= 0 else f"{shown[:ASKED_SHOWN]}… ({more:,} characters more)"
