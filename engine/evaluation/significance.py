"""Whether one setting is better than another on the same questions: intervals and a test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

DRAWS = 10_000
BLOCK = 2**20
"""Values drawn at once, since thousands of questions need megabytes. The size does not change the
draws."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean difference and its 95 % interval."""

    mean: float
    low: float
    high: float


def mean_interval(values: Sequence[float], draws: int = DRAWS, seed: int = 0) -> Difference:
    """Return the mean and its bootstrap interval (percentiles; Efron and Tibshirani 1993).

    Questions are drawn with replacement. Raises `ValueError` without a value.
    """
    if not values:
        raise ValueError("there is nothing to average")
    data = np.asarray(values, dtype=np.float64)
    random = np.random.default_rng(seed)
    means = [
        data[random.integers(0, len(data), size=shape)].mean(axis=1)
        for shape in _blocks(draws, len(data))
    ]
    low, high = np.percentile(np.concatenate(means), [2.5, 97.5])
    return Difference(float(data.mean()), float(low), float(high))


def _blocks(draws: int, values: int) -> Iterator[tuple[int, int]]:
    """Yield shapes of (draws, values) that make up all draws."""
    step = max(1, BLOCK // values)
    for done in range(0, draws, step):
        yield min(step, draws - done), values


def paired_difference(
    ones: Sequence[float], others: Sequence[float], draws: int = DRAWS, seed: int = 0
) -> Difference:
    """Return the mean of `ones` less `others` with its interval; value i is of one question i.

    Raises `ValueError` when there are not as many of both, or none.
    """
    return mean_interval([a - b for a, b in zip(ones, others, strict=True)], draws, seed)


def paired_test(
    ones: Sequence[float], others: Sequence[float], draws: int = DRAWS, seed: int = 0
) -> float:
    """Return the two-sided p-value of the mean difference (sign flips; Fisher 1935).

    Exact while all flips are at most `draws`, else drawn. Where all differences are of one size,
    as for scores of 0 and 1, it is McNemar's exact test. Raises as `paired_difference`.
    """
    data = np.array([a - b for a, b in zip(ones, others, strict=True)], dtype=np.float64)
    if not len(data):
        raise ValueError("there is nothing to compare")
    data = data[data != 0]  # what does not differ is the same under every flip
    if not len(data):
        return 1.0
    if np.all(np.abs(data) == abs(data[0])):
        return _mcnemar(len(data), int((data > 0).sum()))
    if 2 ** len(data) <= draws:
        count = np.arange(2 ** len(data))
        signs = 1.0 - 2.0 * (count[:, None] >> np.arange(len(data)) & 1)
        return _extreme(signs, data) / len(signs)
    random = np.random.default_rng(seed)
    drawn = (random.choice((-1.0, 1.0), size=shape) for shape in _blocks(draws, len(data)))
    return (sum(_extreme(signs, data) for signs in drawn) + 1) / (draws + 1)


def _extreme(signs: NDArray[np.floating[Any]], data: NDArray[np.float64]) -> int:
    """Return how many flips (flips, values) make a sum as far from 0 as that of the data."""
    return int((np.abs(signs @ data) >= abs(data.sum()) - 1e-9).sum())


def _mcnemar(pairs: int, better: int) -> float:
    """Return twice the binomial tail of so many discordant pairs (McNemar 1947, exact)."""
    term = tail = 1
    for i in range(min(better, pairs - better)):
        term = term * (pairs - i) // (i + 1)
        tail += term
    share: float = 2 * tail / 2**pairs
    return min(1.0, share)
