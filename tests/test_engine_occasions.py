"""Whether something is on then is answered from the calendars, by its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from engine.compute.occasions import BY_NAME, occasion, occasion_asked
from engine.confidence.reasons import UNREAD
from engine.generation.draft import Draft
from engine.language.days import Closed
from ingest.item import Item
from tests.support.builders import event
from tests.support.toy_compute import asking

TODAY = date(2026, 11, 29)  # a Sunday


def at(day: int, hour: int, month: int = 12) -> datetime:
    return datetime(2026, month, day, hour, tzinfo=UTC)


HELD = event("Clara swimming", at(30, 17, 11), "family", 45)
CANCELLED = replace(HELD, text=HELD.text.replace("swimming", "swimming (cancelled)", 1))
CALENDAR = [
    event("Clara swimming", at(25, 17, 11), "family", 45),
    CANCELLED,
    event("Clara swimming", at(2, 17), "family", 45),
    event("Clara swimming (later)", at(9, 18), "family", 45),
    event("Swimming pool closed", at(30, 9, 11), "family", 60),
    event("Dentist", at(3, 8), "family", 30),
]


def told(
    question: str, items: Sequence[Item] = CALENDAR, *, is_complete: bool = True
) -> Draft | None:
    asked = occasion_asked(question, TODAY)
    assert asked is not None
    return occasion(asked, items, is_complete=is_complete)


@pytest.mark.parametrize(
    ("question", "words", "first", "last", "is_had"),
    [
        ("does Clara have swimming tomorrow?", "clara swim", (11, 30), (11, 30), True),
        ("Do we have choir on 9 December", "choir", (12, 9), (12, 9), True),
        ("is there swimming this week?", "swim", (11, 29), (12, 5), False),
        ("Did Clara have swimming yesterday?", "clara swim", (11, 28), (11, 28), True),
        ("does the recycling go out this wed", "recycl", (12, 2), (12, 2), False),
        ("Is choir on this Thursday?", "choir", (12, 3), (12, 3), False),
        ("is swimming on on 9 December", "swim", (12, 9), (12, 9), False),
        ("did the book club meet yesterday?", "book club", (11, 28), (11, 28), False),
    ],
)
def test_an_entry_is_asked_for_by_name(
    question: str, words: str, first: tuple[int, int], last: tuple[int, int], is_had: bool
) -> None:
    found = occasion_asked(question, TODAY)
    assert found is not None
    assert found.words == frozenset(words.split())
    assert found.days == Closed(date(2026, *first), date(2026, *last))
    assert found.is_had is is_had


@pytest.mark.parametrize(
    "question",
    [
        "does Clara have swimming?",
        "do I have to pay tomorrow?",
        "do I have time on Friday?",
        "do I have any mails from today?",
        "does Clara have swimming at 5 tomorrow?",
        "is there swimming tomorrow evening?",
        "did we have choir in 2025?",
        "is there a key under the mat?",
        "When does Clara have swimming next week?",
        "does Clara, or Tom, have swimming tomorrow?",
        "do we meet on Friday?",
        "is it on tomorrow?",
        "is the lease on paper?",
        "does the recycling go out?",
    ],
)
def test_other_questions_look_for_no_entry(question: str) -> None:
    assert occasion_asked(question, TODAY) is None


def test_what_is_on_is_shown() -> None:
    draft = told("does Clara have swimming on 9 December?")
    assert draft is not None
    first, second = draft.text.splitlines()
    assert first == "Yes, on Wed 2026-12-09:"
    assert "Clara swimming (later)" in second
    assert second.endswith("[1]")
    assert draft.reasons == (BY_NAME,)  # it says more
    draft = told("does Clara have swimming on Wednesday?")
    assert draft is not None
    assert draft.reasons == ()


def test_what_is_not_on_is_denied_with_what_is_nearest() -> None:
    """Neither an entry that was cancelled nor one of another name is it."""
    draft = told("does clara have swimming tomorrow?")
    assert draft is not None
    first, before, after = draft.text.splitlines()
    assert first == "No: the calendars have none on Mon 2026-11-30. Before and after:"
    assert "2026-11-25" in before
    assert "2026-12-02" in after
    assert draft.reasons == (BY_NAME,)


def test_unread_calendars_are_said() -> None:
    draft = told("do we have swimming on Wednesday?", is_complete=False)
    assert draft is not None
    assert draft.reasons == (BY_NAME, UNREAD)


@pytest.mark.parametrize(
    "question",
    [
        "does Tom have swimming tomorrow?",
        "is there a dentist tomorrow?",
        "do we have swimming tomorrow?",  # the pool is closed
    ],
)
def test_what_no_calendar_may_have_is_left_to_reading(question: str) -> None:
    assert told(question) is None


def test_auto_answers_without_a_model(fake_generator: Any) -> None:
    ask = asking(fake_generator)
    now = datetime(2026, 11, 29, 9, tzinfo=UTC)
    found, _, models = ask("does Clara have swimming tomorrow?", CALENDAR, strategy="auto", now=now)
    assert found.text.startswith("No: the calendars have none on")
    assert found.certainty == "unsure"
    assert models["g"].prompts == models["l"].prompts == []
