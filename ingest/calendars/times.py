"""When an event, task or note takes place, in the zone and the words of the person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo

from ingest.calendars.entries import Timing
from ingest.item import Kind
from ingest.text.weekdays import day_in_words, minute_in_words

_UNITS = ((86400, "day", "days"), (3600, "h", "h"), (60, "min", "min"))


@dataclass(frozen=True, slots=True)
class Times:
    """When an entry takes place, in the local zone."""

    begins: datetime
    ends: datetime
    is_all_day: bool
    original: datetime | None
    """Its start as written, where that is in another zone."""
    planned: datetime | None
    """When the rule would have it, where it was moved."""

    @classmethod
    def of(cls, timing: Timing, zone: tzinfo, kind: Kind) -> Times | None:
        """Return when an entry takes place; a task at its due date. None when it does not say."""
        start, end = timing.start, timing.end
        if kind is Kind.TASK:
            start = end or start
        begins = local(start, zone) if start is not None else None
        if start is None or begins is None:
            return None
        is_all_day = not isinstance(start, datetime)
        ends = local(end, zone) if end is not None else None
        if is_all_day and (ends is None or ends <= begins):
            ends = _next_day(start, zone)
        original = None
        if isinstance(start, datetime) and start.tzname() != "UTC":
            original = start if start.utcoffset() not in (None, begins.utcoffset()) else None
        ends = max(begins, ends) if ends is not None else begins
        return cls(begins, ends, is_all_day, original, _planned(timing.planned, start, zone))

    @property
    def occurrence(self) -> str:
        """The start as a locator has it."""
        return self.begins.date().isoformat() if self.is_all_day else self.begins.isoformat()

    def in_words(self, kind: Kind, unknown: str) -> str:
        """Return the time as `Tue 2026-11-17 10:00-10:15 Europe/Berlin (15 min)`.

        `unknown` is the name of its zone where nobody knows that; the times are then local.
        """
        begins, ends = self.begins, self.ends
        if kind is not Kind.EVENT:
            ends = begins
        if self.is_all_day:
            return self._days(begins, ends, ", all day" * (kind is Kind.EVENT))
        said = minute_in_words(begins)
        notes = [_length(begins, ends)] if ends > begins else []
        if ends > begins:
            end = minute_in_words(ends)
            said += f"-{end[-5:]}" if end[:-5] == said[:-5] else f" to {end}"
        if unknown:
            notes.append(f'its time zone "{unknown}" is not known')
        else:
            said += f" {_zone_name(begins)}"
        if self.original is not None:
            notes.append(f"{self.original:%H:%M} {_zone_name(self.original)}")
        return f"{said} ({'; '.join(notes)})" if notes else said

    def _days(self, begins: datetime, ends: datetime, all_day: str) -> str:
        days = ends.toordinal() - begins.toordinal()
        if days < 2:
            return day_in_words(begins) + all_day
        last = begins + timedelta(days=days - 1)
        return f"{day_in_words(begins)} to {day_in_words(last)}{all_day} ({days} days)"

    @property
    def moved_from(self) -> str:
        """When the rule would have had it, in words; empty unless it was moved."""
        if self.planned is None or self.planned == self.begins:
            return ""
        return day_in_words(self.planned) if self.is_all_day else minute_in_words(self.planned)


def local(when: date, zone: tzinfo) -> datetime | None:
    """Return the local moment of a date's beginning, a floating time or a moment."""
    try:
        if not isinstance(when, datetime):
            return datetime.combine(when, time(), zone)
        return when.replace(tzinfo=zone) if when.utcoffset() is None else when.astimezone(zone)
    except (OverflowError, ValueError):
        return None


def moment_in_words(when: date, zone: tzinfo) -> str:
    """Return a date or moment as `Tue 2026-11-17 10:00`."""
    there = local(when, zone)
    if there is None:
        return ""
    return minute_in_words(there) if isinstance(when, datetime) else day_in_words(there)


def _planned(planned: date | None, start: date, zone: tzinfo) -> datetime | None:
    if planned is None or isinstance(planned, datetime) != isinstance(start, datetime):
        return None
    return local(planned, zone)


def _next_day(day: date, zone: tzinfo) -> datetime | None:
    try:
        return local(day + timedelta(days=1), zone)
    except OverflowError:
        return None


def _length(begins: datetime, ends: datetime) -> str:
    """Return the time between two moments, as `1 h 30 min`."""
    left = int(ends.timestamp() - begins.timestamp())
    words = []
    for seconds, one, many in _UNITS:
        count, left = divmod(left, seconds)
        if count:
            words.append(f"{count} {one if count == 1 else many}")
    return " ".join(words) or "less than a minute"


def _zone_name(when: datetime) -> str:
    return getattr(when.tzinfo, "key", None) or when.tzname() or ""
