"""Aggregate: select the items that qualify, take one value of each, compute (TTRAG section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.events import Steps
from engine.generation.draft import Draft
from engine.strategies.computation import compute, understood
from engine.toolbox.steps import Toolbox


@dataclass(frozen=True)
class Aggregate:
    """The question becomes a plan; Python computes it. Most plans need no model."""

    name: ClassVar[str] = "aggregate"
    summary: ClassVar[str] = "counts, dates and sums over items, by a plan that is shown"

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Understand, compute."""
        world, read = understood(tools)
        return (yield from compute(tools, world, read))
