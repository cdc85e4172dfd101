"""The budget of one question: what it may spend, and what it has spent."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from engine.answer_parts import ModelTokens, Usage
from engine.budget.effort import NO_LIMIT, Spending
from engine.errors import BudgetTooSmall
from engine.settings import Budget
from engine.stages import Timings, is_past, time_spent

DRAFTING_SHARE = 0.5
"""Most of the remaining time that samples and readings may take; the answer needs the rest."""


@dataclass(kw_only=True)
class QuestionBudget:
    """Tokens and seconds of one question."""

    limits: Budget
    """X, Y and K: what each model reads at once, and how many samples are drawn."""
    spending: Spending = NO_LIMIT
    """What the effort lets the question spend over all calls."""
    timings: Timings = field(default_factory=Timings)
    deadline: float | None = None
    """`time.monotonic` at which the last token is due; None: no limit."""
    usage: Usage = field(default_factory=Usage)
    """Tokens handled so far, by role; one model may fill both."""

    def count(self, role: str, tokens: ModelTokens) -> None:
        """Count tokens for a role."""
        self.usage = replace(self.usage, **{role: getattr(self.usage, role) + tokens})

    @property
    def tokens_left(self) -> int:
        """Input tokens that both language models may still read."""
        return self.spending.tokens - self.usage.effective_context

    def require_tokens(self, needed: int, what: str) -> None:
        """Raise `BudgetTooSmall` where fewer input tokens are left than `what` needs."""
        left = max(0, self.tokens_left)
        if needed > left:
            raise BudgetTooSmall(
                f"{what} would read {needed:,} tokens, and {left:,} are left.",
                remedy="Raise --max-context, use --effort thorough, or ask for less to be shown.",
            )

    def require_time(self) -> None:
        """Raise `TimeSpent` where no time is left."""
        if self.late():
            raise time_spent(self.timings)

    def due(self, share: float) -> float | None:
        """Return the moment at which this share of the remaining time is spent; None: no limit."""
        now = time.monotonic()
        return None if self.deadline is None else now + share * (self.deadline - now)

    def late(self) -> bool:
        """Say whether the time is spent."""
        return is_past(self.deadline)
