"""One event, task or note of a calendar: what its lines say, and when it takes place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from ingest.calendars.lines import Line, content_lines, plain
from ingest.calendars.moments import Moments, duration
from ingest.item import Kind
from ingest.text.clean import clean, clean_line

_UID = re.compile(r"\nUID(?:;[^:\n]*)?:(.*(?:\n[ \t].*)*)", re.IGNORECASE)
_KINDS = {"VEVENT": Kind.EVENT, "VTODO": Kind.TASK, "VJOURNAL": Kind.DOCUMENT}
_STARTS = re.compile(r"\nDTSTART(?:;[^:\n]*)?:([0-9]{8})", re.IGNORECASE)
_STOPS = re.compile(r"\n(?:DTEND(?:;[^:\n]*)?:([0-9]{8})|DURATION)", re.IGNORECASE)
ENDS = {"VEVENT": "DTEND", "VTODO": "DUE"}
"""The fields that say when an entry ends; a note has none."""
_WANTED = frozenset(
    (
        *("BEGIN", "END", "UID", "SUMMARY", "DESCRIPTION", "COMMENT", "LOCATION", "URL"),
        *("DTSTART", "DTEND", "DUE", "DURATION", "COMPLETED", "STATUS", "PERCENT-COMPLETE"),
        *("ORGANIZER", "ATTENDEE", "CATEGORIES", "CONFERENCE", "X-GOOGLE-CONFERENCE"),
        *("RRULE", "RDATE", "EXDATE", "RECURRENCE-ID", "SEQUENCE"),
    )
)


@dataclass(eq=False, slots=True)
class Entry:
    """The lines of one entry, not yet parsed."""

    name: str
    """VEVENT, VTODO or VJOURNAL."""
    written: str
    """The text from the line break before it, still folded."""
    line: int
    """Line on which it begins, 1-based."""
    is_closed: bool
    """False when its end is missing."""

    @property
    def kind(self) -> Kind:
        """What a person calls it; a note is a document."""
        return _KINDS[self.name]

    @property
    def uid(self) -> str:
        """Its UID, or empty; found before the rest is parsed."""
        found = _UID.search(self.written)
        upper = self.written.upper()
        if found is None and "\nUID" not in upper:
            return ""
        # An alarm within may have a UID too; a name may be folded.
        if found is None or 0 < upper.find("\nBEGIN:", 1) < found.start():
            return self.fields().text("UID")
        return clean_line(plain(found[1].replace("\n ", "").replace("\n\t", "")))

    def is_outside(self, first: str, last: str) -> bool:
        """Say whether an event without a rule is surely outside these days, as `20261117`.

        Empty is open. It is asked before the event is parsed, for each of a calendar.
        """
        starts = _STARTS.search(self.written)
        if starts is None:
            return False
        if last and starts[1] > last:
            return True
        if not first or starts[1] >= first:
            return False
        stops = _STOPS.search(self.written)
        return stops is None or (stops[1] or first) < first

    def fields(self) -> Fields:
        """Parse its own lines, without those of the alarms within."""
        lines: dict[str, list[Line]] = {}
        depth = 0
        for line in content_lines(self.written, _WANTED):
            if line.name == "BEGIN":
                depth += 1
            elif line.name == "END":
                depth -= 1
            elif depth <= 1:
                lines.setdefault(line.name, []).append(line)
        return Fields(self.name, lines, self.written)


class Fields:
    """The lines of an entry by their names."""

    def __init__(self, name: str, lines: dict[str, list[Line]], written: str) -> None:
        """Take the name of the entry, its lines and its raw text."""
        self.name = name
        self._lines = lines
        self._written = written

    def __bool__(self) -> bool:
        """Say whether there is any line."""
        return bool(self._lines)

    def __contains__(self, name: str) -> bool:
        """Say whether there is such a line."""
        return name in self._lines

    def all(self, name: str) -> list[Line]:
        """Return all lines of this name."""
        return self._lines.get(name, [])

    def first(self, name: str) -> Line | None:
        """Return the first line of this name."""
        lines = self._lines.get(name)
        return lines[0] if lines else None

    def text(self, name: str) -> str:
        """Return the first value of this name on one line, or empty."""
        lines = self._lines.get(name)
        return clean_line(lines[0].text) if lines else ""

    @property
    def recurs(self) -> bool:
        """Whether it repeats, or is an exception of a repeating entry."""
        lines = self._lines
        return "RRULE" in lines or "RDATE" in lines or "RECURRENCE-ID" in lines

    @property
    def hidden(self) -> int:
        """How many hidden characters its lines have."""
        if not clean(self._written)[1]:
            return 0
        lines = (line for lines in self._lines.values() for line in lines)
        return sum(clean(line.value)[1] for line in lines)


@dataclass(frozen=True, slots=True)
class Timing:
    """When an entry takes place, in the zones that it names."""

    start: date | None
    end: date | None
    """Exclusive; of a task, when it is due."""
    planned: date | None = None
    """Of an exception: when the rule would have it."""
    goes_on: bool = False
    """Whether the exception holds for all later repetitions too."""

    @classmethod
    def of(cls, fields: Fields, moments: Moments) -> Timing:
        """Return the timing of an entry; None in place of what is missing or damaged."""

        def read(name: str) -> date | None:
            line = fields.first(name)
            return moments.read(line) if line is not None else None

        start = read("DTSTART")
        end = read(ENDS[fields.name]) if fields.name in ENDS else None
        length = fields.first("DURATION")
        if end is None and start is not None and length is not None:
            end = _after(start, duration(length.value))
        planned = fields.first("RECURRENCE-ID")
        if planned is None:
            return cls(start, end)
        goes_on = planned.option("RANGE").upper() == "THISANDFUTURE"
        return cls(start, end, moments.read(planned), goes_on)


def _after(start: date, length: timedelta | None) -> date | None:
    if length is None:
        return None
    if length.seconds and not isinstance(start, datetime):
        start = datetime.combine(start, datetime.min.time())
    try:
        return start + length
    except OverflowError:
        return None
