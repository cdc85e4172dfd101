"""How often an entry comes round is said from its occurrences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from engine.compute.frequency import frequency, frequency_asked, rhythm_of
from engine.confidence.reasons import UNREAD
from engine.generation.draft import Draft
from ingest.item import Item
from tests.support.builders import event

TODAY = date(2026, 11, 28)
NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)


def series(title: str, first: datetime, *, days: int, times: int) -> Iterator[Item]:
    for number in range(times):
        when = first + timedelta(days=days * number)
        one = event(title, when, "home", 45)
        place = replace(one.locator, uid=title, occurrence=f"{when:%Y%m%d}")
        yield replace(one, locator=place)


CALENDAR = [
    *series("Journal club", datetime(2026, 9, 3, 7, 45, tzinfo=UTC), days=14, times=12),
    *series("Choir practice", datetime(2026, 9, 1, 19, tzinfo=UTC), days=7, times=20),
    *series("Choir concert", datetime(2026, 9, 5, 19, tzinfo=UTC), days=90, times=2),
    *series("Team call, Oslo", datetime(2026, 9, 2, 9, tzinfo=UTC), days=7, times=20),
    *series("Team call, Rome", datetime(2026, 9, 2, 11, tzinfo=UTC), days=14, times=9),
    event("Dentist", datetime(2026, 12, 4, 9, tzinfo=UTC), "home", 30),
    *series("Physio", datetime(2026, 9, 4, 9, tzinfo=UTC), days=7, times=12),
    event("Physio, first visit", datetime(2026, 8, 20, 9, tzinfo=UTC), "home", 30),
]


def told(question: str, *, is_complete: bool = True) -> Draft | None:
    asked = frequency_asked(question, TODAY)
    return asked and frequency(asked, CALENDAR, NOW, is_complete=is_complete)


@pytest.mark.parametrize(
    ("question", "said", "title"),
    [
        ("How often do we have journal club?", "Every two weeks, on Thursdays. Next:", "Journal"),
        ("how often is choir practice", "Every week, on Tuesdays. Next:", "Choir practice"),
        ("How frequently does the Oslo team call take place?", "Every week, on Wed", "Oslo"),
    ],
)
def test_a_rhythm_is_said_with_the_next_time(question: str, said: str, title: str) -> None:
    draft = told(question)
    assert draft is not None
    assert draft.text.startswith(said)
    [citation] = draft.citations
    assert title in citation.passage.item.title
    assert citation.passage.item.when is not None
    assert citation.passage.item.when >= NOW
    assert draft.reasons == ()


def test_a_calendar_that_was_not_read_is_a_reason_against() -> None:
    draft = told("How often do we have journal club?", is_complete=False)
    assert draft is not None
    assert draft.reasons == (UNREAD,)


@pytest.mark.parametrize(
    "question",
    [
        "How often did we have journal club?",  # a count
        "How often do we have journal club in December?",
        "How often do we have the team call?",  # two of them
        "How often do I go to the dentist?",  # once
        "How often do I have physio?",  # a series and a visit of its own
        "How often is there a choir concert?",  # two are no rhythm
        "How often do we have lunch?",
        "How often do we?",
        "When do we have journal club?",
    ],
)
def test_others_are_left_alone(question: str) -> None:
    assert told(question) is None


def days(*texts: str) -> list[datetime]:
    return [datetime.fromisoformat(text) for text in texts]


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (days("2026-01-05", "2026-02-05", "2026-03-05", "2026-04-05"), "Every month, on day 5"),
        (days("2026-01-05", "2026-02-02", "2026-03-02", "2026-04-06"), "Every month, on a Monday"),
        (days("2024-05-17", "2025-05-17", "2026-05-17"), "Every year, on 17 May"),
        (days("2026-01-05", "2026-01-06", "2026-01-07", "2026-01-08"), "Every day"),
        (days("2026-01-05", "2026-01-15", "2026-01-25"), "Every 10 days"),
        (
            days(*(f"2026-06-{day:02}" for day in (1, 4, 8, 11, 15, 18))),
            "Every week, on Mondays and Thursdays",
        ),
        (
            days(*(f"2026-06-{day:02}" for day in (*range(1, 6), *range(8, 13), *range(15, 20)))),
            "Every working day",
        ),
        (
            days(*(f"2026-06-{day:02}" for day in (1, 8, 15, 22, 29)), "2026-07-13"),
            "Every week, on Mondays",  # one was left out
        ),
        (
            days(*(f"2026-06-{day:02}" for day in (1, 8, 15, 22, 29)), "2026-07-06", "2026-07-14"),
            "Every week, on Mondays",  # the last was moved
        ),
        (days("2026-01-05", "2026-01-12"), None),
        (days("2026-01-05", "2026-01-09", "2026-02-20", "2026-05-01"), None),
    ],
)
def test_rhythms_have_names(times: list[datetime], said: str | None) -> None:
    assert rhythm_of(times) == said
