"""Chooses the passages that fit a token budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.errors import BudgetTooSmall
from engine.language.addresses import with_short_addresses
from engine.retrieval.recall import Scores, best_first
from engine.values import Passage
from models.protocols import Generator

OVERHEAD = 24
"""Tokens a passage's number, heading and fences take, at most."""
CHARACTERS_A_TOKEN = 10
"""More characters than a token of prose has. A longer text cannot fit, whatever the model."""
MISSES = 20
"""Passages in a row that do not fit, after which the search for a smaller one ends."""


def fit(
    passages: Sequence[Passage],
    scores: Scores,
    budget: int,
    model: Generator,
    least_share: float = 0.0,
) -> list[int]:
    """Return the numbers of the best passages within `budget` tokens of `model`, best first.

    Passages that score 0 are not hits, nor are those below `least_share` of the best. One that
    does not fit is passed over for the next that does. Raises `BudgetTooSmall` when there are
    hits and none fits: an answer over nothing would look like an abstention.
    """
    chosen: list[int] = []
    least = least_share * scores.max(initial=0.0)
    left, misses = budget, 0
    for number in best_first(scores):
        if scores[number] <= 0 or scores[number] < least or misses >= MISSES:
            break
        cost = tokens([passages[number]], model)
        if cost <= left:
            chosen.append(int(number))
            left -= cost
            misses = 0
        else:
            misses += 1
    if misses and not chosen:
        raise BudgetTooSmall(
            f"No passage that was found fits {budget} tokens of {model.id}.",
            remedy="Raise --max-context, or use --effort thorough.",
        )
    return chosen


def may_fit(passages: Iterable[Passage], budget: int) -> bool:
    """Say whether all passages may be within `budget` tokens, without asking a model.

    It takes no more of them than it needs to know.
    """
    left = budget * CHARACTERS_A_TOKEN
    for passage in passages:
        left -= len(passage.text)
        if left < 0:
            return False
    return True


def fits(passages: Sequence[Passage], budget: int, model: Generator) -> bool:
    """Say whether all passages are within `budget` tokens of `model`."""
    return tokens(passages, model) <= budget


def tokens(passages: Sequence[Passage], model: Generator) -> int:
    """Return the tokens that passages take in a prompt of `model`."""
    return sum(model.count(with_short_addresses(passage.text)) + OVERHEAD for passage in passages)
