"""A strategy that shows the generator the newest of the best passages first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar

from engine.events import Steps
from engine.generation.draft import Draft
from engine.toolbox.steps import Toolbox

UNDATED = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class NewestFirst:
    """The best passages by BM25, at most so many, the newest of them first."""

    name: ClassVar[str] = "newest_first"
    summary: ClassVar[str] = "best passages by BM25, the newest first"
    passages: int = 20

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Recall, sort by date, write."""
        scores = yield from tools.recall()
        best = tools.fit_generator(scores)[: self.passages]
        dates = [passage.item.when or UNDATED for passage in tools.passages(best)]
        order = sorted(range(len(best)), key=lambda place: dates[place], reverse=True)
        return (yield from tools.write([best[place] for place in order]))


NEWEST_FIRST = NewestFirst()
