"""What an effort may spend: tokens over all calls, and documents, examples and rounds within them.

The computation allocation model (Inference scaling, section 5) picks among what fits. Without a
model fitted to these models the paper's parameters are used, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from engine.allocation import PUBLISHED, Allocation
from engine.budget.prediction import predicted
from engine.settings import BUDGETS, PROMPT_TOKENS, STEP_TOKENS, Effort, Settings

ROUNDS: dict[Effort, float] = {"quick": 1.0, "balanced": 2.0, "thorough": 3.0}
"""How often the tokens of one look-ahead and one answer may be spent: readings that go on behind
each other count what they have in common each time, though it is computed once."""

DOCUMENTS = (1, 2, 3, 5, 10)
EXAMPLES = (0, 1, 2, 4)
FOLLOW_UPS = (1, 2, 3, 5)
"""What k, m and n are chosen from; the paper's rounds end at 5."""


@dataclass(frozen=True, slots=True)
class Spending:
    """What a question may spend."""

    effort: Effort = "balanced"
    tokens: int = 10**9
    """Input tokens of both language models over all calls."""
    allocation: Allocation = PUBLISHED


NO_LIMIT = Spending()


@dataclass(frozen=True, slots=True)
class Theta:
    """Inference parameters."""

    k: int
    """Documents a round."""
    m: int
    """Worked examples."""
    n: int
    """Follow-up questions."""


def spending_of(settings: Settings) -> Spending:
    """Return what the settings let a question spend."""
    budget = settings.budget or BUDGETS[settings.effort]
    once = budget.lookahead_tokens + budget.generator_tokens + 2 * PROMPT_TOKENS
    tokens = settings.max_context or int(once * ROUNDS[settings.effort])
    return Spending(settings.effort, tokens, settings.allocation or PUBLISHED)


@dataclass(frozen=True, slots=True)
class Costs:
    """The sizes of a prompt's parts, in the generator's tokens."""

    passage: float
    """One passage."""
    examples: Callable[[int, int], float]
    """The first m examples, as they are shown with k documents each."""
    known: int = max(EXAMPLES)
    """Worked examples available."""
    room: float = float("inf")
    """Y: what the passages of a round may take."""

    def allow(self, theta: Theta) -> bool:
        """Say whether a prompt could show so many documents and examples."""
        return theta.m <= self.known and (theta.k == 1 or theta.k * self.passage <= self.room)


def iterdrag_tokens(theta: Theta, costs: Costs) -> float:
    """Return the input tokens of IterDRAG over all calls, at most, for passages of this length.

    Each round asks and answers, k more passages and a line more before the answer, and another
    behind it; the final answer is written.
    """
    lines = range(2 * theta.n)  # each line's prompt holds those before it
    rounds = sum(_prompt(theta, costs, 1 + (line + 1) // 2, line) for line in lines)
    return rounds + iterdrag_longest(theta, costs)


def iterdrag_longest(theta: Theta, costs: Costs) -> float:
    """Return the tokens of IterDRAG's longest prompt, at most: that of the final answer."""
    return _prompt(theta, costs, theta.n + 1, 2 * theta.n)


def _prompt(theta: Theta, costs: Costs, groups: int, lines: int) -> float:
    """Return what a prompt takes with so many groups of passages and lines of the transcript."""
    documents = groups * theta.k * costs.passage
    return costs.examples(theta.m, theta.k) + PROMPT_TOKENS + documents + lines * STEP_TOKENS


def iterdrag_within(tokens: int, window: int, costs: Costs, allocation: Allocation) -> Theta | None:
    """Return the best configuration within a budget of tokens; None where not even one fits.

    No prompt of it is longer than `window`.
    """
    within = [
        one
        for one in _all()
        if costs.allow(one)
        and iterdrag_tokens(one, costs) <= tokens
        and iterdrag_longest(one, costs) <= window
    ]
    return max(
        within,
        key=lambda one: predicted(allocation.fit, (one.k, one.m, one.n), allocation.about),
        default=None,
    )


def _all() -> Iterator[Theta]:
    return (Theta(*chosen) for chosen in product(DOCUMENTS, EXAMPLES, FOLLOW_UPS))
