"""Scores of an answer against gold answers and gold evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine import overlap
from engine.evaluation.data import Support
from engine.overlap import normalise
from engine.values import Citation, Passage

MATCH_TOKENS = 40
"""A prediction is cut here before substring matching (TTRAG section A.7, our limit)."""


def exact_match(prediction: str, golds: Sequence[str]) -> float:
    """Return 1 when the normalised prediction equals a gold answer."""
    return float(any(normalise(prediction) == normalise(gold) for gold in golds))


def token_f1(prediction: str, golds: Sequence[str]) -> float:
    """Return the best token F1 over the gold answers (SQuAD)."""
    return max((overlap.token_f1(prediction, gold) for gold in golds), default=0.0)


def rouge_l(prediction: str, golds: Sequence[str]) -> float:
    """Return the best ROUGE-L F1 over the gold answers (Lin 2004)."""
    return max((overlap.rouge_l(prediction, gold) for gold in golds), default=0.0)


def accuracy(prediction: str, golds: Sequence[str]) -> float:
    """Return 1 when a normalised gold answer is inside the prediction."""
    predicted = normalise(prediction)
    return float(any(normalise(gold) in predicted for gold in golds if normalise(gold)))


def substring_match(prediction: str, golds: Sequence[str]) -> float:
    """Return 1 when prediction or gold is inside the other (TTRAG section A.7).

    An empty prediction is wrong. The shorter string must be a run of whole tokens, and at
    least three characters long or all of the gold. Predictions are cut at 40 tokens.
    """
    predicted = normalise(" ".join(prediction.split()[:MATCH_TOKENS]))
    return float(any(_inside(predicted, normalise(gold)) for gold in golds))


def _inside(predicted: str, gold: str) -> bool:
    if not predicted or not gold:
        return False
    if f" {gold} " in f" {predicted} ":
        return True
    return len(predicted) >= 3 and f" {predicted} " in f" {gold} "


def recall_at(ranked: Sequence[Passage], support: Sequence[Support], k: int) -> float:
    """Return the share of gold evidence held by the first `k` passages."""
    top = ranked[:k]
    return sum(any(s.held_by(p) for p in top) for s in support) / len(support)


def ndcg_at(ranked: Sequence[Passage], support: Sequence[Support], k: int) -> float:
    """Return nDCG of the first `k` passages (Järvelin and Kekäläinen 2002), gains 0 or 1.

    A passage gains 1 when it holds gold evidence that no passage before it held, so evidence
    found by several passages counts once. Gains are divided by log2(1 + rank). The ideal has
    all these passages first, then one for each piece of evidence not found: 1 means that the
    evidence is complete and nothing else stands before it.
    """
    missing = list(support)
    gained, finders = 0.0, 0
    for rank, passage in enumerate(ranked[:k], start=1):
        left = [s for s in missing if not s.held_by(passage)]
        if len(left) < len(missing):
            gained += 1 / math.log2(1 + rank)
            finders += 1
            missing = left
    needed = min(k, finders + len(missing))
    return gained / sum(1 / math.log2(1 + rank) for rank in range(1, needed + 1))


def citation_scores(
    citations: Sequence[Citation], support: Sequence[Support]
) -> tuple[float | None, float]:
    """Return citation precision (None without citations) and recall against gold evidence."""
    cited = [citation.passage for citation in citations if citation.support]
    right = sum(any(s.held_by(p) for s in support) for p in cited)
    covered = sum(any(s.held_by(p) for p in cited) for s in support)
    return (right / len(cited) if cited else None), covered / len(support)
