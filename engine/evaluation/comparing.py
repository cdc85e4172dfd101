"""Whether one setting is better than another on the same questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

DRAWS = 10_000


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
    chosen = np.random.default_rng(seed).integers(0, len(data), size=(draws, len(data)))
    low, high = np.percentile(data[chosen].mean(axis=1), [2.5, 97.5])
    return Difference(float(data.mean()), float(low), float(high))


def paired_difference(
    ones: Sequence[float], others: Sequence[float], draws: int = DRAWS, seed: int = 0
) -> Difference:
    """Return the mean of `ones` less `others` with its interval; value i is of one question i.

    Raises `ValueError` when there are not as many of both, or none.
    """
    return mean_interval([a - b for a, b in zip(ones, others, strict=True)], draws, seed)
