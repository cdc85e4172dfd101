"""Plans run over items counted by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ingest.item import Copy, Item, Locator, Shelf
from tests.support.builders import event, mail
from tests.support.toy_compute import BOB, KIM, MET, crossings, day, table


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("count mail", "6"),
        ("count mail from:kim", "4"),
        ("count mail from:Kim since:2026-03-01 until:2026-03-31", "2"),
        ("count mail from:jo@lane.example until:2026-03-31", "1"),  # as its header shows it
        ("count mail from:im", "0"),  # no part of a word
        ('count mail thread:"boat  house"', "3"),
        ('count mail subject:"boat house"', "1"),
        ("count mail title:house", "3"),
        ("distinct sender of mail", "3"),
        ("distinct thread of mail", "3"),
        ("first sender of mail", "Kim Sato"),
        ("last title of mail thread:Lease", "Lease"),
        ("last date of mail from:bob", "2026-03-03"),
        ("between date of mail thread:\"Boat house\"", "2"),
        ("between date of event title:Sails and event title:Sun", "15"),
        ("between date of event title:Sun and event title:Sails as weeks", "2.14"),
        ("shared date of event in:Norway and event in:Sweden", "1"),
        ("sum duration of event in:Harbour", "2 h 45 min"),
        ("average duration of event in:Harbour as minutes", "55"),
        ("max duration of event in:Harbour", "Sails (1 h 30 min)"),
        ("list place of event in:Harbour", "Red hall, Blue hall"),
        ("list start of event title:Ropes", "2026-03-06 14:00"),
        ("count mail by sender top 1", "Kim Sato"),
        ("count event in:Harbour by date top 1", "2026-03-06"),
        ("count event by calendar bottom 1", "Sweden"),
    ],
)  # fmt: skip
def test_a_plan_comes_to(line: str, value: str) -> None:
    found = table(line)
    assert (found.value or "0") == value


def test_groups_of_time_stand_in_order_and_others_by_size() -> None:
    months = table("count mail since:2026-01-01 by month")
    assert [(row.label, row.value) for row in months.rows] == [
        ("March 2026", "4"),
        ("April 2026", "1"),
    ]
    senders = table("count mail by sender")
    assert [(row.label, row.value) for row in senders.rows] == [
        ("Kim Sato", "4"),
        ("Bob Reed", "1"),
        ("jo@lane.example", "1"),
    ]


def test_groups_that_are_level_with_the_top_are_shown_too() -> None:
    assert [row.label for row in table("count mail by sender top 2").rows] == [
        "Kim Sato",
        "Bob Reed",
        "jo@lane.example",
    ]


def test_what_has_no_date_or_no_value_is_counted_and_named() -> None:
    assert [one.title for one in table("count mail since:2026-01-01").undated] == ["Undated"]
    found = table("sum duration of event in:Harbour")
    assert [(one.item.title, one.what) for one in found.unread] == [("Open end", "duration")]


@pytest.mark.parametrize(
    ("line", "lacking"),
    [
        ("count mail by month", ["Undated lacks month"]),
        ("sum duration of event in:Harbour by place", ["Open end lacks duration"]),
        ("count event in:Norway by place", ["Founding lacks place", "Sun lacks place"]),
        ("last sender of mail", ["Undated lacks date"]),
        ("first sender of mail by sender", ["Undated lacks date"]),
        ("between date of mail", ["Undated lacks date"]),
        ("shared date of mail from:kim and event in:Harbour", ["Undated lacks date"]),
        ("count mail", []),
    ],
)
def test_what_is_in_no_row_is_kept_with_what_it_lacks(line: str, lacking: list[str]) -> None:
    assert [f"{one.item.title} lacks {one.what}" for one in table(line).unread] == lacking


def test_a_mail_met_twice_counts_once_and_rubbish_only_when_asked_for() -> None:
    kept = mail("Kept", KIM, day(9), shelf=Shelf.TRASH)
    kept.copies.append(Copy(Locator(Path("/mail/archive.mbox")), (), None))
    items = [
        kept,
        mail("Thrown away", KIM, day(9), shelf=Shelf.TRASH),
        mail("Junk", BOB, day(9), shelf=Shelf.SPAM),
        mail("Attached", BOB, day(9), part="2"),
    ]
    found = table("count mail", items)
    assert found.value == "1"
    assert found.shelved == {Shelf.TRASH: 1, Shelf.SPAM: 1}
    assert table("count mail shelf:trash", items).value == "1"
    assert table("count mail shelf:any", items).value == "3"
    assert not table("count mail shelf:any", items).shelved
    assert table("count mail until:2026-03-08", items).shelved == {}  # not of these days either


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("count event with:kim", "3"),  # attends, organises, stands in the title
        ('count event with:"Kim Sato"', "2"),
        ("count event with:k.sato@work.example", "2"),
        ("count item with:kim", "5"),
        ("count mail with:kim", "2"),  # a name from one mail, an address in another
        ("count item with:kim by date top 1", "2026-03-04"),
        ("list title of item with:kim since:2026-03-10", "Minutes, Party, Lunch with Kim"),
        ("last date of item with:kim", "2026-03-13"),
        ("shared date of mail and event", "2"),
        ("shared date of mail from:kim and event with:kim", "1"),
        ("shared date of mail from:bob and event with:bob", "0"),
        ("between date of mail subject:Plans and event title:party", "8"),
        ("between date of event title:party and mail subject:Plans as weeks", "1.14"),
        ("between date of item with:kim", "9"),
    ],
)
def test_a_plan_over_mail_and_calendar_comes_to(line: str, value: str) -> None:
    assert table(line, MET).value == value


def _invited(title: str, uid: str, text: str = "", part: str | None = "2") -> Item:
    found = event(title, day(6), "Work")
    place = replace(found.locator, uid=uid, part=part)
    return replace(found, locator=place, text=f"Event: {title}{text}\nWhen: Fri 2026-03-06")


def test_an_invitation_to_what_the_calendar_has_does_not_count_again() -> None:
    items = [
        _invited("Review", "1"),
        _invited("Review", "1", part=None),
        _invited("Dinner", "2"),
        _invited("Dinner", "2"),
        _invited("Walk", "3"),
        _invited("Walk", "3", " (cancelled)"),
        _invited("Walk", "3"),
        _invited("Swim", "4"),
    ]
    found = table("list title of event", items)
    assert found.value == "Review, Dinner, Swim"
    assert found.rows[0].values[0].item is items[1]
    assert [item.title for item in found.cancelled] == ["Walk"]
    assert found.of == 3


@pytest.mark.parametrize(
    ("line", "value", "left_out"),
    [
        ("count event", "2", ["Crossing", "cancelled"]),
        ("count event until:2026-03-09", "2", ["Crossing"]),
        ("list title of event status:cancelled", "Crossing, cancelled", []),
        ("count event status:any", "4", []),
        ("sum duration of event", "2 h", ["Crossing", "cancelled"]),
    ],
)
def test_what_was_cancelled_took_no_place_unless_it_is_asked_for(
    tmp_path: Path, line: str, value: str, left_out: list[str]
) -> None:
    found = table(line, crossings(tmp_path))
    assert found.value == value
    assert [item.title for item in found.cancelled] == left_out
