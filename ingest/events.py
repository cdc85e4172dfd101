"""Events and tasks as text for a person, a model and a citation: one field a line."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any

from icalendar.cal import Component
from icalendar.prop import vBroken

from ingest.clean import clean, clean_line
from ingest.damage import DAMAGED
from ingest.item import Item, Kind, People, Person, Reason
from ingest.origin import Origin
from ingest.recognise import ENTRIES
from ingest.recurrences import UnfitRuleError, expand, in_words, narrowed, rules_of, span_of
from ingest.recurrences import when as written
from ingest.sieve import LeftOut, Read, Scope

_MARKUP = re.compile(r"</?(?:p|br|b|a|ul|li|div|span|html)\b[^<>]*>", re.IGNORECASE)
_DAY = "%a %Y-%m-%d"


@dataclass(frozen=True, slots=True)
class Times:
    """When an entry takes place, in the local zone."""

    begins: datetime
    ends: datetime
    is_all_day: bool
    original: datetime | None
    """Its start as written, where that is in another zone."""


class EventReader:
    """Turns the components of one calendar into items."""

    def __init__(self, origin: Origin, scope: Scope, name: str) -> None:
        """Take where the calendar came from and what it calls itself."""
        self._origin = origin
        self._scope = scope
        self._name = name
        self._span = span_of(scope)

    def items(self, components: Sequence[Component]) -> Iterator[Read]:
        """Yield an item for each event, task and occurrence of a series."""
        series: dict[tuple[str, str], list[Component]] = defaultdict(list)
        for part in components:
            series[part.name or "", _text(part, "UID")].append(part)
        for (_, uid), parts in series.items():
            if uid and any(_recurs(part) for part in parts):
                yield from self._series(parts)
            else:
                for part in parts:
                    yield from self._series([part]) if _recurs(part) else [self._item(part, "")]

    def _series(self, parts: list[Component]) -> Iterator[Read]:
        member = _text(parts[0], "SUMMARY") or _text(parts[0], "UID")
        rule = next((words for words in map(in_words, parts) if words), "")
        try:
            span = narrowed(parts, self._span, self._scope.now)
            occurrences = expand(parts, span)
            if span != self._span:
                remedy = f"Only its repetitions from {span.begins:%Y-%m-%d} to {span.ends:%Y-%m-%d}"
                remedy += " are read; ask for other dates."
                yield self._origin.skipped(Reason.TOO_LARGE, remedy, member, ENTRIES)
        except UnfitRuleError as error:
            remedy = f"Of its repetitions only the first is read: {error}."
            yield self._origin.skipped(Reason.TOO_LARGE, remedy, member, ENTRIES)
            occurrences = parts
        except DAMAGED:
            remedy = "Its repetition is damaged; correct it in your calendar program."
            yield self._origin.skipped(Reason.CORRUPT, remedy, member, ENTRIES)
            occurrences = parts
        for part in occurrences:
            yield self._item(part, rule)

    def _item(self, part: Component, rule: str) -> Read:
        is_task = part.name == "VTODO"
        times = _times(part, self._scope.zone, "DUE" if is_task else "DTEND")
        people = _people(part)
        when = times.begins if times else None
        until = times.ends if times and times.ends > times.begins and not is_task else None
        titles = (_text(part, "SUMMARY"), *self._origin.subjects)
        if not self._scope.admits(when, people, until, titles):
            return LeftOut()
        lines = [*self._lines(part, times, people, rule), *_description(part)]
        text, hidden = clean("\n".join(lines))
        return Item(
            Kind.TASK if is_task else Kind.EVENT,
            _text(part, "SUMMARY"),
            when,
            people,
            text,
            replace(
                self._origin.locator,
                uid=_text(part, "UID") or None,
                occurrence=_occurrence(times),
            ),
            until=until,
            hidden_removed=hidden,
        )

    def _lines(
        self, part: Component, times: Times | None, people: People, rule: str
    ) -> Iterator[str]:
        """Yield one line for each field there is."""
        status = _text(part, "STATUS").lower().replace("-", " ")
        moved_from = _moved_from(part, times, self._scope.zone)
        notes = ["moved"] * bool(moved_from) + ["cancelled"] * (status == "cancelled")
        remark = f" ({', '.join(notes)})" if notes else ""
        is_task = part.name == "VTODO"
        yield f"{'Task' if is_task else 'Event'}: {_text(part, 'SUMMARY')}{remark}"
        if times is not None:
            yield f"{'Due' if is_task else 'When'}: {_when(times, is_task)}"
        elif _text(part, "DTSTART"):
            yield f"When: {_text(part, 'DTSTART')}"
        fields = (
            ("Moved from", moved_from),
            ("Repeats", rule),
            ("Where", _text(part, "LOCATION")),
            ("Organiser", ", ".join(map(str, people.sender))),
            ("Attendees", ", ".join(_attendees(part))),
            ("Status", status),
            (
                "Done",
                f"{_text(part, 'PERCENT-COMPLETE')} %" * bool(_text(part, "PERCENT-COMPLETE")),
            ),
            ("Categories", _categories(part)),
            ("Link", _text(part, "URL")),
            ("Calendar", self._calendar_name(_text(part, "UID"))),
        )
        yield from (f"{name}: {value}" for name, value in fields if value)

    def _calendar_name(self, uid: str) -> str:
        """Return the calendar's own name, else its file's; in a vdir that is the folder's."""
        path, part = self._origin.locator.path, self._origin.locator.part
        if self._name or part is not None:
            return self._name
        return clean_line(path.parent.name if uid and path.stem == uid else path.stem)


