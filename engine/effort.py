"""What an effort may spend: tokens over all calls, and documents, examples and rounds within them.

The computation allocation model (Inference scaling, section 5) picks among what fits. Where none
was fitted to the models at hand the paper's own parameters stand in, and that is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from engine.evaluation.allocation import PAPER, Fit, Informativeness
from engine.settings import PROMPT_TOKENS, Effort, Settings, budget_for

ROUNDS: dict[Effort, float] = {"quick": 1.0, "balanced": 1.5, "thorough": 3.0}
"""How often the tokens of one look-ahead and one answer may be spent: at `balanced` a question
whose evidence is missing gets one more look, at `thorough` two."""

DOCUMENTS = (1, 2, 3, 5, 10)
EXAMPLES = (0, 1, 2, 4)
FOLLOW_UPS = (1, 2, 3, 5)
"""What k, m and n are chosen from; the paper's rounds end at 5."""


UNMEASURED = Informativeness(0.0, 0.0)
"""The terms that depend on the data drop out."""


@dataclass(frozen=True, slots=True)
class Allocation:
    """A computation allocation model, and what one document and one example are worth to it."""

    fit: Fit = PAPER
    about: Informativeness = UNMEASURED
    source: str = "the published parameters (table 8), since none is fitted to these models"
    """For people."""


PUBLISHED = Allocation()


@dataclass(frozen=True, slots=True)
class Means:
    """What a question may take."""

    effort: Effort = "balanced"
    tokens: int = 10**9
    """Input tokens of both language models over all calls."""
    allocation: Allocation = PUBLISHED


NO_LIMIT = Means()


@dataclass(frozen=True, slots=True)
class Theta:
    """Inference parameters."""

    k: int
    """Documents a round."""
    m: int
    """Worked examples."""
    n: int
    """Follow-up questions."""


def means_of(settings: Settings) -> Means:
    """Return what the settings allow. Raises `QuestionError` as `budget_for` does."""
    budget = budget_for(settings)
    once = budget.lookahead_tokens + 2 * budget.generator_tokens + 3 * PROMPT_TOKENS
    tokens = settings.max_context or int(once * ROUNDS[settings.effort])
    return Means(settings.effort, tokens, settings.allocation or PUBLISHED)


def iterdrag_tokens(theta: Theta, passage: float, example: Callable[[int], float]) -> float:
    """Return the input tokens of IterDRAG over all calls, at most.

    `passage` is what one passage takes, `example(k)` what an example with k documents takes. Each
    round asks and answers, k more passages behind those before; the final answer is written and
    checked.
    """
    calls = [done + more for done in range(theta.n) for more in (1, 2)] + [theta.n + 1] * 2
    always = theta.m * example(theta.k) + PROMPT_TOKENS
    return sum(always + rounds * theta.k * passage for rounds in calls)


def iterdrag_longest(theta: Theta, passage: float, example: Callable[[int], float]) -> float:
    """Return the tokens of IterDRAG's longest prompt, at most."""
    documents = (theta.n + 1) * theta.k * passage
    return theta.m * example(theta.k) + PROMPT_TOKENS + documents


def iterdrag_within(
    tokens: int,
    window: int,
    passage: float,
    example: Callable[[int], float],
    allocation: Allocation,
) -> Theta | None:
    """Return the best configuration within a budget of tokens; None where not even one fits.

    No prompt of it is longer than `window`.
    """
    within = [
        one
        for one in _all()
        if iterdrag_tokens(one, passage, example) <= tokens
        and iterdrag_longest(one, passage, example) <= window
    ]
    return max(
        within,
        key=lambda one: allocation.fit.predict((one.k, one.m, one.n), allocation.about),
        default=None,
    )


def _all() -> Iterator[Theta]:
    return (Theta(*chosen) for chosen in product(DOCUMENTS, EXAMPLES, FOLLOW_UPS))
