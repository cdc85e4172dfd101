"""What calendars have in some hours of a day, and what comes first or last on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from engine.compute.availability import ALL_DAY, availability, availability_asked
from engine.compute.day_plan import OF_CALENDAR, day_asked, day_plan
from engine.confidence.reasons import UNREAD
from engine.generation.draft import Draft
from ingest.item import Item
from tests.support.builders import document, event
from tests.support.toy_compute import asking

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)  # a Monday
TODAY = NOW.date()


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 12, day, hour, minute, tzinfo=UTC)


CALENDAR = [
    event("Extinguisher check", at(9, 7, 45), "work", 30),
    event("Payroll", at(9, 10), "work"),
    event("Dentist Kit", at(9, 7), "home", 30),
    event("Staff meeting", at(8, 8, 15), "work", 45),
    event("Practice", at(8, 18, 30), "home"),
    event("Book club", at(8, 20), "home"),
    event("Stock count", at(11, 16, 30), "work", 15),
    event("Game", at(12, 11), "home"),
]


def told(
    question: str, items: Sequence[Item] = CALENDAR, *, is_complete: bool = True
) -> Draft | None:
    asked = day_asked(question, TODAY)
    assert asked is not None
    return day_plan(asked, items, is_complete=is_complete)


def titles(draft: Draft | None) -> list[str]:
    assert draft is not None
    return [one.passage.item.title for one in draft.citations]


@pytest.mark.parametrize(
    ("question", "said", "entries"),
    [
        ("anything on the evening of the 8th of December?", "Yes, on Tue 2026-12-08, 18:00-24:00:",
         ["Practice", "Book club"]),
        ("what's on on Tuesday 8 December in the evening", "On Tue 2026-12-08, 18:00-24:00:",
         ["Practice", "Book club"]),
        ("do I have anything on the afternoon of December 8", "No: nothing in the calendars",
         ["Staff meeting", "Practice"]),
        ("Is there anything in my calendars on the evening of the 11th of December, after 5?",
         "No: nothing in the calendars on Fri 2026-12-11, 17:00-24:00", ["Stock count", "Game"]),
        ("what's on this morning?", "Nothing in the calendars on Mon 2026-11-30",
         ["Staff meeting"]),
        ("what have I got on on the 9th between 9 and 12", "On Wed 2026-12-09, 09:00-12:00:",
         ["Payroll"]),
        ("What's the first thing at work on Wednesday 9 December?", "First on Wed 2026-12-09:",
         ["Extinguisher check"]),
        ("what's my first appointment on 9 December", "First on Wed 2026-12-09:", ["Dentist Kit"]),
        ("when is the last thing on the 8th?", "Last on Tue 2026-12-08:", ["Book club"]),
    ],
)  # fmt: skip
def test_entries_of_the_hours_are_told(question: str, said: str, entries: list[str]) -> None:
    draft = told(question)
    assert draft is not None
    assert draft.text.startswith(said)
    assert titles(draft) == entries


@pytest.mark.parametrize(
    "question",
    [
        "what's on on the 8th of December?",  # whole days are a plan's
        "what's for lunch on Friday",
        "what did I do on Friday morning",
        "what do I have to do on Friday morning",
        "what's on last night",
        "what is on the last Friday of December",
        "what happened on the first of December",
        "what did Ann write on Friday morning",
        "anything from Ann on Friday morning",
        "is the dentist on Friday morning",
        "what's the last train on Friday",
        "anything planned after January",
        "who is on this evening",
        "what's on on Friday the first",
        "what's on on the first in the morning",
    ],
)
def test_other_questions_ask_for_no_hours(question: str) -> None:
    assert day_asked(question, TODAY) is None


def test_what_has_no_hour_comes_last_and_is_no_first_thing() -> None:
    holiday = event("Holiday", at(9, 0), "home", 24 * 60)
    holiday = _whole_day(holiday, "2026-12-09")
    assert titles(told("what's my first appointment on 9 December", [holiday, *CALENDAR])) == [
        "Dentist Kit"
    ]
    assert titles(told("what's on on 9 December in the morning", [holiday, *CALENDAR]))[-1] == (
        "Holiday"
    )
    draft = told("anything on the 9th after 5 pm?", [holiday, *CALENDAR])
    assert draft is not None
    assert draft.text.startswith("No: nothing at a set time on Wed 2026-12-09, 17:00-24:00")
    assert titles(draft) == ["Holiday"]
    assert draft.reasons == (ALL_DAY,)
    free = availability_asked("am I free on 9 December after 5 pm?", TODAY)
    assert free is not None
    left = availability(free, [holiday, *CALENDAR])
    assert left is not None
    assert left.reasons == (ALL_DAY,)


def _whole_day(item: Item, day: str) -> Item:
    return replace(item, locator=replace(item.locator, occurrence=day))


def test_what_speaks_against_it_is_told() -> None:
    draft = told("what's first at work on the 9th", is_complete=False)
    assert draft is not None
    assert draft.reasons == (OF_CALENDAR, UNREAD)


def test_without_such_a_calendar_nothing_is_said() -> None:
    assert told("what's the first thing at school on the 9th") is None
    assert told("anything on this evening", [document("this evening")]) is None
    assert told("what's the first thing on 10 December") is None


def test_a_day_of_the_past_is_meant_where_it_is_said() -> None:
    asked = day_asked("was there anything on Friday evening", TODAY)
    assert asked is not None
    assert asked.time.days[0].first == date(2026, 11, 27)


@pytest.mark.parametrize(
    ("question", "answered"),
    [
        ("anything on Friday evening?", "No: nothing in the calendars on Fri 2026-12-11"),
        ("how many events are on Wednesday morning?", "3 events"),
    ],
)
def test_auto_looks_at_the_hours(fake_generator: Any, question: str, answered: str) -> None:
    ask = asking(fake_generator)
    now = datetime(2026, 12, 7, 9, tzinfo=UTC)
    late = event("Late shift", at(9, 19), "work")
    found, _, models = ask(question, [*CALENDAR, late], strategy="auto", now=now)
    assert found.text.startswith(answered)
    assert found.certainty == "sure"
    assert models["g"].prompts == []
