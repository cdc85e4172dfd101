"""Summary: one reading of what covers the scope best, or batches of everything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from engine.events import Drafted, Noted, Steps
from engine.generation.draft import Draft
from engine.strategies.summary.batches import BatchReading, size
from engine.strategies.summary.extract import extracted, supported
from engine.strategies.summary.length import SummaryLength
from engine.strategies.summary.parts import own_words
from engine.strategies.summary.reading import affordable, read_once, window_room
from engine.strategies.summary.scope import scoped
from engine.toolbox.steps import Toolbox
from engine.values import Passage


@dataclass(frozen=True)
class Summary:
    """One reading of the parts that cover the scope best; of everything where the effort says so.

    Where there is text there is a summary: without support for the model's words the text's own
    central sentences are shown.
    """

    name: ClassVar[str] = "summary"
    summary: ClassVar[str] = "what covers the scope best, condensed, every sentence cited"
    tokens: int = 0
    """Tokens of passages that are read at once; 0: what effort and speed allow."""
    batches: int = 24
    """Most batches at effort `thorough`, which reads everything. Where more would be needed, the
    passages that match the question best are read."""
    sentences: int = 5
    """Of one batch."""

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Scope, read what fits, write, replace what has no support."""
        scope = yield from scoped(tools)
        whole = {one: passage for one in scope.read for passage in tools.passages([one])}
        passages = own_words(whole)
        if not passages:
            return Draft("", ())
        if _characters(passages) < _characters(whole):
            yield Noted("not read: header fields of mail, and earlier mail that it repeats")
        length = SummaryLength.of(tools.query.text)
        if tools.budget.late():
            return extracted(list(passages.values()), length.sentences, scope.words)
        room = window_room(tools, length)
        if self._in_batches(tools, passages, room):
            reading = BatchReading(room, self.batches, self.sentences)
            draft = yield from reading.write(tools, passages, length)
        else:
            room = min(room, self.tokens or affordable(tools, length.tokens) or room)
            draft = yield from read_once(tools, list(passages.values()), room, length, scope.words)
        text = supported(draft.text, draft.evidence, tools.query.text)
        if text:
            return replace(draft, text=text)
        yield Drafted(0, draft.evidence, draft.text)
        yield Noted("nothing that the model wrote has support: shown is the text's own")
        shown = extracted(draft.evidence, length.sentences, scope.words)
        return replace(shown, ended=draft.ended)

    def _in_batches(self, tools: Toolbox, passages: Mapping[int, Passage], room: int) -> bool:
        """Say whether everything is to be read and does not fit into one reading."""
        if tools.settings.effort != "thorough" or self.tokens:
            return False
        model = tools.models.roles.generator
        return sum(size(model, passage) for passage in passages.values()) > room


def _characters(passages: Mapping[int, Passage]) -> int:
    return sum(len(one.text) for one in passages.values())
