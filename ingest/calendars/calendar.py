"""Turns calendars into events, tasks and notes: splits, filters and expands their entries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING

from ingest.calendars.entries import Entry
from ingest.calendars.lines import content_lines, whole_letters
from ingest.calendars.moments import Moments
from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.origin import Origin
from ingest.recognise import ENTRIES
from ingest.sieve import LeftOut, Read, Scope
from ingest.text.clean import clean_line, decode

if TYPE_CHECKING:
    from ingest.calendars.events import EventReader

_BOUNDARY = re.compile(
    r"\n(BEGIN|END):(VEVENT|VTODO|VJOURNAL|VTIMEZONE|VCALENDAR)[ \t]*(?=\n)", re.IGNORECASE
)
_PROPERTIES = frozenset({"X-WR-CALNAME", "NAME", "X-WR-TIMEZONE", "METHOD"})
_RECURS = re.compile(r"\n(?:RRULE|RDATE|RECURRENCE-ID)[:;]", re.IGNORECASE)
_NAMED = 20
"""How many damaged entries of one file are reported one by one."""


@dataclass(slots=True)
class CalendarParts:
    """A calendar file, split."""

    entries: list[Entry] = field(default_factory=list)
    zones: list[str] = field(default_factory=list)
    """Its descriptions of time zones."""
    properties: list[str] = field(default_factory=list)
    """The lines between entries and time zones."""

    def says(self) -> dict[str, str]:
        """Return what the calendar says of itself, such as its X-WR-CALNAME."""
        lines = content_lines("\n".join(self.properties), _PROPERTIES)
        return {line.name: clean_line(line.text) for line in lines}


def calendar_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the events, tasks and notes in `data`; raises UnreadableError when there are none."""
    from ingest.calendars.events import Calendar, EventReader

    text = decode(whole_letters(data), origin.charset).replace("\r\n", "\n").replace("\r", "\n")
    cut = cut_up(f"\n{text}\n")
    if not cut.entries:
        if cut.zones or b"END:V" in data[-512:].upper():
            raise UnreadableError(Reason.EMPTY, "The calendar holds no entries.")
        raise UnreadableError(Reason.CORRUPT, "It is not a calendar; export it again.")
    said = cut.says()
    name = said.get("X-WR-CALNAME") or said.get("NAME", "")
    if not scope.admits_calendar(origin.locator.path, name):
        yield LeftOut(len(cut.entries))
        return
    moments = Moments(cut.zones, said.get("X-WR-TIMEZONE", ""))
    reader = EventReader(origin, scope, Calendar(name, said.get("METHOD", "").upper(), moments))
    said_nothing = scope.filters.since is None and scope.filters.until is None
    for read in _reads(cut.entries, reader, origin, scope):
        said_nothing = False
        yield read
    if said_nothing:
        raise UnreadableError(Reason.EMPTY, "None of its entries says anything or takes place.")


def _reads(
    entries: list[Entry], reader: EventReader, origin: Origin, scope: Scope
) -> Iterator[Read]:
    yield from _damaged(entries, origin, scope)
    for series in _series(entries, scope):
        yield from reader.items(series) if series else [LeftOut()]
    yield from reader.rest()


def cut_up(text: str) -> CalendarParts:
    r"""Split a calendar into its parts, however much is broken; it begins and ends with \n."""
    cut = CalendarParts()
    open_name, begins, first, ends_at = "", 0, 1, 0
    line, counted = 0, 0
    for mark in _BOUNDARY.finditer(text):
        what, name = mark[1].upper(), mark[2].upper()
        if open_name and (what == "BEGIN" or name in (open_name, "VCALENDAR")):
            is_closed = what == "END" and name == open_name
            ends_at = mark.end() if is_closed else mark.start()
            _add(cut, open_name, text[begins:ends_at], first, is_closed)
            open_name = ""
        if what == "BEGIN" and name != "VCALENDAR":
            line += text.count("\n", counted, mark.start() + 1)
            counted = mark.start() + 1
            cut.properties.append(text[ends_at : mark.start()].strip("\n"))
            open_name, begins, first = name, mark.start(), line
    if open_name:
        _add(cut, open_name, text[begins:], first, False)
    else:
        cut.properties.append(text[ends_at:])
    return cut


def _add(cut: CalendarParts, name: str, text: str, line: int, is_closed: bool) -> None:
    if name != "VTIMEZONE":
        cut.entries.append(Entry(name, text, line, is_closed))
    elif is_closed:
        cut.zones.append(text.lstrip("\n") + "\n")


def _damaged(entries: list[Entry], origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the entries whose end is missing, the first ones by name."""
    damaged = [entry for entry in entries if not entry.is_closed and scope.wants(entry.kind)]
    remedy = "This entry is damaged; correct it in your calendar program."
    for entry in damaged[:_NAMED]:
        name = entry.fields().text("SUMMARY") or f"line {entry.line}"
        yield origin.skipped(Reason.CORRUPT, remedy, name, ENTRIES)
    if len(damaged) > _NAMED:
        remedy = f"{len(damaged) - _NAMED} more entries are damaged; export the calendar again."
        yield origin.skipped(Reason.CORRUPT, remedy, kinds=ENTRIES)


def _series(entries: list[Entry], scope: Scope) -> Iterator[list[Entry]]:
    """Yield each entry; a repeating one comes with its exceptions. Unwanted entries yield nothing.

    Only those that may repeat are kept parsed.
    """
    first, last = _days(scope)
    wanted = [entry for entry in entries if scope.wants(entry.kind)]
    if len(wanted) < len(entries):
        yield from [[]] * (len(entries) - len(wanted))
    repeated: dict[tuple[str, str], list[Entry]] = {}
    for entry in wanted:
        if _RECURS.search(entry.written) and entry.uid:
            repeated[entry.name, entry.uid] = []
    keys = [(entry.name, entry.uid) if repeated else ("", "") for entry in wanted]
    for entry, key in zip(wanted, keys, strict=True):
        if key in repeated:
            repeated[key].append(entry)
    for entry, key in zip(wanted, keys, strict=True):
        series = repeated.get(key, [entry])
        if series[0] is entry:
            is_outside = key not in repeated and _is_outside(entry, first, last)
            yield [] if is_outside else series


def _days(scope: Scope) -> tuple[str, str]:
    """Return the first and last day asked for, with two days more for time zones; empty if open."""
    since, until = scope.filters.since, scope.filters.until
    slack = timedelta(days=2)
    first = since - slack if since is not None and since - date.min > slack else None
    last = until + slack if until is not None and date.max - until > slack else None
    return _compact(first), _compact(last)


def _compact(day: date | None) -> str:
    return "" if day is None else day.isoformat().replace("-", "")


def _is_outside(entry: Entry, first: str, last: str) -> bool:
    """Say, before an event is parsed, whether it surely lies outside the days asked for."""
    if not (first or last) or entry.name != "VEVENT" or _RECURS.search(entry.written):
        return False
    return entry.is_outside(first, last)
