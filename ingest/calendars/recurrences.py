"""Repeating events: which occurrences a reading expands, and the rule in words."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cached_property
from typing import Any

from icalendar import Calendar, Event, Journal, Todo, vRecur
from icalendar.cal import Component
from icalendar.prop import vDDDLists, vDDDTypes
from recurring_ical_events import CalendarQuery, ComponentsWithName, Occurrence

from ingest.calendars.entries import ENDS, Fields, Timing
from ingest.calendars.moments import Moments
from ingest.calendars.rules import (
    YEAR,
    UnfitRuleError,
    count_of,
    end_of,
    in_words,
    refuse,
    times_a_year,
)
from ingest.sieve import Scope

OCCURRENCES = 5000
"""Occurrences of one rule that are read."""
_BACK, _AHEAD = timedelta(days=3653), timedelta(days=1096)
_DATES = 10_000
"""Exceptions and additional dates of one series that are followed."""
_COMPONENTS = {"VEVENT": Event, "VTODO": Todo, "VJOURNAL": Journal}
# Away from the ends of the calendar, where the libraries overflow.
_FIRST, _LAST = datetime(100, 1, 1, tzinfo=UTC), datetime(9900, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ExpansionSpan:
    """The time over which a rule is expanded."""

    begins: datetime
    ends: datetime
    is_default: bool
    """Whether it is the default, so that other occurrences would match too."""


@dataclass(eq=False)
class SeriesPart:
    """One entry of a series: its rule, or an exception to it."""

    fields: Fields
    timing: Timing

    @cached_property
    def rules(self) -> list[Any]:
        """Its recurrence rules. Raises ValueError for one that is damaged."""
        return [vRecur.from_ical(line.text) for line in self.fields.all("RRULE") if line.value]

    @property
    def in_words(self) -> str:
        """Its rule as a short phrase; empty when there is none that can be read."""
        try:
            return next(map(in_words, self.rules), "")
        except ValueError:
            return ""


class _Occurrence(Occurrence):  # type: ignore[misc]
    """What the library finds, without the copy of its component that it would make."""

    def as_component(self, keep_recurrence_attributes: bool) -> Any:
        return self._adapter._component, self.start, self.end


def span_of(scope: Scope) -> ExpansionSpan:
    """Return the days asked for; an open side reaches 10 years back or 3 ahead of now."""
    begins, ends = scope.begins, scope.ends
    now = scope.now
    return ExpansionSpan(
        max(begins or _shifted(min(now, ends) if ends else now, -_BACK), _FIRST),
        min(ends or _shifted(max(now, begins) if begins else now, _AHEAD), _LAST),
        begins is None and ends is None,
    )


def occurrences(
    parts: Sequence[SeriesPart], moments: Moments, scope: Scope
) -> tuple[list[tuple[SeriesPart, Timing]], ExpansionSpan | None]:
    """Return what of a series takes place in the days asked for, and fewer days if too much does.

    Raises UnfitRuleError, and whatever the libraries raise on a damaged rule.
    """
    asked = span_of(scope)
    first = _earliest(parts)
    if asked.is_default and first is not None and first > asked.ends:
        # A series that begins far ahead, or ended long ago, is still to be found.
        asked = ExpansionSpan(first, _shifted(first, asked.ends - asked.begins), True)
    span = _narrowed(parts, asked, scope.now)
    calendar = Calendar()
    calendar.subcomponents = [_component(part, moments, span) for part in parts]
    part_of = dict(zip(map(id, calendar.subcomponents), parts, strict=True))
    with warnings.catch_warnings():
        # A rule with a count gets an end too: if it never comes true it would be tried for ever.
        warnings.simplefilter("ignore", DeprecationWarning)
        wanted = ComponentsWithName(parts[0].fields.name, occurrence=_Occurrence)
        query = CalendarQuery(calendar, components=[wanted])
        found = query.between(span.begins, span.ends)
        if not found and span.is_default and first is not None:
            found = query.between(first, _shifted(first, min(_BACK, span.ends - span.begins)))
    timed = [
        (part, _timing(part, start, end))
        for component, start, end in sorted(found, key=_as_written)[:OCCURRENCES]
        for part in [part_of[id(component)]]
    ]
    return timed, None if span == asked else span


def _as_written(occurrence: tuple[Component, date, date]) -> str:
    """Return when an occurrence starts; the library has exceptions to a rule in any order."""
    return occurrence[1].isoformat()


def _timing(part: SeriesPart, start: date, end: date) -> Timing:
    planned = part.timing.planned
    if planned is not None and part.timing.goes_on and part.timing.start is not None:
        # An exception for all that follow moves each by the same time.
        try:
            planned = start - (part.timing.start - planned)
        except TypeError:
            planned = None
    return replace(part.timing, start=start, end=end, planned=planned)


def _component(part: SeriesPart, moments: Moments, span: ExpansionSpan) -> Component:
    """Return what the library needs of an entry."""
    fields, timing = part.fields, part.timing
    component: Component = _COMPONENTS[fields.name]()
    component["UID"] = ""
    for name, when in (("DTSTART", timing.start), (ENDS.get(fields.name), timing.end)):
        if name is not None and when is not None:
            component[name] = vDDDTypes(_in_zone(when, moments.default))
    if timing.planned is not None:
        planned = vDDDTypes(timing.planned)
        if timing.goes_on:
            planned.params["RANGE"] = "THISANDFUTURE"
        component["RECURRENCE-ID"] = planned
    sequence = fields.text("SEQUENCE")
    component["SEQUENCE"] = int(sequence) if sequence.isdecimal() else -1
    for name in ("EXDATE", "RDATE"):
        dates = [when for line in fields.all(name) for when in moments.all(line)]
        if len(dates) > _DATES:
            raise UnfitRuleError(f"they have more than {_DATES} dates of their own")
        if dates:
            component[name] = vDDDLists(dates)
    first = _earliest([part])
    # If a rule ends before it begins, its first day still counts.
    rules = [rule for rule in part.rules if not first or (end_of(rule) or first) >= first]
    if rules:
        component["RRULE"] = [_bounded(rule, timing.start, span.ends) for rule in rules]
    return component


def _in_zone(when: date, zone: tzinfo | None) -> date:
    """Return a moment in UTC in the zone of its calendar, since its rule follows that clock."""
    is_utc = isinstance(when, datetime) and when.tzinfo is UTC
    return when.astimezone(zone) if zone and is_utc and isinstance(when, datetime) else when


def _bounded(rule: Any, start: date | None, ends: datetime) -> Any:
    """Return a rule with an end: a rule that never comes true would be tried for ever."""
    last: date = _shifted(ends, timedelta(days=2)).astimezone(UTC)
    if not isinstance(start, datetime):
        last = last.date() if isinstance(last, datetime) else last
    elif start.tzinfo is None:
        last = last.replace(tzinfo=None) if isinstance(last, datetime) else last
    return rule if rule.get("UNTIL") else vRecur({**rule, "UNTIL": [last]})


def _narrowed(parts: Sequence[SeriesPart], span: ExpansionSpan, now: datetime) -> ExpansionSpan:
    """Return the part of `span`, near `now`, in which a series stays within the limits.

    Raises UnfitRuleError for a rule that cannot be expanded at all.
    """
    for part in parts:
        first = _earliest([part]) or span.begins
        for rule in part.rules:
            refuse(rule, first, span.ends)
            yearly = times_a_year(rule)
            ends = min(span.ends, end_of(rule) or span.ends)
            years = (ends - max(span.begins, first)) / YEAR
            if min(years * yearly, count_of(rule) or OCCURRENCES + 1) > OCCURRENCES:
                near = min(max(now, span.begins), ends)
                half = YEAR * (OCCURRENCES / 2 / yearly)
                begins = max(span.begins, _shifted(near, -half))
                span = ExpansionSpan(begins, min(span.ends, _shifted(near, half)), span.is_default)
    return span


def _earliest(parts: Sequence[SeriesPart]) -> datetime | None:
    """Return when the series starts."""
    days = [part.timing.start.toordinal() for part in parts if part.timing.start is not None]
    return datetime.combine(date.fromordinal(min(days)), datetime.min.time(), UTC) if days else None


def _shifted(when: datetime, by: timedelta) -> datetime:
    """Return `when` moved, or the nearest moment that calendars have."""
    try:
        return when + by
    except OverflowError:
        limit = datetime.max if by > timedelta(0) else datetime.min
        return limit.replace(tzinfo=UTC)
