"""Calendars: single and repeating events, tasks, damaged files."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from icalendar import Calendar, Event, vCalAddress

from ingest.calendars.calendar import calendar_items, cut_up
from ingest.calendars.entries import Timing
from ingest.calendars.moments import Moments
from ingest.item import Filters, Item, Kind, Locator, People, Person, Reason, Skipped
from ingest.origin import Origin
from ingest.reading.in_process import read
from ingest.sieve import Scope
from ingest.text.clean import clean_line

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
        "When: Tue 2026-11-17 10:00-11:00 Europe/Berlin (1 h)\n"
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
        "Event: Stand-up (moved)\nWhen: Tue 2026-11-17 10:00-10:15 Europe/Berlin (15 min)\n"
        "Moved from: Mon 2026-11-16 09:15\n"
    )


def test_exceptions_without_their_rule_come_in_order(tmp_path: Path) -> None:
    moved = (
        f"UID:a\nSUMMARY:Choir\nRECURRENCE-ID:202611{day:02}T180000Z\nDTSTART:202611{day:02}T190000Z"
        for day in range(1, 11)
    )
    found = items_of(calendar(tmp_path, *moved))
    assert [item.when.day for item in found if item.when] == list(range(1, 11))


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
        "When: Fri 2026-11-20 to Sat 2026-11-21, all day (2 days)",
        "When: Mon 2026-11-23, all day",
        "When: Tue 2026-11-24 08:00-08:30 Europe/Berlin (30 min)",
        "When: Wed 2026-11-25 15:00-16:00 Europe/Berlin (1 h; 09:00 America/New_York)",
        "When: Wed 2026-11-25 23:00 to Thu 2026-11-26 02:00 Europe/Berlin (3 h)",
    ]
    assert found[0].locator.occurrence == "2026-11-20"
    assert found[0].until == datetime(2026, 11, 22, tzinfo=BERLIN)


def test_the_first_day_of_all_does_not_spoil_a_calendar(tmp_path: Path) -> None:
    first = "UID:a\nSUMMARY:Unset\nDTSTART;VALUE=DATE:00010101\nDURATION:PT1H"
    found = items_of(calendar(tmp_path, first, "UID:b\nSUMMARY:Fair\nDTSTART:20261124T080000"))
    assert [item.title for item in found] == ["Unset", "Fair"]


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
        "RSCALE=CHINESE;FREQ=YEARLY",
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
    assert skipped_of(junk)[0].kinds == {Kind.EVENT, Kind.TASK, Kind.DOCUMENT}
    assert [s.reason for s in skipped_of(bare)] == [Reason.EMPTY]
    bare.write_text("BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VEVENT\nEND:VCALENDAR\n")
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


def when_of(item: Item) -> str:
    return item.text.split("\n")[1].removeprefix("When: ")


def test_zones_of_two_calendars_do_not_mix(tmp_path: Path) -> None:
    for hours in (3, 5):
        zone = (
            "BEGIN:VTIMEZONE\nTZID:Our Office Time\nBEGIN:STANDARD\nDTSTART:19700101T000000\n"
            f"TZOFFSETFROM:+0{hours}00\nTZOFFSETTO:+0{hours}00\nEND:STANDARD\nEND:VTIMEZONE\n"
        )
        entry = "UID:a\nSUMMARY:Call\nDTSTART;TZID=Our Office Time:20261117T120000"
        (item,) = items_of(calendar(tmp_path, entry, head=zone))
        assert item.when == datetime(2026, 11, 17, 12 - hours, tzinfo=UTC)


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (";TZID=W. Europe Standard Time:20261117T090000", "09:00 Europe/Berlin"),
        (
            ";TZID=Eastern Standard Time:20261117T090000",
            "15:00 Europe/Berlin (09:00 America/New_York)",
        ),
        (
            ";TZID=/example.org/Tzfile/America/New_York:20261117T090000",
            "15:00 Europe/Berlin (09:00 America/New_York)",
        ),
        (";TZID=GMT+0300:20261117T090000", "07:00 Europe/Berlin (09:00 UTC+03:00)"),
        (";TZID=Nowhere:20261117T090000", '09:00 (its time zone "Nowhere" is not known)'),
        (";TZID=Nowhere:20261117T090000Z", "10:00 Europe/Berlin"),
        (";TZID=../../etc/passwd:20261117T090000", "09:00 (its time"),
        (";TZID=Europe:20261117T090000", "09:00 (its time"),
    ],
)
def test_zones_by_other_names(tmp_path: Path, start: str, said: str) -> None:
    (item,) = items_of(calendar(tmp_path, f"UID:a\nSUMMARY:Call\nDTSTART{start}"))
    assert when_of(item).startswith(f"Tue 2026-11-17 {said}")


def test_a_floating_time_is_in_the_zone_its_calendar_is_written_for(tmp_path: Path) -> None:
    head = "X-WR-TIMEZONE:America/New_York\n"
    (item,) = items_of(calendar(tmp_path, "UID:a\nDTSTART:20261117T090000", head=head))
    assert item.when == datetime(2026, 11, 17, 14, tzinfo=UTC)


def test_the_length_is_what_passes_between_two_clock_changes(tmp_path: Path) -> None:
    path = calendar(
        tmp_path,
        "UID:a\nDTSTART;TZID=Europe/Berlin:20261025T010000\nDTEND;TZID=Europe/Berlin:20261025T040000",
        "UID:b\nDTSTART:20261117T090000Z\nDTEND:20261117T103000Z",
        "UID:c\nDTSTART:20261117T090000Z\nDURATION:P1DT2H",
    )
    assert [when_of(item).partition("(")[2] for item in items_of(path)] == [
        "4 h)",
        "1 h 30 min)",
        "1 day 2 h)",
    ]


def test_a_rule_follows_the_clock_of_its_zone(tmp_path: Path) -> None:
    entry = "UID:a\nDTSTART;TZID=America/New_York:20261023T090000\nRRULE:FREQ=WEEKLY;COUNT=3"
    assert [item.locator.occurrence for item in items_of(calendar(tmp_path, entry))] == [
        "2026-10-23T15:00:00+02:00",
        "2026-10-30T14:00:00+01:00",
        "2026-11-06T15:00:00+01:00",
    ]


def test_additional_dates_and_changes_for_all_that_follow(tmp_path: Path) -> None:
    path = calendar(
        tmp_path,
        "UID:a\nSUMMARY:Choir\nDTSTART:20261102T180000\nDTEND:20261102T190000\n"
        "RRULE:FREQ=WEEKLY;UNTIL=20261123T180000\nRDATE:20261105T180000,nonsense\n"
        "RDATE;VALUE=PERIOD:20261106T180000/PT3H",
        "UID:a\nSUMMARY:Choir, late\nRECURRENCE-ID;RANGE=THISANDFUTURE:20261116T180000\n"
        "DTSTART:20261116T200000\nDTEND:20261116T210000",
    )
    found = sorted(items_of(path), key=lambda item: item.when or NOW)
    assert [(item.title, when_of(item)[4:27]) for item in found] == [
        ("Choir", "2026-11-02 18:00-19:00 "),
        ("Choir", "2026-11-05 18:00-19:00 "),
        ("Choir", "2026-11-06 18:00-21:00 "),
        ("Choir", "2026-11-09 18:00-19:00 "),
        ("Choir, late", "2026-11-16 20:00-21:00 "),
        ("Choir, late", "2026-11-23 20:00-21:00 "),
    ]
    assert "Moved from: Mon 2026-11-23 18:00\n" in found[-1].text


def test_a_rule_that_is_over_is_not_cut_for_being_frequent(tmp_path: Path) -> None:
    entry = "UID:d\nDTSTART:20030101T070000\nRRULE:FREQ=DAILY;COUNT=10"
    path = calendar(tmp_path, entry)
    assert len(items_of(path, since=date(1990, 1, 1), until=date(2030, 1, 1))) == 10


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;COUNT=5;BYWEEKNO=53;BYMONTH=6",
        "FREQ=YEARLY;COUNT=3;BYDAY=+60MO",
        "FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=0,1,2,3,4,5,6,7;BYSETPOS=1,2,3,-1",
        "FREQ=DAILY",
    ],
)
def test_rules_that_come_to_nothing_or_begin_too_early_end_soon(tmp_path: Path, rule: str) -> None:
    path = calendar(tmp_path, f"UID:d\nSUMMARY:Odd\nDTSTART:00010101T000000\nRRULE:{rule}")
    assert len(items_of(path)) <= 1


def test_exceptions_without_number_are_refused(tmp_path: Path) -> None:
    dates = ",".join(["20261117T090000Z"] * 20_000)
    entry = f"UID:d\nSUMMARY:Odd\nDTSTART:20261117T090000Z\nRRULE:FREQ=DAILY\nEXDATE:{dates}"
    path = calendar(tmp_path, entry)
    assert [(s.reason, s.member) for s in skipped_of(path)] == [(Reason.TOO_LARGE, "Odd")]
    assert len(items_of(path)) == 1


def test_an_alarm_within_an_event_says_nothing_of_it(tmp_path: Path) -> None:
    path = calendar(
        tmp_path,
        "BEGIN:VALARM\nUID:alarm\nSUMMARY:Ring\nDURATION:PT5M\nDESCRIPTION:Beep\nEND:VALARM\n"
        "UID:a\nSUMMARY:Talk\nDTSTART:20261117T090000Z\nRRULE:FREQ=DAILY;COUNT=1",
    )
    (item,) = items_of(path)
    assert (item.title, item.locator.uid) == ("Talk", "a")
    assert "Beep" not in item.text
    assert when_of(item) == "Tue 2026-11-17 10:00 Europe/Berlin"


def test_a_note_is_a_document_of_its_day(tmp_path: Path) -> None:
    path = tmp_path / "diary.ics"
    path.write_text(
        "BEGIN:VCALENDAR\nBEGIN:VJOURNAL\nUID:j\nSUMMARY:Garden\nDTSTART;VALUE=DATE:20261117\n"
        "DESCRIPTION:Planted\\, watered\nEND:VJOURNAL\nBEGIN:VFREEBUSY\nUID:f\n"
        "DTSTART:20261117T090000Z\nEND:VFREEBUSY\nEND:VCALENDAR\n"
    )
    (item,) = items_of(path)
    assert (item.kind, item.title, item.locator.uid) == (Kind.DOCUMENT, "Garden", "j")
    assert item.text == "Note: Garden\nDate: Tue 2026-11-17\nCalendar: diary\n\nPlanted, watered"
    assert item.when == datetime(2026, 11, 17, tzinfo=BERLIN)
    assert items_of(path, kinds=frozenset({Kind.DOCUMENT})) == [item]
    assert items_of(path, since=date(2026, 11, 18)) == []


def test_a_task_says_when_it_starts_and_was_completed(tmp_path: Path) -> None:
    path = tmp_path / "tasks.ics"
    path.write_text(
        "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:t\nSUMMARY:Tax\nDTSTART:20261101T080000Z\n"
        "DUE:20261201T170000Z\nSTATUS:COMPLETED\nCOMPLETED:20261116T120000Z\nEND:VTODO\n"
        "END:VCALENDAR\n"
    )
    assert items_of(path)[0].text == (
        "Task: Tax\nDue: Tue 2026-12-01 18:00 Europe/Berlin\nStarts: Sun 2026-11-01 09:00\n"
        "Status: completed\nCompleted: Mon 2026-11-16 13:00\nCalendar: tasks"
    )


@pytest.mark.parametrize(
    ("method", "title", "said"),
    [
        ("REQUEST", "Event: Talk", "Message: invitation"),
        ("CANCEL", "Event: Talk (cancelled)", "Message: cancellation"),
        ("REPLY", "Event: Talk", "Message: reply to an invitation"),
        ("PUBLISH", "Event: Talk", "Calendar: work"),
    ],
)
def test_an_invitation_says_what_it_is(tmp_path: Path, method: str, title: str, said: str) -> None:
    entry = "UID:a\nSUMMARY:Talk\nDTSTART:20261117T090000Z"
    (item,) = items_of(calendar(tmp_path, entry, head=f"METHOD:{method}\n"))
    assert item.text.startswith(f"{title}\n")
    assert said in item.text.split("\n")


def test_lines_are_unfolded_and_their_escapes_undone(tmp_path: Path) -> None:
    path = calendar(
        tmp_path,
        "UID:a\nSUMMARY\n\n :Two\n  words\nDTSTART;VALUE=DATE:20261117\n"
        'ORGANIZER;CN="Ruiz: Ana";SENT-BY="mailto:bo@example.org":mailto:ana@example.org\n'
        "ATTENDEE;CN=Bo\\; Li:MAILTO:bo@example.org\nCATEGORIES:Work,Home\\, sweet\n"
        "DESCRIPTION;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:Caf=E9=\n and\\nmore",
    )
    (item,) = items_of(path)
    assert item.title == "Two words"
    assert item.people.sender == (Person("Ruiz: Ana", "ana@example.org"),)
    assert item.people.attendees == (Person("Bo; Li", "bo@example.org"),)
    assert "Categories: Work, Home, sweet\n" in item.text
    assert item.text.endswith("\n\nCafé and\nmore")


def test_entries_without_end_are_counted_not_listed(tmp_path: Path) -> None:
    path = tmp_path / "bad.ics"
    path.write_text("BEGIN:VCALENDAR\n" + "BEGIN:VEVENT\n" * 5000 + "SUMMARY:Last\n")
    skipped = skipped_of(path)
    assert len(skipped) == 21
    assert "4980 more" in skipped[-1].remedy
    assert [item.title for item in items_of(path)] == ["Last"]


def test_what_would_fill_the_memory_is_left_out_and_said(tmp_path: Path) -> None:
    text = "x" * 50_000
    path = calendar(tmp_path, f"UID:d\nDTSTART:20200101\nRRULE:FREQ=DAILY\nDESCRIPTION:{text}")
    assert len(items_of(path)) < 410
    (skipped,) = skipped_of(path)
    assert skipped.reason is Reason.TOO_LARGE
    assert "more entries are not read" in skipped.remedy


def test_of_many_attendees_the_text_names_some(tmp_path: Path) -> None:
    guests = "".join(f"ATTENDEE:mailto:p{n}@example.org\n" for n in range(2000))
    (item,) = items_of(calendar(tmp_path, f"UID:a\nSUMMARY:Fair\n{guests}"))
    assert "p499@example.org, and 1500 more\n" in item.text
    assert len(item.people.attendees) == 2000


def test_a_series_that_begins_far_ahead_is_found(tmp_path: Path) -> None:
    path = calendar(tmp_path, "UID:d\nDTSTART:20450105T150000\nRRULE:FREQ=YEARLY")
    assert items_of(path)[0].locator.occurrence == "2045-01-05T15:00:00+01:00"


def test_many_series_share_one_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.calendars.events._OCCURRENCES", 100)
    series = "".join(
        f"BEGIN:VEVENT\nUID:{n}\nDTSTART:20260101\nRRULE:FREQ=DAILY;COUNT=30\nEND:VEVENT\n"
        for n in range(9)
    )
    origin = Origin("", None, People(), Locator(Path("/a.ics")))
    found = list(calendar_items(series.encode(), origin, Scope(Filters(), BERLIN, NOW)))
    assert len([one for one in found if isinstance(one, Item)]) == 120
    (skipped,) = [one for one in found if isinstance(one, Skipped)]
    assert "5 more entries are not read" in skipped.remedy


PIECES = [
    *("BEGIN:VEVENT\n", "END:VEVENT\n", "BEGIN:VTODO\n", "END:VTODO\n", "BEGIN:VJOURNAL\n"),
    *("BEGIN:VALARM\n", "END:VALARM\n", "END:VCALENDAR\n", "BEGIN:VTIMEZONE\n", "UID:1\n"),
    *("DTSTART:20261117T090000\n", "DTSTART;VALUE=DATE:00010101\n", "DTEND:99991231T235959Z\n"),
    *("DTSTART;TZID=Europe/Berlin:99991231T235959\n", "DTSTART;TZID=a/../b:20261117T090000\n"),
    *("DURATION:-P9999W\n", "DURATION:PT1H\n", "DUE:20261301\n", "RECURRENCE-ID:20261117\n"),
    *("RECURRENCE-ID;RANGE=THISANDFUTURE:20261118T090000\n", "RDATE:20261117,x/PT1H,/\n"),
    *("RRULE:FREQ=DAILY;COUNT=3\n", "RRULE:FREQ=YEARLY;BYMONTH=0,13L;BYDAY=9MO\n", "RRULE:;\n"),
    *("RRULE:FREQ=WEEKLY;UNTIL=20270101T000000;INTERVAL=-1\n", "RRULE:FREQ=MONTHLY;BYSETPOS=0\n"),
    *("EXDATE;TZID=Nowhere:20261118T090000,20261119\n", "SEQUENCE:x\n", "SEQUENCE:9\n", " fold\n"),
    *(
        'ATTENDEE;CN="a:b;PARTSTAT=DECLINED:mailto:x\n',
        "ORGANIZER;CN=\\;:x@y\n",
        "X-WR-TIMEZONE:UTC\n",
    ),
    *(
        "DESCRIPTION:<br>\\n<div>\x1b\u202e\n",
        "SUMMARY;ENCODING=QUOTED-PRINTABLE:=FF=\n",
        "\r",
        ":",
    ),
    *("TZID:Own\n", "BEGIN:STANDARD\n", "TZOFFSETTO:+9900\n", "END:STANDARD\n", "END:VTIMEZONE\n"),
    *("DTSTART;TZID=Own:20261117T090000\n", "STATUS:CANCELLED\n", "PERCENT-COMPLETE:x\n"),
]


def test_arbitrary_entries_give_items_or_say_why_not(tmp_path: Path) -> None:
    path = tmp_path / "a.ics"
    pieces = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=30)

    @settings(max_examples=200, deadline=None, suppress_health_check=CHECKS, database=None)
    @given(pieces)
    def check(parts: list[str]) -> None:
        text = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\n" + "".join(parts)
        path.write_bytes(text.encode("utf-8", "replace"))
        for one in read([path], zone=BERLIN, now=NOW):
            if isinstance(one, Skipped):
                assert "could not be read" not in one.remedy
            else:
                assert "\x1b" not in one.text + one.title
                assert one.when is None or one.when.tzinfo is not None

    check()


CHECKS = list(HealthCheck)
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cf"]), max_size=90)
ZONES = st.sampled_from([None, UTC, BERLIN, ZoneInfo("America/New_York")])
MOMENTS = st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1), timezones=ZONES)


@settings(max_examples=60, deadline=None, suppress_health_check=CHECKS, database=None)
@given(
    st.fixed_dictionaries(dict.fromkeys(("summary", "location", "description"), TEXTS)),
    st.one_of(MOMENTS, st.dates(date(1971, 1, 1), date(2200, 1, 1))),
    st.timedeltas(timedelta(days=1), timedelta(days=9)),
    TEXTS,
)
def test_lines_are_read_as_the_library_reads_them(
    texts: dict[str, str], start: date, length: timedelta, name: str
) -> None:
    event = Event()
    for key, text in texts.items():
        event.add(key, text)
    length = timedelta(length.days)
    if isinstance(start, datetime):
        start = start.replace(microsecond=0)
        length += timedelta(hours=5, minutes=30)
    event.add("dtstart", start)
    event.add("duration", length)
    guest = vCalAddress("mailto:bo@example.org")
    guest.params["CN"] = name.replace('"', "")
    event.add("attendee", guest)
    calendar = Calendar()
    calendar.add_component(event)
    written = calendar.to_ical().decode()
    (theirs,) = Calendar.from_ical(written).events
    (entry,) = cut_up("\n" + written.replace("\r\n", "\n")).entries
    ours = entry.fields()
    for key in texts:
        line = ours.first(key.upper())
        assert line is not None
        assert line.text == str(theirs[key])
    timing = Timing.of(ours, Moments())
    assert timing.start == theirs.start
    assert timing.end == theirs.end
    (guest_line,) = ours.all("ATTENDEE")
    assert guest_line.option("CN") == clean_line(str(theirs["attendee"].params["CN"]))
    assert guest_line.text == theirs["attendee"]
