"""Repeating events: which occurrences a reading expands, and the rule in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from icalendar import Calendar, vRecur
from icalendar.cal import Component
from icalendar.prop import vBroken

from ingest.sieve import Scope

OCCURRENCES = 5000
"""Occurrences of one rule that are read."""
_BACK, _AHEAD = timedelta(days=3653), timedelta(days=1096)
_STEPS = 500_000
# Away from the ends of the calendar, where the libraries overflow.
_FIRST, _LAST = datetime(100, 1, 1, tzinfo=UTC), datetime(9900, 1, 1, tzinfo=UTC)
_PERIODS = {
    "HOURLY": ("hourly", "hours"),
    "DAILY": ("daily", "days"),
    "WEEKLY": ("weekly", "weeks"),
    "MONTHLY": ("monthly", "months"),
    "YEARLY": ("yearly", "years"),
}
_DAYS = {
    "MO": "Monday",
    "TU": "Tuesday",
    "WE": "Wednesday",
    "TH": "Thursday",
    "FR": "Friday",
    "SA": "Saturday",
    "SU": "Sunday",
}
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_LONGEST = {2: 29, **dict.fromkeys((4, 6, 9, 11), 30)}
_LONGEST |= {month: 31 for month in range(1, 13) if month not in _LONGEST}
_ORDINALS = {
    1: "first",
    2: "second",
    3: "third",
    4: "fourth",
    5: "fifth",
    -1: "last",
    -2: "second last",
}


class UnfitRuleError(Exception):
    """A rule that is not worth expanding, and why; stays inside `ingest`."""


@dataclass(frozen=True, slots=True)
class Span:
    """The time over which a rule is expanded."""

    begins: datetime
    ends: datetime
    is_default: bool
    """Whether no filter set it, so that older or later occurrences would match too."""


def span_of(scope: Scope) -> Span:
    """Return the days asked for, where open 10 years back and 3 ahead of now."""
    begins, ends = scope.begins, scope.ends
    now = scope.now
    return Span(
        max(begins or _shifted(min(now, ends) if ends else now, -_BACK), _FIRST),
        min(ends or _shifted(max(now, begins) if begins else now, _AHEAD), _LAST),
        begins is None and ends is None,
    )


def expand(parts: Sequence[Component], span: Span) -> list[Component]:
    """Return the occurrences within `span` of one series: its rule and its exceptions.

    Raises whatever the libraries raise on a damaged rule.
    """
    from recurring_ical_events import of

    calendar = Calendar()
    for part in parts:
        calendar.add_component(_bounded(part, span.ends))
    query = of(calendar, components=[parts[0].name])
    found: list[Component] = query.between(span.begins, span.ends)
    if not found and span.is_default:
        # A series that ended long ago, or begins far ahead, is still one to be found.
        first = _earliest(parts)
        length = min(_BACK, span.ends - span.begins)
        found = query.between(first, _shifted(first, length)) if first else []
    return found[:OCCURRENCES]


def narrowed(parts: Sequence[Component], span: Span, now: datetime) -> Span:
    """Return the part of `span`, near `now`, in which a series stays within the limits.

    Raises UnfitRuleError for a rule that cannot be expanded at all.
    """
    first = _earliest(parts)
    for rule in [rule for part in parts for rule in rules_of(part)]:
        _refuse(rule, first, span)
        period = _shortest(rule)
        if (span.ends - max(span.begins, first or span.begins)) / period > OCCURRENCES:
            near = min(max(now, span.begins), span.ends)
            half = period * (OCCURRENCES // 2)
            begins = max(span.begins, _shifted(near, -half))
            span = Span(begins, min(span.ends, _shifted(near, half)), span.is_default)
    return span


def _shortest(rule: Any) -> timedelta:
    """Return the time that passes at least between two occurrences of a rule."""
    if _first(rule, "FREQ") == "HOURLY" or rule.get("BYHOUR"):
        return timedelta(hours=1)
    if any(rule.get(key) for key in ("BYDAY", "BYMONTHDAY", "BYYEARDAY")):
        return timedelta(days=1)
    days = {"DAILY": 1, "WEEKLY": 7, "MONTHLY": 28}
    return timedelta(days=days.get(str(_first(rule, "FREQ")), 28))


def _refuse(rule: Any, first: datetime | None, span: Span) -> None:
    """Raise UnfitRuleError for a rule whose expansion would take minutes."""
    frequency = _first(rule, "FREQ")
    if frequency not in _PERIODS:
        raise UnfitRuleError(f"they are {str(frequency).lower()}")
    if rule.get("BYMINUTE") or rule.get("BYSECOND"):
        raise UnfitRuleError("they are many an hour")
    if rule.get("BYMONTH") and rule.get("BYMONTHDAY"):
        days = [abs(int(day)) for day in _all(rule, "BYMONTHDAY")]
        longest = max(_LONGEST.get(int(month), 0) for month in _all(rule, "BYMONTH"))
        if min(days) > longest:
            raise UnfitRuleError("no month has such a day")
    if frequency == "HOURLY":
        hours = int(_first(rule, "INTERVAL") or 1)
        is_long = first is not None and (span.ends - first) / timedelta(hours=hours) > _STEPS
        if is_long or any(rule.get(k) for k in ("BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "COUNT")):
            raise UnfitRuleError("they go on hourly for long")


def _bounded(part: Component, ends: datetime) -> Component:
    """Return `part` with an end to its rule; one that never comes true would be tried for ever."""
    start = when(part, "DTSTART")
    bounded = part.copy(recursive=True)
    for name in ("EXDATE", "RDATE"):
        values = part.get(name)
        kept = [v for v in (values if isinstance(values, list) else [values]) if not _broken(v)]
        if isinstance(values, list) or _broken(values):
            bounded.pop(name)
            bounded.update({name: kept} if kept else {})
    if start is None:
        return bounded
    last: date = _shifted(ends, timedelta(days=2)).astimezone(UTC)
    if not isinstance(start, datetime):
        last = last.date() if isinstance(last, datetime) else last
    elif start.tzinfo is None and isinstance(last, datetime):
        last = last.replace(tzinfo=None)
    for rule in rules_of(bounded):
        if not rule.get("COUNT") and not rule.get("UNTIL"):
            rule["UNTIL"] = [last]
    return bounded


def when(part: Component, name: str) -> date | None:
    """Return a date or moment as written; None when it is missing or damaged."""
    value = part.get(name)
    value = value[0] if isinstance(value, list) and value else value
    written = None if isinstance(value, vBroken) else getattr(value, "dt", None)
    return written if isinstance(written, date) else None


def _broken(value: Any) -> bool:
    return isinstance(value, vBroken)


def rules_of(part: Component) -> list[Any]:
    """Return the recurrence rules of an entry."""
    rules = part.get("RRULE")
    found = rules if isinstance(rules, list) else [rules]
    return [rule for rule in found if isinstance(rule, vRecur) and rule]


def in_words(part: Component) -> str:
    """Return the rule of a series as a short phrase, empty when there is none."""
    rules = rules_of(part)
    if not rules:
        return ""
    rule = rules[0]
    period, plural = _PERIODS.get(str(_first(rule, "FREQ")), ("", ""))
    interval = _first(rule, "INTERVAL")
    words = [f"every {interval} {plural}" if interval and int(interval) > 1 else period]
    if rule.get("BYDAY"):
        words.append("on " + _joined([_day_in_words(str(day)) for day in _all(rule, "BYDAY")]))
    if rule.get("BYMONTHDAY"):
        days = [str(day) if int(day) > 0 else "last" for day in _all(rule, "BYMONTHDAY")]
        words.append("on day " + _joined(days))
    if rule.get("BYMONTH"):
        months = [int(month) for month in _all(rule, "BYMONTH")]
        words.append("in " + _joined([_MONTHS[m - 1] for m in months if 1 <= m <= 12] or ["?"]))
    if rule.get("COUNT"):
        words.append(f"{_first(rule, 'COUNT')} times")
    until = _first(rule, "UNTIL")
    if isinstance(until, date):
        words.append(f"until {until:%Y-%m-%d}")
    return " ".join(words).strip()


def _day_in_words(day: str) -> str:
    name = _DAYS.get(day[-2:].upper(), day)
    number = day[:-2].lstrip("+")
    if not number.lstrip("-").isdigit():
        return name
    return f"the {_ORDINALS.get(int(number), f'{number}.')} {name}"


def _joined(words: list[str]) -> str:
    return "".join(words) if len(words) < 2 else ", ".join(words[:-1]) + " and " + words[-1]


def _all(rule: Any, key: str) -> list[Any]:
    value = rule.get(key)
    return value if isinstance(value, list) else [value]


def _first(rule: Any, key: str) -> Any:
    return next(iter(_all(rule, key)), None)


def _earliest(parts: Sequence[Component]) -> datetime | None:
    """Return when the series starts."""
    starts = [when(part, "DTSTART") for part in parts]
    days = [start.toordinal() for start in starts if isinstance(start, date)]
    return datetime.combine(date.fromordinal(min(days)), datetime.min.time(), UTC) if days else None


def _shifted(when: datetime, by: timedelta) -> datetime:
    """Return `when` moved, or the nearest moment that calendars have."""
    try:
        return when + by
    except OverflowError:
        limit = datetime.max if by > timedelta(0) else datetime.min
        return limit.replace(tzinfo=UTC)
