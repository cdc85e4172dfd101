"""Entries of the calendars that take the same time are found, by days and by name."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from engine.compute.clashes import clash_asked, clashes
from engine.confidence.reasons import UNREAD
from engine.generation.draft import Draft
from ingest.item import Item
from tests.support.builders import document, event

TODAY = date(2026, 11, 28)
NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)


def at(day: int, hour: int, month: int = 12) -> datetime:
    return datetime(2026, month, day, hour, tzinfo=UTC)


def whole_day(title: str, day: int, days: int = 1) -> Item:
    item = event(title, at(day, 0), "home", days * 24 * 60)
    return replace(item, locator=replace(item.locator, occurrence=f"2026-12-{day:02}"))


CALENDAR = [
    event("Old call", at(3, 9, 11), "work", 60),
    event("Old visit", at(3, 9, 11), "work", 60),
    event("Boat survey", at(12, 10), "home", 120),
    event("Dentist, Dr Roe", at(12, 11), "home", 30),
    event("Choir", at(14, 19), "home", 90),
    whole_day("Trip to Cork", 18, 3),
    event("Board dinner", at(19, 19), "work", 120),
    whole_day("Birthday of Ann", 14),
]


def told(question: str, *, is_complete: bool = True) -> Draft | None:
    asked = clash_asked(question, TODAY)
    return asked and clashes(asked, CALENDAR, NOW, is_complete=is_complete)


@pytest.mark.parametrize(
    ("question", "titles"),
    [
        ("Do I have any clashes in December?", ["Boat survey", "Dentist, Dr Roe"]),
        ("any conflicts coming?".replace(" coming", ""), ["Boat survey", "Dentist, Dr Roe"]),
        ("Am I double-booked on 12 December?", ["Boat survey", "Dentist, Dr Roe"]),
        ("what clashes with the boat survey?", ["Boat survey", "Dentist, Dr Roe"]),
        ("What of mine collides with the survey?", ["Boat survey", "Dentist, Dr Roe"]),
        ("Does the dentist overlap with the survey?", ["Boat survey", "Dentist, Dr Roe"]),
        ("do the trip to Cork and the board dinner clash", ["Trip to Cork", "Board dinner"]),
        ("Is the choir at the same time as Ann's birthday?", ["Birthday of Ann", "Choir"]),
    ],
)
def test_entries_that_take_the_same_time_are_said(question: str, titles: list[str]) -> None:
    draft = told(question)
    assert draft is not None
    assert draft.text.startswith("Yes:\n")
    assert [one.passage.item.title for one in draft.citations] == titles


@pytest.mark.parametrize(
    "question",
    [
        "any clashes on 14 December?",  # a birthday takes no time
        "Does anything clash with the choir?",
        "do the dentist and the choir clash?",
        "Am I double-booked in January?",
    ],
)
def test_where_nothing_clashes_that_is_said(question: str) -> None:
    draft = told(question)
    assert draft is not None
    assert draft.text.startswith("No: nothing takes the same time. Looked at:\n")
    assert draft.citations


def test_what_is_not_named_in_a_calendar_is_left_to_reading() -> None:
    assert told("Does the ferry clash with the survey?") is None
    assert (
        told("Is there a conflict of interest with the survey and the ferry or the board?") is None
    )
    for question in (
        "When is the survey?",
        "What was the conflict with Ann about?",
        "Is there a conflict of interest with the survey?",
        "Why do the survey and the dentist clash?",
        "Do the ferry, the survey and the dentist clash?".replace(",", " and"),
    ):
        assert clash_asked(question, TODAY) is None
    asked = clash_asked("any clashes?", TODAY)
    assert asked is not None
    assert clashes(asked, [document("clashes")], NOW) is None


def test_what_was_not_read_speaks_against_it() -> None:
    draft = told("any clashes on 14 December?", is_complete=False)
    assert draft is not None
    assert draft.reasons == (UNREAD,)


def test_a_part_of_the_day_leaves_the_rest_out() -> None:
    asked = clash_asked("Do I have a clash on December 14 late afternoon? With what?", TODAY)
    assert asked is not None
    assert asked.names == ()
    noon = datetime(2026, 12, 14, 10, tzinfo=UTC)
    morning = [event(name, noon, "a") for name in ("Survey of the pier", "Vet")]
    late = [event(name, noon.replace(hour=17), "a") for name in ("Budget", "Interview")]
    found = clashes(asked, [*morning, *late], NOW)
    assert found is not None
    assert found.text.startswith("Yes:")
    assert [one.passage.item.title for one in found.citations] == ["Budget", "Interview"]
    assert clashes(asked, morning, NOW).text.startswith("No")  # type: ignore[union-attr]
    named = clash_asked("does the evening class clash with choir on 14 December?", TODAY)
    assert named is not None
    assert len(named.names) == 2
