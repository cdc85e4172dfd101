"""Calendars to events and tasks: cut into entries, filtered, parsed, recurrences expanded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING

from ingest.clean import clean_line, decode
from ingest.damage import DAMAGED
from ingest.files import UnreadableError
from ingest.item import Kind, Reason
from ingest.origin import Origin
from ingest.recognise import DOCUMENT, ENTRIES
from ingest.sieve import LeftOut, Read, Scope

if TYPE_CHECKING:
    from icalendar.cal import Component

_BOUNDARY = re.compile(
    r"^(BEGIN|END):(VEVENT|VTODO|VJOURNAL|VTIMEZONE|VCALENDAR)[ \t]*$", re.IGNORECASE | re.MULTILINE
)
_RECURS = re.compile(r"^(?:RRULE|RDATE|RECURRENCE-ID)\b", re.IGNORECASE | re.MULTILINE)
_DAY = re.compile(
    r"^(DTSTART|DTEND|DURATION)\b[^:\n]*:(?:(\d{4})(\d\d)(\d\d))?", re.IGNORECASE | re.MULTILINE
)
_SUMMARY = re.compile(r"^SUMMARY\b[^:\n]*:(.*)$", re.IGNORECASE | re.MULTILINE)
_CALENDAR_NAME = re.compile(r"^X-WR-CALNAME\b[^:\n]*:(.*)$", re.IGNORECASE | re.MULTILINE)
_KINDS = {"VEVENT": Kind.EVENT, "VTODO": Kind.TASK}


@dataclass(frozen=True, slots=True)
class Entry:
    """The lines of one event, task or note, not yet parsed."""

    name: str
    """VEVENT, VTODO or VJOURNAL."""
    text: str
    line: int
    """1-based, where it begins."""
    is_closed: bool
    """False when its end is missing."""

    @property
    def summary(self) -> str:
        """What the person calls it, or else where it stands."""
        found = _SUMMARY.search(self.text)
        return (clean_line(found[1]) if found else "") or f"line {self.line}"


@dataclass(slots=True)
class Cut:
    """A calendar file cut up."""

    properties: str = ""
    zones: list[str] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name the calendar gives itself, or empty."""
        found = _CALENDAR_NAME.search(self.properties)
        return clean_line(found[1].replace("\\,", ",")) if found else ""

    def around(self, *entries: Entry) -> str:
        """Return a calendar with the time zones and only these entries."""
        inner = "".join([*self.zones, *(entry.text for entry in entries)])
        return f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-\n{inner}END:VCALENDAR\n"


def calendar_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the events and tasks in `data`; raises UnreadableError when it is no calendar."""
    from ingest.events import EventReader

    cut = cut_up(decode(data).replace("\r\n", "\n").replace("\r", "\n"))
    if not cut.entries:
        if cut.zones or b"END:VCALENDAR" in data[-512:].upper():
            raise UnreadableError(Reason.EMPTY, "The calendar holds no entries.")
        raise UnreadableError(Reason.CORRUPT, "It is not a calendar; export it again.")
    if not scope.admits_calendar(origin.locator.path, cut.name):
        yield LeftOut(len(cut.entries))
        return
    wanted: list[Entry] = []
    for entry in cut.entries:
        if entry.name == "VJOURNAL":
            if scope.wants_any(DOCUMENT):
                remedy = "Calendar notes are not read yet."
                yield origin.skipped(Reason.UNSUPPORTED, remedy, entry.summary, DOCUMENT)
        elif not scope.wants(_KINDS[entry.name]) or _outside(entry, scope):
            yield LeftOut()
        else:
            if not entry.is_closed:
                yield _damaged(origin, entry.summary)
            wanted.append(entry)
    components: list[Component] = []
    for parsed in _parse(cut, wanted):
        if isinstance(parsed, Entry):
            yield _damaged(origin, parsed.summary)
        else:
            components.append(parsed)
    reader = EventReader(origin, scope, cut.name)
    yield from reader.items(components)


def cut_up(text: str) -> Cut:
    """Cut a calendar into its time zones and entries, however much of it is broken."""
    cut = Cut()
    open_name, begins, first, ends_at = "", 0, 1, 0
    line, counted = 1, 0
    for mark in _BOUNDARY.finditer(text):
        what, name = mark[1].upper(), mark[2].upper()
        line += text.count("\n", counted, mark.start())
        counted = mark.start()
        if open_name and (what == "BEGIN" or name in (open_name, "VCALENDAR")):
            closed = what == "END" and name == open_name
            _add(
                cut, open_name, text[begins : mark.end() if closed else mark.start()], first, closed
            )
            ends_at, open_name = mark.end(), ""
        if what == "BEGIN" and name != "VCALENDAR":
            cut.properties += text[ends_at : mark.start()]
            open_name, begins, first = name, mark.start(), line
    if open_name:
        _add(cut, open_name, text[begins:], first, False)
    else:
        cut.properties += text[ends_at:]
    return cut


def _add(cut: Cut, name: str, text: str, line: int, closed: bool) -> None:
    text = text.rstrip("\n") + ("\n" if closed else f"\nEND:{name}\n")
    if name == "VTIMEZONE":
        cut.zones += [text] if closed else []
    else:
        cut.entries.append(Entry(name, text, line, closed))


def _outside(entry: Entry, scope: Scope) -> bool:
    """Say whether an event is surely outside the days asked for; two days for time zones."""
    since, until = scope.filters.since, scope.filters.until
    if (since is None and until is None) or entry.name != "VEVENT" or _RECURS.search(entry.text):
        return False
    days: dict[str, date | None] = {}
    for name, year, month, day in _DAY.findall(entry.text):
        try:
            days[name.upper()] = date(int(year), int(month), int(day)) if year else None
        except ValueError:
            return False
    starts, ends = days.get("DTSTART"), days.get("DTEND", days.get("DTSTART"))
    slack = timedelta(days=2)
    if until is not None and starts is not None and starts - until > slack:
        return True
    known = ends is not None and "DURATION" not in days
    return known and since is not None and ends is not None and since - ends > slack


def _parse(cut: Cut, entries: list[Entry]) -> Iterator[Component | Entry]:
    """Yield the parsed components; an entry that cannot be parsed comes back as it is.

    One bad line can fail a whole file in icalendar, so that is then parsed entry by entry.
    """
    try:
        yield from _components(cut.around(*entries), len(entries))
        return
    except DAMAGED:
        pass
    for entry in entries:
        try:
            yield from _components(cut.around(entry), 1)
        except DAMAGED:
            try:
                yield from _components(Cut().around(entry), 1)
            except DAMAGED:
                yield entry


def _components(text: str, count: int) -> list[Component]:
    from icalendar import Calendar

    calendar = Calendar.from_ical(text)
    found = [part for part in calendar.subcomponents if part.name in _KINDS]
    if len(found) != count:
        raise ValueError(f"{count} entries went in, {len(found)} came out")
    return found


def _damaged(origin: Origin, member: str) -> Read:
    remedy = "This entry is damaged; correct it in your calendar program."
    return origin.skipped(Reason.CORRUPT, remedy, member, ENTRIES)
