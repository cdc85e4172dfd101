"""Chooses the passages that fit a token budget."""

from __future__ import annotations

from collections.abc import Sequence

from engine.recall import Scores, best_first
from engine.values import Passage
from models.protocols import Generator

OVERHEAD = 24
"""Tokens a passage's number, heading and fences take, at most."""
MISSES = 20
"""Passages in a row that may not fit before the search for a smaller one ends."""


def fit(passages: Sequence[Passage], scores: Scores, budget: int, model: Generator) -> list[int]:
    """Return the numbers of the best passages within `budget` tokens of `model`, best first.

    Passages that score 0 are not hits. One that does not fit is passed over for the next that
    does; when even the best alone is too long, its beginning would be a silent cut, so nothing
    but a budget below one passage (`engine.settings.MIN_PASSAGE_TOKENS`) can leave it out.
    """
    chosen: list[int] = []
    left, misses = budget, 0
    for number in best_first(scores):
        if scores[number] <= 0 or misses >= MISSES or left < OVERHEAD * 2:
            break
        cost = model.count(passages[number].text) + OVERHEAD
        if cost <= left:
            chosen.append(int(number))
            left -= cost
            misses = 0
        else:
            misses += 1
    return chosen
