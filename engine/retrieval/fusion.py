"""Joins scores of the same passages that came from different rankers.

BM25, forward scores, cosines of conditional embeddings and reaction scores have scales of their
own; a weighted sum needs them normalised, reciprocal ranks do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from engine.retrieval.recall import Scores, best_first

Normalisation = Literal["none", "maximum", "range"]

RANK_CONSTANT = 60
"""Damps the first ranks (Cormack, Clarke and Büttcher, SIGIR 2009)."""


def reciprocal_ranks(
    rankings: Sequence[Scores],
    constant: int = RANK_CONSTANT,
    weights: Sequence[float] | None = None,
) -> Scores:
    """Return the sum of weight / (constant + rank), shape (passages,); ranks from 1.

    Each ranking has shape (passages,). A passage that a ranking scores 0 or less is no hit and
    gains nothing from it. Ties rank by document order. Without weights each ranking counts once.
    Raises `ValueError` when there are not as many weights as rankings.
    """
    fused = np.zeros(len(rankings[0]))
    for scores, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        hits = best_first(scores)[: int(np.count_nonzero(scores > 0))]
        fused[hits] += weight / (constant + 1 + np.arange(len(hits)))
    return fused


def weighted_sum(
    rankings: Sequence[Scores], weights: Sequence[float], normalisation: Normalisation = "none"
) -> Scores:
    """Return the sum of weighted scores, shape (passages,).

    `normalisation` is applied to each ranking first: "none" leaves it, for scores of one scale;
    "maximum" divides by its largest value (scores that are 0 where nothing was found, as BM25);
    "range" maps its smallest value to 0 and its largest to 1 (cosines and other scores that may
    be negative). A ranking in which all scores are equal then counts 0. Raises `ValueError` when
    there are not as many weights as rankings.
    """
    scaled = [
        weight * _normalised(scores, normalisation)
        for scores, weight in zip(rankings, weights, strict=True)
    ]
    fused: Scores = np.sum(scaled, axis=0)
    return fused


def _normalised(scores: Scores, normalisation: Normalisation) -> Scores:
    if normalisation == "none" or not len(scores):
        return scores
    low = scores.min() if normalisation == "range" else 0.0
    spread = scores.max() - low
    if spread <= 0:
        return np.zeros_like(scores)
    scaled: Scores = (scores - low) / spread
    return scaled
