"""Databases as programs keep them, by their tables."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

CALENDAR = """
CREATE TABLE cal_events (cal_id TEXT, id TEXT, title TEXT, ical_status TEXT, flags INTEGER,
    event_start INTEGER, event_end INTEGER, event_start_tz TEXT, event_end_tz TEXT,
    recurrence_id INTEGER, recurrence_id_tz TEXT, offline_journal INTEGER);
CREATE TABLE cal_todos (cal_id TEXT, id TEXT, title TEXT, ical_status TEXT, flags INTEGER,
    todo_entry INTEGER, todo_due INTEGER, todo_completed INTEGER, todo_entry_tz TEXT,
    todo_due_tz TEXT, recurrence_id INTEGER, recurrence_id_tz TEXT, offline_journal INTEGER);
CREATE TABLE cal_properties (item_id TEXT, key TEXT, value BLOB, recurrence_id INTEGER,
    recurrence_id_tz TEXT, cal_id TEXT);
CREATE TABLE cal_recurrence (item_id TEXT, cal_id TEXT, icalString TEXT);
CREATE TABLE cal_attendees (item_id TEXT, recurrence_id INTEGER, recurrence_id_tz TEXT,
    cal_id TEXT, icalString TEXT);
"""


def at(*moment: int, zone: ZoneInfo | None = None) -> int:
    """Return microseconds since 1970."""
    return int(datetime(*moment, tzinfo=zone or UTC).timestamp() * 10**6)  # type: ignore[misc,arg-type]


def calendar_with(title: str, start: int, end: int, place: str) -> bytes:
    """Return Thunderbird's database of calendars with one event."""
    with closing(sqlite3.connect(":memory:")) as made:
        made.executescript(CALENDAR)
        made.execute(
            "INSERT INTO cal_events VALUES "
            "('c', 'one', ?, NULL, 4, ?, ?, 'UTC', 'UTC', NULL, NULL, NULL)",
            (title, start, end),
        )
        made.execute(
            "INSERT INTO cal_properties VALUES ('one', 'LOCATION', ?, NULL, NULL, 'c')", (place,)
        )
        made.commit()
        return made.serialize()
