"""How many times something is on within some days, by its name in the calendars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.compute.occasions import BY_NAME
from engine.compute.occurrences import occurrences, occurrences_asked
from engine.confidence.reasons import UNREAD
from engine.generation.draft import Draft
from ingest.item import Item
from tests.support.builders import document, event
from tests.support.toy_compute import asking

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)  # a Monday
THURSDAYS = [
    event("Curling - Thursday Mixed", datetime(2027, 1, 7, 19, tzinfo=UTC) + timedelta(7 * n), "a")
    for n in range(4)
]
THURSDAYS[1] = replace(
    THURSDAYS[1], text=THURSDAYS[1].text.replace("Mixed", "Mixed (cancelled)", 1)
)
CALENDAR = [
    *THURSDAYS,
    event("Curling club board", datetime(2027, 1, 11, 19, tzinfo=UTC), "a"),
    event("Toby physio", datetime(2026, 11, 4, 8, tzinfo=UTC), "a"),
    event("Toby physio", datetime(2026, 11, 18, 8, tzinfo=UTC), "a"),
    event("Visit Mum", datetime(2026, 12, 6, 14, tzinfo=UTC), "a"),
    event("Mum eye doctor", datetime(2026, 12, 9, 14, tzinfo=UTC), "a"),
]


def told(
    question: str, items: Sequence[Item] = CALENDAR, *, is_complete: bool = True
) -> Draft | None:
    asked = occurrences_asked(question, NOW.date())
    assert asked is not None
    return occurrences(asked, items, is_complete=is_complete)


@pytest.mark.parametrize(
    ("question", "said", "count"),
    [
        ("How many Thursday curling nights do I have in January?", "3, on Fri 2027-01-01", 3),
        ("How many physio visits did Toby have in November (not counting the cancelled one)?",
         "2, on Sun 2026-11-01", 2),
        ("how many times am I visiting mum in December", "1, on Tue 2026-12-01", 1),
        ("how many physio appointments does Toby have in December", "None on Tue 2026-12-01", 1),
    ],
)  # fmt: skip
def test_entries_are_counted_by_name(question: str, said: str, count: int) -> None:
    draft = told(question)
    assert draft is not None
    assert draft.text.startswith(said)
    assert len(draft.citations) == count
    assert draft.reasons == (BY_NAME,)


@pytest.mark.parametrize(
    "question",
    [
        "how many meetings do I have in December",  # a plan counts them
        "how many physio visits did Toby have",
        "how many physio visits didn't Toby have in November",
        "how many lessons did Toby have in November",
        "how many physio visits did Toby miss in November, cancelled",
        "how many more physio visits does Toby have in December",
        "how many days does Toby have in December",
        "how many physio visits in November",
    ],
)
def test_other_questions_count_no_entries(question: str) -> None:
    assert occurrences_asked(question, NOW.date()) is None


def test_entries_of_different_names_are_left_to_others() -> None:
    assert told("how many curling nights do I have in January") is None
    assert told("how many invoices do I have in January") is None
    assert told("how many physio visits did I have in November", [document("physio")]) is None


def test_what_was_not_read_speaks_against_it() -> None:
    draft = told("how many physio visits did Toby have in November", is_complete=False)
    assert draft is not None
    assert draft.reasons == (BY_NAME, UNREAD)


def test_auto_counts_without_a_model(fake_generator: Any) -> None:
    ask = asking(fake_generator)
    question = "How many Thursday curling nights do I have in January?"
    found, _, models = ask(question, CALENDAR, strategy="auto", now=NOW)
    assert found.text.startswith("3, on Fri 2027-01-01 to Sun 2027-01-31:")
    assert found.certainty == "unsure"
    assert models["g"].prompts == []
