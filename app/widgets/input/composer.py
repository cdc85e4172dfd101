"""What the person types: the prompt, its filters as chips above it, and what a word may become."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, TextArea

from app.widgets.input.chips import ChipBar
from app.widgets.input.prompt import Prompt

if TYPE_CHECKING:
    from app.backend.messages import Request
    from app.widgets.conversation.turn import Told
    from engine.answer_parts import Cited

CHIPS_TO = 5_000
"""Characters of a question up to which its filters are looked for at every key."""


def _filters() -> ModuleType:
    """Return what finds filters; no first picture waits for it."""
    from app.output.query import chips as filter_chips

    return filter_chips


class Composer(Vertical):
    """Where the next question is written. Chips show the last one's filters until then."""

    DEFAULT_CSS = """
    Composer { height: auto; }
    Composer #offers { height: auto; max-height: 6; border: none; padding: 0 1; display: none; }
    """

    def __init__(self) -> None:
        """Start empty."""
        super().__init__(id="composer")
        self.people: tuple[str, ...] = ()
        """Names that complete `from:`, the likeliest first."""
        self.is_ready = False
        """Whether filters can be found without waiting for an import."""
        self.scope: tuple[Cited, ...] | None = None
        """As in `Request`, of what is typed. It is over when nothing is typed."""
        self._last: Told | None = None
        self.bar = ChipBar()
        self.prompt = Prompt()
        self._offers = OptionList(id="offers", markup=False)
        self._offers.can_focus = False  # the keys of the prompt move in it

    def compose(self) -> ComposeResult:
        """Lay out from chips to prompt."""
        yield self.bar
        yield self._offers
        yield self.prompt

    def get_ready(self) -> None:
        """Find filters from now on, those of what is typed already too."""
        self.is_ready = True
        self.typing()

    def show_filters_of(self, last: Told | None) -> None:
        """Show the filters of the last question, as long as nothing else is typed."""
        self._last = last
        self._draw_chips()

    def edit(self, request: Request) -> None:
        """Let a question be changed."""
        self.scope = request.scope
        self.prompt.fill(request.question)
        self.prompt.focus()

    @on(TextArea.Changed)
    def typing(self) -> None:
        """Show the filters of what is typed, and what its last word may become."""
        if not self.prompt.text.strip():
            self.scope = None
        self._draw_chips()
        self._offer()

    def _draw_chips(self) -> None:
        typed = self.prompt.text
        if len(typed) > CHIPS_TO or not self.is_ready:
            shown = []
        elif not typed.strip() and self._last is not None:
            last = self._last.understood
            shown = _filters().chips(last.question, self._last.query, last.scope or ())
        elif typed.strip():
            shown = _filters().chips(typed, None, self.scope or ())
        else:
            shown = []
        self.bar.show(shown)

    @on(ChipBar.Removed)
    def remove_typed(self, removed: ChipBar.Removed) -> None:
        """Take a filter out of what is typed; those of the last question are left to the screen."""
        if self.prompt.text.strip():
            removed.stop()
            if removed.chip.is_scope:
                self.scope = ()
            typed = _filters().without(self.prompt.text, self.bar.chips, removed.chip)[0]
            self.prompt.fill(typed)
            self._draw_chips()
            self.leave_empty_bar()

    def leave_empty_bar(self) -> None:
        """Go to the prompt when there is no chip left."""
        if not self.bar.display:
            self.prompt.focus()

    def _offer(self) -> None:
        """List what the last word may become."""
        prompt, offers = self.prompt, self._offers
        wanted = self.is_ready and prompt.has_focus
        found = _filters().completions(prompt.word, self.people) if wanted else []
        prompt.is_completing = offers.display = bool(found)
        offers.clear_options()
        offers.add_options([Content(one) for one in found])
        offers.highlighted = 0 if found else None

    @on(Prompt.Steered)
    def steer(self, steered: Prompt.Steered) -> None:
        """Let a key choose among the completions."""
        prompt, offers = self.prompt, self._offers
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
