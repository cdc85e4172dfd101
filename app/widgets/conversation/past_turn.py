"""A question of earlier: its words are left, not the passages that were read for it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import tzinfo

from textual.content import Content

from app.backend.messages import Request
from app.output.certainty import shown_reasons
from app.output.plain import one_line, short_path
from app.output.query.follow_up import understood_lines
from app.widgets.answer.mark import mark_of
from app.widgets.answer.markdown import styled
from app.widgets.conversation.asked import Asked
from engine.answer_parts import Cited
from engine.conversation import Conversation, Standalone, Turn

LINES_SHOWN = 200


@dataclass(frozen=True)
class Past:
    """The words of a question of earlier and of its answer."""

    request: Request
    understood: Request
    """As in `Asked`."""
    answer: str
    sources: list[str]
    """A line for each citation."""
    place: int | None
    """The turn of the conversation that it became; None: none."""
    mark: Content = field(default_factory=Content)
    """How sure the answer is; empty: it is not known."""
    reasons: list[str] = field(default_factory=list)
    """What speaks for an unsure answer and against it."""

    @classmethod
    def kept(cls, conversation: Conversation, turn: Turn, zone: tzinfo | None) -> Past:
        """Return a turn of a conversation that comes from the history."""
        request = Request(0, turn.asked, conversation=conversation.before(turn.id))
        is_put_anew = turn.question != turn.asked.strip()
        understood = request
        if is_put_anew or turn.scope:
            understood = replace(request, question=turn.question, scope=turn.scope)
        asked = request if is_put_anew else understood
        sources = [cited_line(one, zone) for one in turn.cited]
        mark, reasons = mark_of(turn), shown_reasons(turn)
        return cls(asked, understood, turn.answer, sources, turn.id, mark, reasons)


class PastTurn(Asked):
    """Shows question, answer and source lines; it can be edited and asked again.

    All of it is one widget, for there are many.
    """

    def __init__(self, past: Past) -> None:
        """Show an answer as it was, below what was asked."""
        super().__init__(past.request)
        self.past = past
        self.place = past.place

    def render(self) -> Content:
        """Return question, answer and sources."""
        put = Standalone(self.understood.question, self.understood.scope or ())
        facts = _muted(understood_lines(put, self.request.question))
        mark = [self.past.mark] if self.past.mark else []
        below = _muted([*self.past.reasons, *self.past.sources])
        answer = _shown(self.past.answer)
        return Content("\n").join([self.asked, *facts, *mark, answer, *below])

    def draw_asked(self) -> None:
        """Show the question in its present state."""
        self.refresh(layout=True)

    @property
    def understood(self) -> Request:
        """The question as it was understood."""
        return self.past.understood

    @property
    def copied(self) -> str:
        """The answer."""
        return self.past.answer


def _muted(shown: list[str]) -> list[Content]:
    return [Content.styled(line, "$text-muted") for line in shown]


def _shown(answer: str) -> Content:
    """Return an answer as it looked, of a long one its beginning."""
    whole = answer.strip("\n").split("\n")
    beginning = styled("\n".join(whole[:LINES_SHOWN]))
    if len(whole) <= LINES_SHOWN:
        return beginning
    more = f"… ({len(whole) - LINES_SHOWN:,} lines more; y copies all)"
    return Content("\n").join([beginning, Content.styled(more, "$text-muted")])


def cited_line(cited: Cited, zone: tzinfo | None) -> str:
    """Return what is left of a citation, on one line."""
    place = cited.locator.path
    date = f"{cited.when.astimezone(zone):%Y-%m-%d}" if cited.when else ""
    parts = [cited.title or place.name, *cited.people[:1], date, short_path(place)]
    return f"[{cited.id}] {one_line(', '.join(filter(None, parts)))}"
