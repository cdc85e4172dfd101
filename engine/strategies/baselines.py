"""Retrieval without looking ahead."""

from __future__ import annotations

from collections.abc import Generator as Steps

from engine.events import Event
from engine.steps import Draft, Toolbox


class Vanilla:
    """The best passages by BM25, best first."""

    name = "vanilla"
    summary = "best passages by BM25, best first"

    def run(self, tools: Toolbox) -> Steps[Event, None, Draft]:
        """Recall, then write."""
        scores = yield from tools.recall()
        return (yield from tools.write(tools.fit_generator(scores)))


class OrderPreserving:
    """The same passages put back into document order (OP-RAG, Yu et al. 2024)."""

    name = "order_preserving"
    summary = "best passages by BM25, in document order"

    def run(self, tools: Toolbox) -> Steps[Event, None, Draft]:
        """Recall, sort by place, then write."""
        scores = yield from tools.recall()
        return (yield from tools.write(sorted(tools.fit_generator(scores))))
