"""A repeating event is read where it comes next and where it was last, not at every occurrence.

All occurrences have the same words, and so the same score. A birthday of ten years would fill a
reading alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np

from engine.retrieval.recall import Scores
from engine.values import Passage

Series = tuple[tuple[int, ...], ...]
"""The passages of each event that occurs more than once, by number."""


def series_of(passages: Sequence[Passage]) -> Series:
    """Return which passages are occurrences of the same event."""
    found: dict[tuple[object, str | None], list[int]] = {}
    for number, passage in enumerate(passages):
        place = passage.item.locator
        if place.occurrence is not None:
            found.setdefault((place.path, place.uid), []).append(number)
    return tuple(tuple(numbers) for numbers in found.values() if len(numbers) > 1)


def with_nearest(
    scores: Scores, series: Series, passages: Sequence[Passage], present: datetime
) -> Scores:
    """Return the scores, shape (texts, passages), with 0 for occurrences that say nothing more.

    The next one and the last one before it stay, and any that scores above both: it was moved, or
    has a note of its own.
    """
    kept = scores.copy()
    for numbers in series:
        nearest = _nearest(numbers, passages, present)
        others = [i for i in numbers if i not in nearest]
        least = scores[:, nearest].max(axis=1, keepdims=True)
        kept[:, others] = np.where(scores[:, others] > least, scores[:, others], 0.0)
    return kept


def _nearest(numbers: Sequence[int], passages: Sequence[Passage], present: datetime) -> list[int]:
    """Return the first occurrence to come and the last before it, as far as there are any."""
    begins = {i: when for i in numbers if (when := passages[i].item.when) is not None}
    coming = min((i for i in begins if begins[i] >= present), key=begins.__getitem__, default=None)
    gone = max((i for i in begins if begins[i] < present), key=begins.__getitem__, default=None)
    return [i for i in (coming, gone) if i is not None] or [numbers[0]]
