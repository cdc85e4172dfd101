"""Lends models to a strategy, and counts what they handle for the question."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from engine.budget.effort import NO_LIMIT, Means
from engine.budget.pace import RoleName
from engine.errors import BudgetTooSmall
from engine.stages import Timings, is_past, time_spent
from engine.values import ModelTokens, Usage
from models.protocols import (
    AttentionReader,
    AttentiveGenerator,
    Encoder,
    Generator,
    TokenCount,
)
from models.roles import ModelSet

Lent = TypeVar("Lent", Generator, AttentiveGenerator, Encoder, AttentionReader)


@dataclass(kw_only=True)
class Lender:
    """The models of one question, its time, and what of both is used up."""

    models: ModelSet
    timings: Timings
    deadline: float | None = None
    """`time.monotonic` at which the last token is due; None: no limit."""
    usage: Usage = field(default_factory=Usage)
    """Tokens handled so far, by role; one model may fill both."""
    means: Means = NO_LIMIT
    """What the effort allows over all calls."""

    def metered(self, role: RoleName) -> AbstractContextManager[Generator]:
        """Lend a model; what it handles meanwhile is counted for the role.

        Raises `TimeSpent` when the time budget is spent before.
        """
        return self.lent(lambda: self._model(role), role)

    def _model(self, role: RoleName) -> Generator:
        model: Generator = getattr(self.models, role)
        return model

    def encoding(self) -> AbstractContextManager[Encoder]:
        """Lend the encoder, counted alike. Raises `ModelMissing` where there is none."""
        return self.lent(lambda: self.models.encoder, "encoder")

    def attending(self) -> AbstractContextManager[AttentionReader]:
        """Lend what reads the look-ahead model's attention, counted as that model.

        Raises `ModelMissing` and `RuntimeFailed` where its attention cannot be read.
        """
        return self.lent(lambda: self.models.attention, "lookahead")

    @contextmanager
    def lent(self, load: Callable[[], Lent], role: str) -> Iterator[Lent]:
        """Lend what `load` gives, counted for the role. Raises as `metered`."""
        if self.late():
            raise time_spent(self.timings)
        model = load()
        before = replace(model.usage)
        try:
            yield model
        finally:
            self.count(role, since(before, model.usage))

    def count(self, role: str, tokens: ModelTokens) -> None:
        """Count tokens for a role."""
        self.usage = replace(self.usage, **{role: getattr(self.usage, role) + tokens})

    @property
    def tokens_left(self) -> int:
        """Input tokens that both language models may still read."""
        return self.means.tokens - self.usage.effective_context

    def require_tokens(self, needed: int, what: str) -> None:
        """Raise `BudgetTooSmall` where so many input tokens are not left; `what` takes them."""
        left = max(0, self.tokens_left)
        if needed > left:
            raise BudgetTooSmall(
                f"{what} would read {needed:,} tokens, and {left:,} are left.",
                remedy="Raise --max-context, use --effort thorough, or ask for less to be shown.",
            )

    def due(self, share: float) -> float | None:
        """Return when such a share of the time that is left is spent; None: there is no limit."""
        now = time.monotonic()
        return None if self.deadline is None else now + share * (self.deadline - now)

    def late(self) -> bool:
        """Say whether the time budget is spent."""
        return is_past(self.deadline)


def since(before: TokenCount | ModelTokens, after: TokenCount | ModelTokens) -> ModelTokens:
    """Return what was handled between two readings of a model's counts."""
    return ModelTokens(
        after.prompt - before.prompt,
        after.computed - before.computed,
        after.generated - before.generated,
        after.calls - before.calls,
    )
