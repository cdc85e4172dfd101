"""A question of earlier: its words are left, not the passages that were read for it."""

from __future__ import annotations

from datetime import tzinfo

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from app.asking.talk import Request
from app.shown.plain import lines, one_line
from app.widgets.asked import Asked
from engine.conversation import Cited, Conversation, Turn


class PastTurn(Asked):
    """Shows question, answer and source lines; it can be edited and asked again."""

    DEFAULT_CSS = """
    PastTurn .words { color: $text-muted; }
    """

    def __init__(self, request: Request, answer: str, sources: list[str]) -> None:
        """Show an answer as it was, below what was asked."""
        super().__init__(request)
        self._answer = answer
        self._sources = sources

    @classmethod
    def kept(cls, conversation: Conversation, turn: Turn, zone: tzinfo | None) -> PastTurn:
        """Return a turn of a conversation that comes from the history."""
        request = Request(0, turn.asked, conversation=conversation.before(turn.id))
        past = cls(request, turn.answer, [cited_line(one, zone) for one in turn.cited])
        past.place = turn.id
        return past

    def compose(self) -> ComposeResult:
        """Lay out question and words."""
        yield from super().compose()
        words = "\n".join([lines(self._answer), *self._sources])
        yield Static(Content(words), classes="words")

    @property
    def copied(self) -> str:
        """The answer."""
        return self._answer


def cited_line(cited: Cited, zone: tzinfo | None) -> str:
    """Return what is left of a citation, on one line."""
    place = cited.locator.path
    date = f"{cited.when.astimezone(zone):%Y-%m-%d}" if cited.when else ""
    parts = [cited.title or place.name, *cited.people[:1], date, str(place)]
    return f"[{cited.id}] {one_line(', '.join(filter(None, parts)))}"
