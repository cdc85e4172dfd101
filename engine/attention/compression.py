"""Keeps the sentences that score best, and cuts passages to them (YOURA section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from engine.errors import BudgetTooSmall
from engine.language.sentences import Span, sentence_spans
from engine.retrieval.recall import Scores, best_first
from engine.retrieval.selection import OVERHEAD
from engine.values import Excerpt, Passage

GAP_TOKENS = 3
"""Most tokens that a gap takes in a prompt."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of one of several passages."""

    number: int
    """Which passage it is of, 0-based."""
    place: Passage
    """The sentence itself, as a passage."""
    run: int = 0
    """Its stretch of an excerpt. The text that was cut out between two stretches stays out."""


def sentences_of(passages: Sequence[Passage]) -> list[Sentence]:
    """Return the sentences of all passages, in order."""
    return [
        Sentence(number, Passage(passage.item, start + begin, start + end), run)
        for number, passage in enumerate(passages)
        for run, (start, stop) in enumerate(stretches(passage))
        for begin, end in sentence_spans(passage.item.text[start:stop])
    ]


def stretches(passage: Passage) -> tuple[Span, ...]:
    """Return what a passage shows of its item's text, begin and end."""
    return passage.runs if isinstance(passage, Excerpt) else ((passage.start, passage.end),)


def choose(
    sentences: Sequence[Sentence],
    scores: Scores,
    costs: Sequence[int],
    budget: int,
    share: float = 1.0,
) -> list[int]:
    """Return which sentences to keep, by number in their order.

    Greedy by score, ties by order, until `budget` tokens are spent or `share` of all sentences is
    kept; one that does not fit is passed over. `costs` are tokens, scores have shape (sentences,).
    A passage's first sentence pays for its heading. Raises `BudgetTooSmall` when none fits.
    """
    kept: list[int] = []
    headed: set[int] = set()
    most = math.ceil(share * len(sentences))
    left = budget
    for number in map(int, best_first(scores)):
        if len(kept) >= most:
            break
        of = sentences[number].number
        cost = costs[number] + (GAP_TOKENS if of in headed else OVERHEAD)
        if cost <= left:
            left -= cost
            kept.append(number)
            headed.add(of)
    if sentences and not kept:
        raise BudgetTooSmall(
            f"No sentence fits {budget} tokens.",
            remedy="Raise --max-context, or use --effort thorough.",
        )
    return sorted(kept)


def cut(
    passages: Sequence[Passage], sentences: Sequence[Sentence], kept: Sequence[int]
) -> list[Passage | None]:
    """Return each passage with its kept sentences alone; None for one that keeps none."""
    all_of = [0] * len(passages)
    for sentence in sentences:
        all_of[sentence.number] += 1
    found: list[Passage | None] = [None] * len(passages)
    for number, group in groupby(sorted(kept), key=lambda i: sentences[i].number):
        left = list(group)
        if len(left) == all_of[number]:
            found[number] = passages[number]
        else:
            runs = _runs(left, sentences)
            found[number] = Excerpt(passages[number].item, runs[0][0], runs[-1][1], runs)
    return found


def _runs(kept: Sequence[int], sentences: Sequence[Sentence]) -> tuple[Span, ...]:
    """Return the stretches that neighbouring sentences make, with the blanks between them."""
    breaks = [
        i
        for i, (a, b) in enumerate(pairwise(kept), start=1)
        if b != a + 1 or sentences[a].run != sentences[b].run
    ]
    edges = [0, *breaks, len(kept)]
    return tuple(
        (sentences[kept[a]].place.start, sentences[kept[b - 1]].place.end)
        for a, b in pairwise(edges)
    )
