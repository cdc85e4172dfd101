"""Thunderbird's calendars (local.sqlite, cache.sqlite) and address books (abook.sqlite, …).

Rows become the iCalendar and vCard text that they came from; the readers of these do the rest.
The columns are those of Thunderbird's CalStorageModelFactory and SQLiteDirectory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from ingest.calendars.calendar import calendar_items
from ingest.calendars.contacts import contact_items
from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.origin import Origin
from ingest.sieve import Read, Scope

Rows = Callable[[str], Iterator[dict[str, Any]]]
ALL_DAY = 8
"""Flag of an event without hours."""
DELETED = 4
"""State of an entry that is deleted here and not yet on its server."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ESCAPED = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n", "\r": None})
_TEXTS = ("DESCRIPTION", "LOCATION", "CATEGORIES", "URL", "COMMENT")
_EVENT = ("VEVENT", ("DTSTART", "event_start"), ("DTEND", "event_end"))
_TASK = ("VTODO", ("DTSTART", "todo_entry"), ("DUE", "todo_due"), ("COMPLETED", "todo_completed"))
_CARD_FIELDS = {
    "DisplayName": "FN",
    "PrimaryEmail": "EMAIL",
    "SecondEmail": "EMAIL",
    "CellularNumber": "TEL;TYPE=CELL",
    "HomePhone": "TEL;TYPE=HOME",
    "WorkPhone": "TEL;TYPE=WORK",
    "Company": "ORG",
    "JobTitle": "TITLE",
    "Notes": "NOTE",
}
"""Fields of cards that older versions kept, and those of a vCard."""


def calendar(rows: Rows, tables: frozenset[str], origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the events and tasks."""
    told: dict[Any, list[str]] = defaultdict(list)
    for row in rows("SELECT * FROM cal_properties"):
        if str(row["key"]).upper() in _TEXTS and row["value"]:
            told[_whose(row)].append(f"{str(row['key']).upper()}:{_text(row['value'])}")
    for table in tables & {"cal_recurrence", "cal_attendees"}:
        for row in rows(f"SELECT * FROM {table}"):  # noqa: S608 - one of two names
            told[_whose(row)] += str(row.get("icalString") or "").splitlines()
    entries = [
        line
        for (kind, *moments), table in ((_EVENT, "cal_events"), (_TASK, "cal_todos"))
        for row in rows(f"SELECT * FROM {table}")  # noqa: S608 - one of two names
        if row.get("offline_journal") != DELETED
        for line in _entry(row, kind, moments, told)
    ]
    if not entries:
        raise UnreadableError(Reason.EMPTY, "The calendar holds no entries.")
    text = "\r\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", *entries, "END:VCALENDAR", ""])
    yield from calendar_items(text.encode(), origin, scope)


def _whose(row: dict[str, Any]) -> tuple[Any, Any]:
    return row.get("item_id") or row.get("id"), row.get("recurrence_id")


def _entry(
    row: dict[str, Any], kind: str, moments: list[Any], told: dict[Any, list[str]]
) -> Iterator[str]:
    all_day = bool(int(row.get("flags") or 0) & ALL_DAY)
    yield f"BEGIN:{kind}"
    yield f"UID:{_text(row['id'])}"
    yield f"SUMMARY:{_text(row.get('title') or '')}"
    if row.get("ical_status"):
        yield f"STATUS:{_text(row['ical_status'])}"
    for name, column in (*moments, ("RECURRENCE-ID", "recurrence_id")):
        if row.get(column) is not None:
            yield _moment(name, row[column], str(row.get(f"{column}_tz") or "UTC"), all_day=all_day)
    yield from told.get(_whose(row), ())
    yield f"END:{kind}"


def _moment(name: str, microseconds: int, zone: str, *, all_day: bool) -> str:
    when = _EPOCH + timedelta(microseconds=int(microseconds))
    if all_day and name != "COMPLETED":
        return f"{name};VALUE=DATE:{when:%Y%m%d}"
    if zone == "floating":
        return f"{name}:{when:%Y%m%dT%H%M%S}"
    try:
        local = when.astimezone(ZoneInfo(zone)) if zone != "UTC" else when
    except (OSError, KeyError, ValueError):  # a zone of its own, written out
        local = when
    if local.tzinfo is UTC:
        return f"{name}:{when:%Y%m%dT%H%M%SZ}"
    return f"{name};TZID={zone}:{local:%Y%m%dT%H%M%S}"


def _text(value: object) -> str:
    return str(value).translate(_ESCAPED)


def addresses(rows: Rows, tables: frozenset[str], origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the contacts: each a vCard, which older versions kept in fields."""
    del tables
    cards: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows("SELECT card, name, value FROM properties"):
        cards[str(row["card"])][str(row["name"])] = str(row["value"])
    text = "\r\n".join(card.get("_vCard") or _card(card) for card in cards.values())
    if not text.strip():
        raise UnreadableError(Reason.EMPTY, "The address book holds nobody.")
    yield from contact_items(text.encode(), origin, scope)


def _card(fields: dict[str, str]) -> str:
    lines = [
        f"{_CARD_FIELDS[name]}:{_text(value)}"
        for name, value in fields.items()
        if name in _CARD_FIELDS
    ]
    return "\r\n".join(["BEGIN:VCARD", "VERSION:4.0", *lines, "END:VCARD"]) if lines else ""