def _recurs(part: Component) -> bool:
    return bool(rules_of(part) or part.get("RDATE") or part.get("RECURRENCE-ID"))


def _value(part: Component, name: str) -> Any:
    """Return a property; of a repeated one the first."""
    value = part.get(name)
    return value[0] if isinstance(value, list) and value else value


def _text(part: Component, name: str) -> str:
    value = _value(part, name)
    return "" if value is None or value == [] else clean_line(str(value))


def _times(part: Component, zone: tzinfo, end_name: str) -> Times | None:
    """Return when an entry takes place; a task at its due date. None when it does not say."""
    start, end = written(part, "DTSTART"), written(part, end_name)
    if part.name == "VTODO":
        start = end or start
    if start is None:
        return None
    duration = next((value.dt for value in _list(part, "DURATION")), None)
    is_all_day = not isinstance(start, datetime)
    begins, ends = _local(start, zone), _local(end, zone) if end is not None else None
    try:
        if isinstance(duration, timedelta) and ends is None and begins is not None:
            ends = begins + duration
        elif is_all_day and begins is not None and (ends is None or ends <= begins):
            ends = _local(start + timedelta(days=1), zone)
    except OverflowError:
        ends = begins
    if begins is None:
        return None
    original = None
    if isinstance(start, datetime) and start.tzname() != "UTC":
        original = start if start.utcoffset() not in (None, begins.utcoffset()) else None
    return Times(begins, max(begins, ends) if ends else begins, is_all_day, original)


def _local(when: date, zone: tzinfo) -> datetime | None:
    """Return a date's beginning, a floating time, or a moment, in the local zone."""
    try:
        if not isinstance(when, datetime):
            return datetime.combine(when, time(), zone)
        return when.replace(tzinfo=zone) if when.utcoffset() is None else when.astimezone(zone)
    except (OverflowError, ValueError):
        return None


def _when(times: Times, is_task: bool) -> str:
    """Return the time in words, such as `Tue 2026-11-17 10:00-10:15 Europe/Berlin`."""
    begins, ends = times.begins, times.ends
    if times.is_all_day:
        last = ends - timedelta(days=1)
        if is_task or last.date() <= begins.date():
            return f"{begins:{_DAY}}" + (", all day" if not is_task else "")
        return f"{begins:{_DAY}} to {last:{_DAY}}, all day"
    said = f"{begins:{_DAY} %H:%M}"
    if ends > begins and not is_task:
        same_day = ends.date() == begins.date()
        said += f"-{ends:%H:%M}" if same_day else f" to {ends:{_DAY} %H:%M}"
    said += f" {_zone_name(begins)}"
    if times.original is not None:
        said += f" ({times.original:%H:%M} {_zone_name(times.original)})"
    return said


def _zone_name(when: datetime) -> str:
    return getattr(when.tzinfo, "key", None) or when.tzname() or ""


def _occurrence(times: Times | None) -> str | None:
    if times is None:
        return None
    return times.begins.date().isoformat() if times.is_all_day else times.begins.isoformat()


def _moved_from(part: Component, times: Times | None, zone: tzinfo) -> str:
    """Return when a moved occurrence would have been by its rule, else empty."""
    planned = written(part, "RECURRENCE-ID")
    start = written(part, "DTSTART")
    if planned is None or start is None or times is None:
        return ""
    was = _local(planned, zone)
    if was is None or was == times.begins or isinstance(planned, datetime) == times.is_all_day:
        return ""
    return f"{was:{_DAY} %H:%M}" if isinstance(planned, datetime) else f"{was:{_DAY}}"


def _people(part: Component) -> People:
    return People(
        sender=tuple(map(_person, _list(part, "ORGANIZER"))),
        attendees=tuple(map(_person, _list(part, "ATTENDEE"))),
    )


def _list(part: Component, name: str) -> list[Any]:
    value = part.get(name)
    values = value if isinstance(value, list) else [] if value is None else [value]
    return [value for value in values if not isinstance(value, vBroken)]


def _person(value: Any) -> Person:
    address = clean_line(str(value))
    address = address[7:] if address.lower().startswith("mailto:") else address
    name = clean_line(str(_parameter(value, "CN"))).strip("'\" ")
    return Person("" if name == address else name, address if "@" in address else "")


def _parameter(value: Any, name: str) -> Any:
    return getattr(value, "params", {}).get(name, "")


def _attendees(part: Component) -> Iterator[str]:
    """Yield each attendee with what was answered, unless that is still open."""
    for value in _list(part, "ATTENDEE"):
        answer = clean_line(str(_parameter(value, "PARTSTAT"))).lower().replace("-", " ")
        known = answer and answer != "needs action"
        person = _person(value)
        said = str(person) or clean_line(str(value))
        yield f"{said} ({answer})" if known else said


def _categories(part: Component) -> str:
    names: list[str] = []
    for value in _list(part, "CATEGORIES"):
        names += [clean_line(str(name)) for name in getattr(value, "cats", [value])]
    return ", ".join(names)


def _description(part: Component) -> list[str]:
    """Return the free text of an entry below an empty line."""
    texts = [str(value) for name in ("DESCRIPTION", "COMMENT") for value in _list(part, name)]
    text = "\n".join(text for text in texts if text.strip())
    if _MARKUP.search(text):
        from ingest.markup import html_text

        text = html_text(text.replace("\n", "<br>"))[0]
    return ["", text.strip()] if text.strip() else []
