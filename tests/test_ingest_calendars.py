"""Calendars: single and repeating events, tasks, damaged files."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from ingest.item import Filters, Item, Kind, Person, Reason, Skipped
from ingest.read import read

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 17, 9, 0, tzinfo=BERLIN)


def calendar(tmp_path: Path, *entries: str, head: str = "X-WR-CALNAME:Work\n") -> Path:
    path = tmp_path / "work.ics"
    inner = "".join(f"BEGIN:VEVENT\n{entry.strip()}\nEND:VEVENT\n" for entry in entries)
    path.write_text(f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-\n{head}{inner}END:VCALENDAR\n")
    return path


def items_of(path: Path, **filters: object) -> list[Item]:
    wanted = Filters(**filters)  # type: ignore[arg-type]
    return [i for i in read([path], wanted, zone=BERLIN, now=NOW) if isinstance(i, Item)]


def skipped_of(path: Path) -> list[Skipped]:
    return [s for s in read([path], zone=BERLIN, now=NOW) if isinstance(s, Skipped)]


STAND_UP = """UID:standup
SUMMARY:Stand-up
DTSTART;TZID=Europe/Berlin:20261019T091500
DTEND;TZID=Europe/Berlin:20261019T093000
RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=6
EXDATE;TZID=Europe/Berlin:20261102T091500
"""
MOVED = """UID:standup
SUMMARY:Stand-up
RECURRENCE-ID;TZID=Europe/Berlin:20261116T091500
DTSTART;TZID=Europe/Berlin:20261117T100000
DTEND;TZID=Europe/Berlin:20261117T101500
"""


def test_an_event_is_one_field_a_line(tmp_path: Path) -> None:
    path = calendar(
        tmp_path,
        "UID:e1\nSUMMARY:Budget\\, final\nDTSTART:20261117T090000Z\nDTEND:20261117T100000Z\n"
        "LOCATION:Room 4\nORGANIZER;CN=Ana Ruiz:mailto:ana@example.org\n"
        "ATTENDEE;CN=Bo Li;PARTSTAT=DECLINED:mailto:bo@example.org\n"
        "STATUS:CONFIRMED\nDESCRIPTION:Bring the\\nfigures",
    )
    (item,) = items_of(path)
    assert item.text == (
        "Event: Budget, final\n"
        "When: Tue 2026-11-17 10:00-11:00 Europe/Berlin\n"
        "Where: Room 4\n"
        "Organiser: Ana Ruiz <ana@example.org>\n"
        "Attendees: Bo Li <bo@example.org> (declined)\n"
        "Status: confirmed\n"
        "Calendar: Work\n"
        "\n"
        "Bring the\nfigures"
    )
    assert (item.kind, item.title) == (Kind.EVENT, "Budget, final")
    assert item.when == datetime(2026, 11, 17, 9, tzinfo=UTC)
    assert item.until == datetime(2026, 11, 17, 10, tzinfo=UTC)
    assert item.people.sender == (Person("Ana Ruiz", "ana@example.org"),)
    assert item.people.recipients == (Person("Bo Li", "bo@example.org"),)
    assert (item.locator.uid, item.locator.occurrence) == ("e1", "2026-11-17T10:00:00+01:00")


def test_a_series_skips_exceptions_keeps_moves_and_local_time(tmp_path: Path) -> None:
    found = items_of(calendar(tmp_path, STAND_UP, MOVED))
    assert [item.locator.occurrence for item in found] == [
        "2026-10-19T09:15:00+02:00",
        "2026-10-26T09:15:00+01:00",
        "2026-11-09T09:15:00+01:00",
        "2026-11-17T10:00:00+01:00",
        "2026-11-23T09:15:00+01:00",
    ]
    assert "Repeats: weekly on Monday 6 times" in found[0].text
    assert found[3].text.startswith(
        "Event: Stand-up (moved)\nWhen: Tue 2026-11-17 10:00-10:15 Europe/Berlin\n"
        "Moved from: Mon 2026-11-16 09:15\n"
    )


def test_all_day_floating_and_foreign_times(tmp_path: Path) -> None:
    found = items_of(
        calendar(
            tmp_path,
            "UID:a\nSUMMARY:Fair\nDTSTART;VALUE=DATE:20261120\nDTEND;VALUE=DATE:20261122",
            "UID:b\nSUMMARY:Day off\nDTSTART;VALUE=DATE:20261123",
            "UID:c\nSUMMARY:Floating\nDTSTART:20261124T080000\nDURATION:PT30M",
            "UID:d\nSUMMARY:Call\nDTSTART;TZID=America/New_York:20261125T090000\nDURATION:PT1H",
            "UID:e\nSUMMARY:Night\nDTSTART:20261125T220000Z\nDTEND:20261126T010000Z",
        )
    )
    assert [item.text.split("\n")[1] for item in found] == [
        "When: Fri 2026-11-20 to Sat 2026-11-21, all day",
        "When: Mon 2026-11-23, all day",
        "When: Tue 2026-11-24 08:00-08:30 Europe/Berlin",
        "When: Wed 2026-11-25 15:00-16:00 Europe/Berlin (09:00 America/New_York)",
        "When: Wed 2026-11-25 23:00 to Thu 2026-11-26 02:00 Europe/Berlin",
    ]
    assert found[0].locator.occurrence == "2026-11-20"
    assert found[0].until == datetime(2026, 11, 22, tzinfo=BERLIN)


def test_an_event_matches_days_it_lies_in_only_in_part(tmp_path: Path) -> None:
    path = calendar(
        tmp_path,
        "UID:a\nSUMMARY:Fair\nDTSTART;VALUE=DATE:20261120\nDTEND;VALUE=DATE:20261122",
        "UID:z\nSUMMARY:Old\nDTSTART:20200101T100000Z\nDTEND:20200101T110000Z",
    )
    assert [i.title for i in items_of(path, since=date(2026, 11, 21))] == ["Fair"]
    assert items_of(path, since=date(2026, 11, 22)) == []
    assert [i.title for i in items_of(path, until=date(2026, 11, 20))] == ["Fair", "Old"]
    reading = read([path], Filters(since=date(2026, 11, 22)), zone=BERLIN, now=NOW)
    assert list(reading) == []
    assert reading.tally.pruned == 2


def test_a_rule_is_expanded_over_the_days_asked_for(tmp_path: Path) -> None:
    path = calendar(tmp_path, "UID:d\nSUMMARY:Tea\nDTSTART:20000101T150000\nRRULE:FREQ=DAILY")
    found = items_of(path, since=date(2040, 5, 1), until=date(2040, 5, 3))
    assert [item.locator.occurrence for item in found] == [
        "2040-05-01T15:00:00+02:00",
        "2040-05-02T15:00:00+02:00",
        "2040-05-03T15:00:00+02:00",
    ]
    assert 4700 < len(items_of(path)) < 4800


def test_a_series_that_ended_long_ago_is_found(tmp_path: Path) -> None:
    entry = "UID:d\nSUMMARY:Tea\nDTSTART:19980105T150000\nRRULE:FREQ=DAILY;COUNT=2"
    path = calendar(tmp_path, entry)
    assert len(items_of(path)) == 2


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=SECONDLY",
        "FREQ=MINUTELY;COUNT=3",
        "FREQ=HOURLY;BYMINUTE=1,2,3",
        "FREQ=HOURLY",
        "FREQ=HOURLY;COUNT=5;BYMONTH=2",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
    ],
)
def test_rules_that_repeat_too_often_do_not_hang(tmp_path: Path, rule: str) -> None:
    path = calendar(tmp_path, f"UID:d\nSUMMARY:Tick\nDTSTART:19000101T150000\nRRULE:{rule}")
    assert [(s.reason, s.member) for s in skipped_of(path)] == [(Reason.TOO_LARGE, "Tick")]
    assert len(items_of(path)) == 1


@pytest.mark.parametrize(("rule", "since"), [("FREQ=HOURLY", None), ("FREQ=DAILY", date(1, 1, 1))])
def test_what_repeats_too_often_is_read_around_now(
    tmp_path: Path, rule: str, since: date | None
) -> None:
    start = "20250101T150000" if since is None else "19700101T090000"
    path = calendar(tmp_path, f"UID:d\nSUMMARY:Bell\nDTSTART:{start}\nRRULE:{rule}")
    found = list(read([path], Filters(since=since), zone=BERLIN, now=NOW))
    items = [item for item in found if isinstance(item, Item)]
    assert 3500 < len(items) <= 5000
    assert any(item.when == NOW for item in items)
    (skip,) = (skip for skip in found if isinstance(skip, Skipped))
    assert (skip.reason, skip.member) == (Reason.TOO_LARGE, "Bell")
    assert "other dates" in skip.remedy


def test_tasks_are_dated_by_when_they_are_due(tmp_path: Path) -> None:
    path = tmp_path / "tasks.ics"
    path.write_text(
        "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:t\nSUMMARY:Pay rent\nDUE;VALUE=DATE:20261201\n"
        "STATUS:NEEDS-ACTION\nPERCENT-COMPLETE:40\nEND:VTODO\n"
        "BEGIN:VTODO\nUID:u\nSUMMARY:Someday\nEND:VTODO\nEND:VCALENDAR\n"
    )
    due, someday = items_of(path)
    assert due.kind is Kind.TASK
    assert due.text == (
        "Task: Pay rent\nDue: Tue 2026-12-01\nStatus: needs action\nDone: 40 %\nCalendar: tasks"
    )
    assert due.when == datetime(2026, 12, 1, tzinfo=BERLIN)
    assert someday.when is None
    assert items_of(path, kinds=frozenset({Kind.EVENT})) == []


def test_a_cancelled_event_says_so(tmp_path: Path) -> None:
    path = calendar(tmp_path, "UID:c\nSUMMARY:Trip\nSTATUS:CANCELLED\nDTSTART:20261117T090000Z")
    assert items_of(path)[0].text.startswith("Event: Trip (cancelled)\n")


def test_one_damaged_entry_does_not_lose_the_others(tmp_path: Path) -> None:
    path = calendar(
        tmp_path,
        "UID:a\nSUMMARY:Good\nDTSTART:20261117T090000Z",
        "UID:b\nSUMMARY:Bad rule\nDTSTART:20261117T090000Z\nRRULE:FREQ=WEEKLY;UNTL=20270101",
        "UID:c\nSUMMARY:Bad date\nDTSTART:tomorrow",
        "UID:d\nthis line has no colon\nSUMMARY:Odd line\nDTSTART:20261118T090000Z",
    )
    assert [item.title for item in items_of(path)] == ["Good", "Bad rule", "Bad date", "Odd line"]
    assert [(s.member, s.reason) for s in skipped_of(path)] == [("Bad rule", Reason.CORRUPT)]


def test_a_file_cut_in_an_entry_says_which(tmp_path: Path) -> None:
    path = calendar(
        tmp_path,
        "UID:a\nSUMMARY:Good\nDTSTART:20261117T090000Z",
        "UID:b\nSUMMARY:Half\nDTSTART:20261118T090000Z\nDESCRIPTION:gone",
    )
    path.write_text(path.read_text().partition("DESCRIPTION")[0])
    assert [item.title for item in items_of(path)] == ["Good", "Half"]
    assert [(s.member, s.reason) for s in skipped_of(path)] == [("Half", Reason.CORRUPT)]


def test_what_is_no_calendar_is_corrupt_and_one_without_entries_empty(tmp_path: Path) -> None:
    junk, bare = tmp_path / "junk.ics", tmp_path / "bare.ics"
    junk.write_text("this is not a calendar\n")
    bare.write_text("BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-\nEND:VCALENDAR\n")
    assert [s.reason for s in skipped_of(junk)] == [Reason.CORRUPT]
    assert skipped_of(junk)[0].kinds == {Kind.EVENT, Kind.TASK}
    assert [s.reason for s in skipped_of(bare)] == [Reason.EMPTY]


def test_a_vdir_calls_its_calendar_by_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "family"
    folder.mkdir()
    entry = "BEGIN:VEVENT\nUID:abc-1\nSUMMARY:Dentist\nDTSTART:20261117T090000Z\nEND:VEVENT\n"
    (folder / "abc-1.ics").write_text(f"BEGIN:VCALENDAR\n{entry}END:VCALENDAR\n")
    assert "Calendar: family" in items_of(tmp_path)[0].text


def test_a_zone_of_the_calendars_own_is_understood(tmp_path: Path) -> None:
    zone = (
        "BEGIN:VTIMEZONE\nTZID:Our Office Time\nBEGIN:STANDARD\nDTSTART:19700101T000000\n"
        "TZOFFSETFROM:+0300\nTZOFFSETTO:+0300\nEND:STANDARD\nEND:VTIMEZONE\n"
    )
    entry = "UID:a\nSUMMARY:Call\nDTSTART;TZID=Our Office Time:20261117T120000"
    (item,) = items_of(calendar(tmp_path, entry, head=zone))
    assert item.when == datetime(2026, 11, 17, 9, tzinfo=UTC)
