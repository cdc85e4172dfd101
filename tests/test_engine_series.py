"""A repeating event takes two places of a reading, whatever the number of its occurrences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from engine.retrieval.corpus import corpus_of
from engine.retrieval.series import series_of, with_nearest
from engine.toolbox.passages import Passages
from engine.values import Passage, Query
from ingest.item import Item
from tests.support.builders import document, event

TODAY = datetime(2026, 11, 28, tzinfo=UTC)
CHOIR = [event("Choir", TODAY + timedelta(days=days), "family") for days in (-14, -7, 7, 14, 21)]


def passages(items: Sequence[Item]) -> list[Passage]:
    return [Passage(item, 0, len(item.text)) for item in items]


def left(items: Sequence[Item], scores: Sequence[float]) -> list[float]:
    cut = passages(items)
    return with_nearest(np.array([scores]), series_of(cut), cut, TODAY)[0].tolist()


@pytest.mark.parametrize(
    ("items", "scores", "expected"),
    [
        (CHOIR, [2, 2, 2, 2, 2], [0, 2, 2, 0, 0]),
        (CHOIR, [2, 2, 2, 2, 3], [0, 2, 2, 0, 3]),  # this one has a note of its own
        (CHOIR[:2], [2, 2], [0, 2]),  # all are over
        (CHOIR[2:], [2, 2, 2], [2, 0, 0]),  # all are to come
        (CHOIR[:1], [2], [2]),
        ([replace(one, when=None) for one in CHOIR[:2]], [2, 2], [2, 0]),  # odd dates
    ],
)
def test_the_next_and_the_last_occurrence_stay(
    items: Sequence[Item], scores: Sequence[float], expected: Sequence[float]
) -> None:
    assert left(items, scores) == expected


def test_other_events_and_other_calendars_keep_their_scores() -> None:
    other = event("Dentist", CHOIR[0].when or TODAY, "family")
    elsewhere = event("Choir", CHOIR[0].when or TODAY, "school")
    items = [*CHOIR, other, elsewhere, document("Choir sings.")]
    assert left(items, [2.0] * 8)[5:] == [2.0] * 3


def test_a_series_leaves_room_for_what_else_names_it() -> None:
    letter = document(f"The choir sings in St Mary's. {'It will be a long evening. ' * 20}")
    corpus = corpus_of(passages([*CHOIR, letter]))
    found = Passages(query=Query("choir"), corpus=corpus, present=TODAY).scores_of("choir")
    assert np.flatnonzero(found).tolist() == [1, 2, 5]
