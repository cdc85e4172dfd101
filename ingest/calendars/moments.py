"""The dates and times of calendars, in the time zones that they name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from ingest.calendars.lines import Line
from ingest.damage import DAMAGED

_MOMENT = re.compile(r"[0-9]{8}(?:T[0-9]{6}Z?)?")
_DURATION = re.compile(
    r"([+-]?)P(?:([0-9]{1,6})W)?(?:([0-9]{1,6})D)?"
    r"(?:T(?:([0-9]{1,7})H)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9})S)?)?",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+){0,3}")
_OFFSET = re.compile(r"\(?(?:UTC|GMT)([+-])(\d\d?):?(\d\d)?\b", re.IGNORECASE)
_ZONE_NAME = re.compile(r"^TZID\b[^:\n]*:(.*)$", re.IGNORECASE | re.MULTILINE)
_NAMES = 500
"""How many names of zones are looked up for one calendar; each may open a file."""


class Moments:
    """Reads the dates of one calendar. What it learns of time zones ends with it."""

    def __init__(self, zones: Sequence[str] = (), default: str = "") -> None:
        """Take the calendar's own VTIMEZONEs, and the name of its default zone."""
        self._own = zones
        self._found: dict[str, tzinfo | None] = {}
        self.default = self.zone(default) if default else None
        """The zone of times that name none; None where they float: they hold wherever the reader
        is."""

    def read(self, line: Line) -> date | None:
        """Return the date or moment on a line; None when it is damaged."""
        return self._moment(line.value, self._named(line))

    def all(self, line: Line) -> list[date | tuple[date, date | timedelta]]:
        """Return the dates and periods on a line that are not damaged."""
        zone = self._named(line)
        found = (self._one(value, zone) for value in line.value.split(","))
        return [one for one in found if one is not None]

    def _named(self, line: Line) -> tzinfo | None:
        name = line.option("TZID")
        return self.zone(name) if name else None

    def _one(self, value: str, zone: tzinfo | None) -> date | tuple[date, date | timedelta] | None:
        first, slash, last = value.partition("/")
        begins = self._moment(first, zone)
        ends = (duration(last) or self._moment(last, zone)) if slash else None
        if slash:
            return None if begins is None or ends is None else (begins, ends)
        return begins

    def _moment(self, value: str, zone: tzinfo | None) -> date | None:
        value = value.strip()
        if not _MOMENT.fullmatch(value):
            return None
        try:
            if len(value) == 8:
                return date.fromisoformat(value)
            # Where both a Z and a zone are given, the libraries use the zone.
            read = datetime.fromisoformat(value.removesuffix("Z") if zone else value)
        except ValueError:
            return None
        return read.replace(tzinfo=zone or self.default) if read.tzinfo is None else read

    def zone(self, name: str) -> tzinfo | None:
        """Return the time zone of this name; None when nobody knows it."""
        if name not in self._found:
            self._found[name] = self._look_up(name) if len(self._found) < _NAMES else None
        return self._found[name]

    def _look_up(self, name: str) -> tzinfo | None:
        bare = name.strip("/ ")
        for known in (bare, _windows_zone(bare)):
            zone = _known(known) if known else None
            if zone is not None:
                return zone
        return self._own_zone(name) or _last_known(bare) or _fixed(bare)

    def _own_zone(self, name: str) -> tzinfo | None:
        """Return a zone that the calendar itself describes."""
        for text in self._own:
            found = _ZONE_NAME.search(text)
            if found and found[1].strip().strip("/") == name.strip("/"):
                from icalendar import Timezone

                try:
                    zone = Timezone.from_ical(text)
                    return zone.to_tz(lookup_tzid=False) if isinstance(zone, Timezone) else None
                except DAMAGED:
                    continue
        return None


def duration(value: str) -> timedelta | None:
    """Return a duration such as `PT1H30M`; None when it is damaged."""
    found = _DURATION.fullmatch(value.strip())
    if found is None:
        return None
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in found.groups()[1:])
    length = timedelta(days, seconds, minutes=minutes, hours=hours, weeks=weeks)
    return -length if found[1] == "-" else length


def _known(name: str) -> tzinfo | None:
    if name.upper() in ("UTC", "GMT", "Z"):
        return UTC
    if len(name) > 64 or not _NAME.fullmatch(name):
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None


def _windows_zone(name: str) -> str:
    if not name.endswith(" Time"):
        return ""
    from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

    return WINDOWS_TO_OLSON.get(name, "")


def _last_known(name: str) -> tzinfo | None:
    """Return the zone that a path ends with: `example.org/Tzfile/Europe/Berlin`."""
    parts = name.split("/")[-4:]
    rests = ("/".join(parts[start:]) for start in range(1, len(parts)))
    return next((zone for rest in rests if "/" in rest and (zone := _known(rest))), None)


def _fixed(name: str) -> tzinfo | None:
    """Return the offset in a name that tells no more: `GMT+0200`, `(UTC-05:00) Eastern Time`."""
    found = _OFFSET.match(name)
    if found is None or int(found[2]) > 23 or int(found[3] or 0) > 59:
        return None
    offset = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
    return timezone(-offset if found[1] == "-" else offset)
