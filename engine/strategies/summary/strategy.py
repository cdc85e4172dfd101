"""Summary: one reading of what covers the scope best, or batches of everything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from engine.events import Drafted, Noted, Steps
from engine.generation.draft import Draft
from engine.strategies.summary.batches import BatchReading, size
from engine.strategies.summary.extract import extracted, supported
from engine.strategies.summary.length import SummaryLength
from engine.strategies.summary.parts import own_words, spread_out
from engine.strategies.summary.reading import PartReading, affordable, window_room
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
    tokens: int = field(default=0, metadata={"least": 0, "most": 1_000_000})
    """Tokens of passages that are read at once; 0: what effort and speed allow."""
    batches: int = 24
    """Most batches at effort `thorough`, which reads everything. Where more would be needed, the
    passages that match the question best are read."""
    sentences: int = 5
    """Of one batch."""

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Scope, read what fits, write, replace what has no support."""
        scope = yield from scoped(tools)
        every = {number: tools.corpus.passages[number] for number in scope.read}
        length = SummaryLength.of(tools.query.text)
        in_batches = self._in_batches(tools, every, window_room(tools, length))
        compared = every if in_batches else spread_out(every)
        whole = {one: passage for one in compared for passage in tools.passages([one])}
        passages = own_words(whole)
        if not passages:
            return Draft("", ())
        if _characters(passages) < _characters(whole):
            yield Noted("not read: header fields of mail, and earlier mail that it repeats")
        if tools.budget.late():
            return extracted(list(passages.values()), length.sentences, scope.words)
        if in_batches:
            batches = BatchReading(window_room(tools, length), self.batches, self.sentences)
            draft = yield from batches.write(tools, passages, length)
        else:
            room = self.tokens or affordable(tools, length.tokens)
            parts = PartReading(room, length, scope.words, list(every.values()))
            draft = yield from parts.write(tools, list(passages.values()))
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
