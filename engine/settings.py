"""How a question is answered: effort, budgets, seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Literal

Effort = Literal["quick", "balanced", "thorough"]


@dataclass(frozen=True, slots=True)
class Budget:
    """What an effort buys (FB-RAG's X, Y and K)."""

    lookahead_tokens: int
    """X: passages shown to the look-ahead model, in its tokens."""
    generator_tokens: int
    """Y: passages shown to the generator, in its tokens."""
    samples: int
    """K: look-ahead samples."""


BUDGETS: dict[Effort, Budget] = {
    "quick": Budget(lookahead_tokens=800, generator_tokens=700, samples=3),
    "balanced": Budget(lookahead_tokens=1500, generator_tokens=1200, samples=5),
    "thorough": Budget(lookahead_tokens=6000, generator_tokens=6000, samples=5),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything `answer` and `search` can be told besides the question."""

    strategy: str = "auto"
    effort: Effort = "balanced"
    max_context: int | None = None
    """Input tokens of both models over all calls; None: what the effort takes."""
    time_budget: float | None = None
    """Wall seconds to the last token; reading stops first. None: no limit."""
    seed: int = 0
    k: int = 10
    """Hits of a search."""
    now: datetime | None = None
    """Aware present moment; None: the clock. Given by tests and by evaluation."""
    zone: tzinfo | None = field(default=None)
    """Local zone for calendar days; None: the machine's."""
