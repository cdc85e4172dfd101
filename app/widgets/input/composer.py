"""What the person types: the prompt, its filters as chips above it, and what a word may become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
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
    from app.output.query.offers import Command, Known, Offer
    from app.widgets.conversation.turn import Told
    from engine.answer_parts import Cited

CHIPS_TO = 5_000
"""Characters of a question up to which its filters are looked for at every key."""


def _filters() -> ModuleType:
    """Return what finds filters; no first picture waits for it."""
    from app.output.query import chips as filter_chips

    return filter_chips


def _offering() -> ModuleType:
    """Return what finds offers, likewise."""
    from app.output.query import offers

    return offers


class Composer(Vertical):
    """Where the next question is written. Chips show the last one's filters until then."""

    DEFAULT_CSS = """
    Composer { height: auto; }
    Composer #offers { height: auto; max-height: 6; border: none; padding: 0 1; display: none; }
    """

    def __init__(self) -> None:
        """Start empty."""
        super().__init__(id="composer")
        self._known: Known | None = None
        """What may be named; None as long as an import would be waited for."""
        self.scope: tuple[Cited, ...] | None = None
        """As in `Request`, of what is typed. It is over when nothing is typed."""
        self._last: Told | None = None
        self.bar = ChipBar()
        self.prompt = Prompt()
        self._offered: Sequence[Offer] = ()
        self._offers = OptionList(id="offers", markup=False)
        self._offers.can_focus = False  # the keys of the prompt move in it

    def compose(self) -> ComposeResult:
        """Lay out from chips to prompt."""
        yield self.bar
        yield self._offers
        yield self.prompt

    @property
    def is_ready(self) -> bool:
        """Whether filters and names can be found without waiting for an import."""
        return self._known is not None

    def get_ready(self, sources: Sequence[Path], commands: Sequence[Command]) -> None:
        """Find filters, names and commands from now on, those of what is typed already too."""
        self._known = _offering().Known(sources=tuple(sources), commands=tuple(commands))
        self.typing()

    def know(
        self, *, people: Sequence[str] | None = None, sources: Sequence[Path] | None = None
    ) -> None:
        """Offer other people, the likeliest first, or other sources."""
        if self._known is not None and people is not None:
            self._known = replace(self._known, people=tuple(people))
        if self._known is not None and sources is not None:
            self._known = replace(self._known, sources=tuple(sources))

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
        if len(typed) > CHIPS_TO or self._known is None:
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
        found: Sequence[Offer] = ()
        if self._known is not None and prompt.has_focus:
            found = _offering().offers(prompt.text, prompt.word, self._known)
        self._offered = found
        prompt.is_completing = offers.display = bool(found)
        width = max((len(one.text) for one in found), default=0)
        offers.clear_options()
        offers.add_options([_line(one, width) for one in found])
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
            case key if offers.highlighted is not None:
                self._take(self._offered[offers.highlighted], run=key == "enter")

    def _take(self, offer: Offer, *, run: bool) -> None:
        """Put what was chosen in the place of what is typed, or do it where it is a command."""
        if offer.command is None:
            self.prompt.complete(offer.text, is_whole=not offer.text.endswith(":"))
        elif run:
            self.prompt.fill("")
            offer.command.run()
        else:
            self.prompt.fill(offer.text)


def _line(offer: Offer, width: int) -> Content:
    said = Content.styled(offer.says, "$text-muted")
    return Content(f"{offer.text:<{width}}  ") + said if offer.says else Content(offer.text)
