"""Strategies that fill the context with all that was read."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import ClassVar

from engine.events import Steps
from engine.generation.draft import Draft
from engine.retrieval.recall import best_first
from engine.toolbox.steps import Toolbox
from engine.toolbox.window import WindowSpace, head_and_tail, require_whole
from engine.values import Excerpt


@dataclass(frozen=True)
class LongContext:
    """Everything that was read, in document order (LC of FB-RAG, section 3)."""

    name: ClassVar[str] = "long_context"
    summary: ClassVar[str] = "everything, refused where it does not fit"

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Write from all passages. Raises `CorpusTooLarge`."""
        everything = tools.passages.allowed()
        require_whole(tools, everything)
        return (yield from tools.write(everything))


@dataclass(frozen=True)
class TruncateMiddle:
    """Beginning and end of everything that was read, half the window each (LongBench)."""

    name: ClassVar[str] = "truncate_middle"
    summary: ClassVar[str] = "beginning and end of everything, half the context each"

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Leave out the middle where not everything fits, then write."""
        kept = head_and_tail(tools, tools.passages.allowed())
        tools.passages.cut({i: part for i, part in kept.items() if isinstance(part, Excerpt)})
        return (yield from tools.write(list(kept)))


@dataclass(frozen=True)
class TtragBaseline:
    """The best passages among random others until the context is full (TTRAG, section 4)."""

    name: ClassVar[str] = "ttrag_baseline"
    summary: ClassVar[str] = "ten best passages shuffled among random ones, context full"
    best: int = 10

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Recall, fill up at random, shuffle, write; the seed decides."""
        scores = yield from tools.recall()
        hits = [int(i) for i in best_first(scores)[: self.best] if scores[i] > 0]
        if not hits:
            return Draft("", ())
        room, random = WindowSpace.of(tools), Random(tools.settings.seed)  # noqa: S311 -- no secret
        chosen = room.fill(hits)
        others = sorted(set(tools.passages.allowed()) - set(hits))
        random.shuffle(others)
        chosen += room.fill(others)
        random.shuffle(chosen)
        return (yield from tools.write(chosen))
