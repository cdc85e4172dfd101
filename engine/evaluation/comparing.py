"""Whether one setting is better than another on the same questions: intervals and a test."""

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


def paired_test(
    ones: Sequence[float], others: Sequence[float], draws: int = DRAWS, seed: int = 0
) -> float:
    """Return the two-sided p-value of the mean difference (sign flips; Fisher 1935).

    Exact while all flips are at most `draws`, else drawn. For scores of 0 and 1 it is McNemar's
    exact test. Raises as `paired_difference`.
    """
    data = np.array([a - b for a, b in zip(ones, others, strict=True)], dtype=np.float64)
    if not len(data):
        raise ValueError("there is nothing to compare")
    data = data[data != 0]  # what does not differ is the same under every flip
    if not len(data):
        return 1.0
    exact = 2 ** len(data) <= draws
    if exact:
        count = np.arange(2 ** len(data))
        signs = 1.0 - 2.0 * (count[:, None] >> np.arange(len(data)) & 1)
    else:
        signs = np.random.default_rng(seed).choice((-1.0, 1.0), size=(draws, len(data)))
    sums = np.abs(signs @ data)
    extreme = int((sums >= abs(data.sum()) - 1e-9).sum())
    return extreme / len(sums) if exact else (extreme + 1) / (len(sums) + 1)
