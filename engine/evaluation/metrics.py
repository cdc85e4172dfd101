"""Scores of an answer against gold answers and gold evidence."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from string import ascii_uppercase

from engine.evaluation.questions import Support
from engine.language import overlap
from engine.language.overlap import normalise
from engine.values import Citation, Passage

MATCH_TOKENS = 40
"""A prediction is cut here before substring matching (TTRAG section A.7, our limit)."""


def exact_match(prediction: str, golds: Sequence[str]) -> float:
    """Return 1 when the normalised prediction equals a gold answer; 0 when nothing is said."""
    said = normalise(prediction)
    return float(bool(prediction) and any(said == normalise(gold) for gold in golds))


def token_f1(prediction: str, golds: Sequence[str]) -> float:
    """Return the best token F1 over the gold answers (SQuAD); 0 when nothing is said."""
    if not prediction:
        return 0.0
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


def holds(prediction: str, golds: Sequence[str]) -> float:
    """Return 1 when a gold answer is inside the prediction as a run of whole tokens.

    Stricter than `substring_match`, which takes a part of the gold for it, and than `accuracy`,
    which finds "Ann" in "Hannah"; and not cut. All of "31 December 2026" has to be said.
    """
    predicted = f" {normalise(prediction)} "
    return float(any(f" {normalise(gold)} " in predicted for gold in golds if normalise(gold)))


def _inside(predicted: str, gold: str) -> bool:
    if not predicted or not gold:
        return False
    if f" {gold} " in f" {predicted} ":
        return True
    return len(predicted) >= 3 and f" {predicted} " in f" {gold} "


_LETTER = re.compile(r"^\W*(?:answer|option|choice)?\W*([A-Z])(?![\w'\u2019])", re.IGNORECASE)
_SAID = re.compile(
    r"""\b(?i:option|choice)\W*([A-Z])\b              # Option B is right
    | \b(?i:answer|option|choice)(?:\s+is|:)\W*         # The answer is (B) because
      ([B-HJ-Z]\b|[AI]\b(?!['\u2019]?\s*[a-z]))             # but not: The answer is A dog
    | ^\W*([A-Z])\s+is\b                              # B is correct
    | \bis\s+\(?([A-Z])\W*$                           # I think it is B.
    """,
    re.VERBOSE,
)


def choice_accuracy(prediction: str, options: Sequence[str], right: int) -> float:
    """Return 1 when the option that the prediction names is the right one.

    It names an option by its letter, at the beginning or where it says so ("the answer is B"),
    else by words: the same, the only option inside it, or the one with the highest token F1. A
    letter that is a word ("A dog", "I'd say"), or that no option has, does not count.
    """
    return float(_chosen(prediction, options) == right)


def _chosen(prediction: str, options: Sequence[str]) -> int | None:
    said, known = normalise(prediction), [normalise(option) for option in options]
    if said in known:
        return known.index(said)
    letters = _letters(prediction) & set(ascii_uppercase[: len(options)])
    if len(letters) == 1:
        return ascii_uppercase.index(letters.pop())
    inside = [i for i, option in enumerate(known) if option and f" {option} " in f" {said} "]
    if len(inside) == 1:
        return inside[0]
    shared = [overlap.token_f1(prediction, option) for option in options]
    best = max(shared, default=0.0)
    return shared.index(best) if best and shared.count(best) == 1 else None


def _letters(prediction: str) -> set[str]:
    """Return the letters a prediction names: that at its beginning, else all that it speaks of."""
    first = _LETTER.match(prediction)
    if first and not prediction[first.end() :].strip()[:1].isalnum():
        return {first[1].upper()}
    return {said[said.lastindex or 0] for said in _SAID.finditer(prediction)}


_BETWEEN = re.compile(
    r"(?<!\d),|,(?!\d{3}(?!\d))|[\n;•]|^\s*(?:[-*]|\d+[.)])\s+|\band\b", re.MULTILINE
)
"""A comma within a number ("1,200") cuts nothing."""


def list_scores(prediction: str, golds: Sequence[str]) -> tuple[float, float, float]:
    """Return precision, recall and F1 of a list: what was named against what is right.

    A reply is cut at commas, semicolons, line ends, bullets and "and", but not within a gold
    answer that has them itself. Each part names the gold answers that it holds (by whole tokens),
    else the one that holds it, else something wrong; a gold answer is named once.
    """
    missing = sorted((normalise(_uncut(gold)) for gold in golds), key=len, reverse=True)
    parts = [normalise(part) for part in _BETWEEN.split(_joined(prediction, golds))]
    found, wrong = 0, 0
    for part in sorted(filter(None, parts), key=len, reverse=True):
        named = _named(part, missing)
        for gold in named:
            missing.remove(gold)
        found += len(named)
        wrong += not named
    if not found:
        return 0.0, 0.0, 0.0
    precision, recall = found / (found + wrong), found / len(golds)
    return precision, recall, 2 * precision * recall / (precision + recall)


def _uncut(gold: str) -> str:
    return " ".join(_BETWEEN.split(gold))


def _joined(prediction: str, golds: Sequence[str]) -> str:
    """Return a reply without the commas and "and"s that are a gold answer's own."""
    for gold in sorted(golds, key=len, reverse=True):
        words = re.findall(r"\w+", gold)
        if words and _uncut(gold) != gold:
            whole = re.compile(r"\b" + r"\W+".join(words) + r"\b", re.IGNORECASE)
            prediction = _uncut(gold).join(whole.split(prediction))
    return prediction


def _named(part: str, golds: Sequence[str]) -> list[str]:
    """Return the gold answers inside a part, the longest first; else the first it is inside of."""
    left, held = f" {part} ", []
    for gold in golds:
        if gold and f" {gold} " in left:
            left = left.replace(f" {gold} ", "  ", 1)
            held.append(gold)
    return held or [gold for gold in golds if _inside(part, gold)][:1]


def recall_at(ranked: Sequence[Passage], support: Sequence[Support], k: int) -> float:
    """Return the share of gold evidence held by the first `k` passages."""
    top = ranked[:k]
    return sum(any(s.held_by(p) for p in top) for s in support) / len(support)


def ndcg_at(ranked: Sequence[Passage], support: Sequence[Support], k: int) -> float:
    """Return nDCG of the first `k` passages (Järvelin and Kekäläinen 2002), gains 0 or 1.

    A passage gains 1 when it holds gold evidence that no passage before it held, so evidence
    found by several passages counts once. Gains are divided by log2(1 + rank). The ideal has all
    these passages first, then one for each piece of evidence not found. So 1 means that the
    evidence is complete and first.
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


def reciprocal_rank(ranked: Sequence[Passage], support: Sequence[Support]) -> float:
    """Return 1 / the rank of the first passage that holds gold evidence; 0 without one (MRR)."""
    places = (rank for rank, p in enumerate(ranked, 1) if any(s.held_by(p) for s in support))
    return 1 / next(places, math.inf)


def cost(
    questions: int,
    prompt_tokens: float,
    most_generated: float,
    price_in: float,
    price_out: float,
) -> float:
    """Return what a run costs at a provider (TTRAG section A.9), in the unit of the prices.

    `prompt_tokens` is the mean a question, `most_generated` the most a reply may have; prices are
    for a million tokens.
    """
    return questions * (prompt_tokens * price_in + most_generated * price_out) / 1e6


def citation_scores(
    citations: Sequence[Citation], support: Sequence[Support]
) -> tuple[float | None, float]:
    """Return citation precision (None without citations) and recall against gold evidence."""
    cited = [citation.passage for citation in citations if citation.support]
    right = sum(any(s.held_by(p) for s in support) for p in cited)
    covered = sum(any(s.held_by(p) for p in cited) for s in support)
    return (right / len(cited) if cited else None), covered / len(support)
