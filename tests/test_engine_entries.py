"""When and where something is, is answered by the entry of the calendars that has its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from engine.compute.entries import entry, entry_asked
from engine.compute.occasions import BY_NAME
from engine.confidence.reasons import UNREAD
from engine.generation.draft import Draft
from engine.language.days import Closed
from ingest.item import Item, Locator
from tests.support.builders import event
from tests.support.toy_compute import asking

NOW = datetime(2026, 11, 29, 9, tzinfo=UTC)
TODAY = NOW.date()  # a Sunday


def at(day: int, hour: int, month: int = 12, year: int = 2026) -> datetime:
    return datetime(year, month, day, hour, tzinfo=UTC)


def cancelled(item: Item) -> Item:
    title, rest = item.text.split("\n", 1)
    return replace(item, text=f"{title} (cancelled)\n{rest}")


def whole_day(title: str, day: datetime) -> Item:
    one = event(title, day, "family", 24 * 60)
    return replace(one, locator=replace(one.locator, occurrence=f"{day:%Y-%m-%d}"))


CALENDAR = [
    event("Dentist Kit", at(16, 16), "family", 20, "Arwenack"),
    event("Dentist Jenna", at(7, 8), "family", 30),
    cancelled(event("Optician Jenna", at(25, 17), "family", 30)),
    event("Optician Jenna", at(6, 16, 1, 2027), "family", 30),
    event("Payroll cut-off", at(22, 12, 11), "work", 30),
    event("Payroll cut-off (early)", at(17, 12), "work", 30),
    event("Payroll cut-off", at(22, 12, 1, 2027), "work", 30),
    event("Waste pick-up", at(8, 7), "family", 30),
    whole_day("Ada and Sam wedding", at(20, 0)),
]


def told(
    question: str, items: Sequence[Item] = CALENDAR, *, is_complete: bool = True
) -> Draft | None:
    asked = entry_asked(question, TODAY)
    assert asked is not None
    return entry(asked, items, NOW, is_complete=is_complete)


@pytest.mark.parametrize(
    ("question", "title", "day"),
    [
        ("kits dentist, what date", "Dentist Kit", "2026-12-16"),
        ("When is Kit\u2019s dentist appointment?", "Dentist Kit", "2026-12-16"),
        ("when's kit's dentist on the 16th", "Dentist Kit", "2026-12-16"),
        ("when am i seeing the optician now", "Optician Jenna", "2027-01-06"),
        ("when has the optician been moved to?", "Optician Jenna", "2027-01-06"),
        ("next optician?", "Optician Jenna", "2027-01-06"),
        ("payroll cutoff in december, what day", "Payroll cut-off (early)", "2026-12-17"),
        ("what day's the next waste pickup", "Waste pick-up", "2026-12-08"),
        ("the waste pick up is when?", "Waste pick-up", "2026-12-08"),
        ("when is the wedding", "Ada and Sam wedding", "2026-12-20"),
    ],
)
def test_the_entry_with_the_words_is_shown(question: str, title: str, day: str) -> None:
    draft = told(question)
    assert draft is not None
    _, line = draft.text.splitlines()
    assert title in line
    assert day in line
    assert line.endswith("[1]")
    assert draft.reasons == (BY_NAME,)


@pytest.mark.parametrize(
    "question",
    [
        "when is the dentist?",  # Kit's or Jenna's
        "when is Tom's dentist?",
        "where is the optician?",  # no entry says
        "where is Kit?",  # no entry of him alone
        "what time is the wedding?",  # the entry has none
        "when is the optician in december?",
        "when is the payroll party",
    ],
)
def test_what_no_entry_tells_is_left_to_reading(question: str) -> None:
    assert told(question) is None


@pytest.mark.parametrize("question", ["where's kit's dentist", "which room is Kit in on the 16th"])
def test_the_place_of_an_entry_is_told(question: str) -> None:
    draft = told(question)
    assert draft is not None
    first, line = draft.text.splitlines()
    assert first == "Arwenack:"
    assert "Dentist Kit" in line


def test_occurrences_of_one_event_may_have_different_titles() -> None:
    place = Locator(CALENDAR[0].locator.path, uid="ergs", occurrence="x")
    ergs = [
        replace(event(title, at(day, 18), "family"), locator=place)
        for title, day in (("Ergs - later start", 3), ("Ergs", 10))
    ]
    draft = told("when are ergs next?", ergs)
    assert draft is not None
    assert "Ergs - later start" in draft.text


def test_days_show_what_lies_in_them() -> None:
    ergs = [event("Ergs", at(day, 18), "family") for day in (1, 3, 5, 6, 10)]
    draft = told("when are ergs this coming week?", ergs)
    assert draft is not None
    assert [line.split()[1] for line in draft.text.splitlines()[1:]] == [
        f"2026-12-0{day}" for day in (1, 3, 5, 6)
    ]


def test_no_entry_of_the_days_is_left_out_without_a_word() -> None:
    many = [event("Ergs", at(day, 18), "family") for day in range(1, 31)]
    draft = told("when are ergs in december?", many)
    assert draft is not None
    _, *lines = draft.text.splitlines()
    *shown, rest = lines
    assert rest == f"and {len(many) - len(shown)} more"


def test_different_places_are_left_to_reading() -> None:
    rooms = [
        event("Choir", at(3, hour), "family", 60, room) for hour, room in ((9, "A"), (18, "B"))
    ]
    assert told("which room is choir in on the 3rd", rooms) is None
    assert told("which room is choir in on the 3rd", rooms[:1]) is not None


def test_unread_calendars_are_said() -> None:
    draft = told("next optician?", is_complete=False)
    assert draft is not None
    assert draft.reasons == (BY_NAME, UNREAD)


@pytest.mark.parametrize(
    "question",
    [
        "when did we last see the dentist?",
        "when was Kit's dentist",
        "what time does choir end?",
        "when is the report due?",
        "when can't we use the lab",
        "when didn't we have choir",
        "when is it?",
        "when is the dentist, and what should I bring? and where is it",
        "is the dentist on Friday?",
        "what is the dentist called",
    ],
)
def test_other_questions_name_no_entry(question: str) -> None:
    assert entry_asked(question, TODAY) is None


def test_a_day_by_its_number_alone_is_the_next_such_day() -> None:
    asked = entry_asked("where does the committee meet on the 8th?", TODAY)
    assert asked is not None
    assert asked.days == Closed(date(2026, 12, 8), date(2026, 12, 8))
    assert asked.is_place
    assert entry_asked("where is the fair on the 45th", TODAY) is None


def test_whom_one_meets_is_in_the_title_of_the_day() -> None:
    lunch = [event("Lunch - Perpetua Osei", datetime(2026, 12, day, 12, tzinfo=UTC), "a")
             for day in (2, 15)]  # fmt: skip
    asked = entry_asked("who am I having lunch with on the 15th", TODAY)
    assert asked is not None
    found = entry(asked, lunch, NOW)
    assert found is not None
    assert [one.passage.item.when for one in found.citations] == [lunch[1].when]
    for question in ("who am I having lunch with", "who is having lunch with Ann on the 15th"):
        assert entry_asked(question, TODAY) is None


def test_a_month_may_stand_before_the_name() -> None:
    board = [event("Club board meeting", datetime(2027, month, 11, 19, tzinfo=UTC), "a")
             for month in (1, 2)]  # fmt: skip
    asked = entry_asked("When is the February board meeting?", TODAY)
    assert asked is not None
    found = entry(asked, board, NOW)
    assert found is not None
    assert [one.passage.item.when for one in found.citations] == [board[1].when]
    march = entry_asked("when does the march start", TODAY)
    assert march is not None
    assert march.days is None


def test_auto_answers_without_a_model(fake_generator: Any) -> None:
    ask = asking(fake_generator)
    found, _, models = ask("kits dentist, what date", CALENDAR, strategy="auto", now=NOW)
    assert "Dentist Kit" in found.text
    assert found.certainty == "unsure"
    assert models["g"].prompts == []
