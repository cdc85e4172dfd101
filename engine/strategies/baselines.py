"""Retrieval without looking ahead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.checking import abstention
from engine.errors import CorpusTooLarge
from engine.events import Noted, Steps
from engine.generation.draft import Draft
from engine.toolbox.steps import Toolbox
from engine.toolbox.window import require_whole


@dataclass(frozen=True)
class Vanilla:
    """The best passages by BM25, best first."""

    name: ClassVar[str] = "vanilla"
    summary: ClassVar[str] = "best passages by BM25, best first"

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Recall, then write."""
        scores = yield from tools.recall()
        return (yield from tools.write(tools.fit_generator(scores)))


@dataclass(frozen=True)
class OrderPreserving:
    """The same passages put back into document order (OP-RAG, Yu et al. 2024)."""

    name: ClassVar[str] = "order_preserving"
    summary: ClassVar[str] = "best passages by BM25, in document order"

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Recall, sort by place, then write."""
        scores = yield from tools.recall()
        return (yield from tools.write(sorted(tools.fit_generator(scores))))


@dataclass(frozen=True)
class SelfRoute:
    """Retrieved passages first; everything where they hold no answer (Li et al. 2024)."""

    name: ClassVar[str] = "self_route"
    summary: ClassVar[str] = "best passages; all of them where these hold no answer"

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Answer or say "unanswerable"; then read all that was read, where it fits."""
        scores = yield from tools.recall()
        draft = yield from tools.write(tools.fit_generator(scores), "route")
        if draft.evidence and not abstention.denies(draft.text):
            return draft
        everything = tools.passages.allowed()
        try:
            require_whole(tools, everything)
        except CorpusTooLarge as error:
            yield Noted(f"The long context is not read: {error.message}")
            return draft
        return (yield from tools.write(everything))
