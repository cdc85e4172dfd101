"""How much two short texts have in common."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalise(text: str) -> str:
    """Lower case, no punctuation, no articles, single spaces (SQuAD's evaluation script)."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def token_f1(one: str, other: str) -> float:
    """Return the F1 of normalised tokens, 0 to 1 (SQuAD); of two empty texts it is 1."""
    left, right = normalise(one).split(), normalise(other).split()
    common = sum((Counter(left) & Counter(right)).values())
    if not common:
        return float(left == right)
    return _harmonic(common / len(left), common / len(right))


def rouge_l(one: str, other: str) -> float:
    """Return the F1 of the longest common subsequence of normalised tokens (Lin 2004)."""
    left, right = normalise(one).split(), normalise(other).split()
    common = _common_subsequence(left, right)
    if not common:
        return float(left == right)
    return _harmonic(common / len(left), common / len(right))


def _harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall)


def _common_subsequence(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the length of the longest common subsequence."""
    row = [0] * (len(right) + 1)
    for word in left:
        diagonal = 0
        for column, other in enumerate(right, start=1):
            above = row[column]
            row[column] = diagonal + 1 if word == other else max(above, row[column - 1])
            diagonal = above
    return row[-1]
