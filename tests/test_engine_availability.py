"""Whether a person is free is answered from the calendars, for days and for hours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from engine.compute.availability import availability, availability_asked
from engine.confidence.reasons import UNREAD
from engine.generation.draft import Draft
from engine.language.days import Span
from ingest.item import Item
from tests.support.builders import document, event

TODAY = date(2026, 11, 28)  # a Saturday
HOUR = timedelta(hours=1)


def at(day: int, hour: int, month: int = 12) -> datetime:
    return datetime(2026, month, day, hour, tzinfo=UTC)


def whole_day(title: str, day: int) -> Item:
    item = event(title, at(day, 0), "home", 24 * 60)
    return replace(item, locator=replace(item.locator, occurrence=f"2026-12-{day:02}"))


CALENDAR = [
    event("Dentist", at(1, 10), "home", 45),
    event("Tenants", at(2, 16), "work", 60),
    event("Choir", at(2, 19), "home", 150),
    event("Doors open", at(3, 18), "home", None),
    event("Night train", at(4, 22), "home", 10 * 60),
    whole_day("Holiday in Bath", 8),
]


def told(question: str, items: Sequence[Item] = CALENDAR, *, is_complete: bool = True) -> Draft:
    asked = availability_asked(question, TODAY)
    assert asked is not None
    found = availability(asked, items, is_complete=is_complete)
    assert found is not None
    return found


WED = date(2026, 12, 2)


@pytest.mark.parametrize(
    ("question", "day", "begins", "ends"),
    [
        ("am I free on 2 December at 4pm?", WED, 16, 17),
        ("Are we busy on Wednesday morning?", WED, 6, 12),
        ("Will I be available on Wednesday between 2 and 4 pm", WED, 14, 16),
        ("am I free Wednesday from 10:00 to 11:00?", WED, 10, 11),
        ("am I free 9-10 on Wednesday", WED, 9, 10),
        ("am I free on Wednesday from 11 to 2", WED, 11, 14),
        ("do I have time on Wednesday afternoon?", WED, 12, 18),
        ("am I busy after 5 on 2 December?", WED, 17, 24),
        ("am I free before noon on Wednesday?", WED, 0, 12),
        ("am I still free on 2 December at 8?", WED, 8, 9),
        ("am I free tonight?", TODAY, 18, 24),
        ("am I free at 16:00?", TODAY, 16, 17),
        ("was I free on 3 November at noon?", date(2026, 11, 3), 12, 13),
    ],
)
def test_days_and_hours_are_read(question: str, day: date, begins: int, ends: int) -> None:
    asked = availability_asked(question, TODAY)
    assert asked is not None
    assert asked.time.days == (Span(day, day),)
    assert asked.time.hours == (begins * HOUR, ends * HOUR)


@pytest.mark.parametrize(
    "question",
    [
        "am I free?",
        "am I free for the meeting with Ann on Monday?",
        "is Ann free on Monday?",
        "am I free from work on Friday?",
        "when am I free on Monday?",
        "are we free to leave?",
        "am I free since 3 May?",
    ],
)
def test_other_questions_are_none_of_free_time(question: str) -> None:
    assert availability_asked(question, TODAY) is None


def test_what_takes_the_hour_is_said_and_cited() -> None:
    draft = told("am I free on 2 December at 4pm?")
    said, *entries = draft.text.splitlines()
    assert said == "No, on Wed 2026-12-02, 16:00-17:00:"
    assert entries == ["Wed 2026-12-02 16:00-17:00 Tenants [1]"]
    assert [one.passage.item.title for one in draft.citations] == ["Tenants"]
    assert told("am I busy on 2 December at 4pm?").text.startswith("Yes, on Wed")


def test_an_empty_hour_is_said_with_what_comes_before_and_after() -> None:
    draft = told("am I free on 2 December at 1pm?")
    said, *entries = draft.text.splitlines()
    assert said.startswith("Yes: nothing in the calendars on Wed 2026-12-02, 13:00-14:00.")
    assert [one.rpartition(" ")[0] for one in entries] == [
        "Tue 2026-12-01 10:00-10:45 Dentist",
        "Wed 2026-12-02 16:00-17:00 Tenants",
    ]
    assert draft.reasons == ()
    assert told("am I busy on 2 December at 1pm?").text.startswith("No: nothing")


def test_a_day_with_something_is_not_all_free() -> None:
    said, *entries = told("am I free on Tuesday or Wednesday?").text.splitlines()
    assert said == "Not all of the time on Tue 2026-12-01 and Wed 2026-12-02:"
    assert len(entries) == 3
    whole = told("am I free on 8 December?").text
    assert whole.startswith("Nothing at a set time on Tue 2026-12-08, all day:\nTue 2026-12-08")


def test_what_goes_on_after_midnight_and_what_has_no_end_count() -> None:
    assert "Night train" in told("am I free on 5 December at 7:00?").text.partition("\n")[2]
    assert told("am I free on 5 December at 7:00 am?").text.startswith("No")
    assert told("am I free on 3 December at 6pm?").text.startswith("No")
    assert told("am I free on 3 December at 8pm?").text.startswith("Yes")


def test_what_was_not_read_speaks_against_it() -> None:
    assert told("am I free on 2 December at 1pm?", is_complete=False).reasons == (UNREAD,)


def test_without_a_calendar_nothing_is_said() -> None:
    asked = availability_asked("am I free on Monday?", TODAY)
    assert asked is not None
    assert availability(asked, [document("Monday is free.")]) is None
