"""Spans of calendar days, and which of several one means."""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

Direction = Literal["past", "future", "nearest"]
"""Where a day without a year lies: at or before today, at or after it, or whichever is nearer."""

Unit = Literal["day", "week", "weekend", "month", "quarter", "year"]


@dataclass(frozen=True, slots=True)
class Span:
    """Calendar days, both ends inclusive."""

    first: date | None
    """None: no beginning."""
    last: date | None
    """None: no end."""


@dataclass(frozen=True, slots=True)
class Closed:
    """A span with two ends, which is what a name of days gives."""

    first: date
    last: date


def one_day(day: date) -> Closed:
    """Return that day."""
    return Closed(day, day)


def week(day: date) -> Closed:
    """Return the week of a day, Monday to Sunday."""
    monday = day - timedelta(days=day.weekday())
    return Closed(monday, monday + timedelta(days=6))


def weekend(day: date) -> Closed:
    """Return Saturday and Sunday of the week of a day."""
    sunday = week(day).last
    return Closed(sunday - timedelta(days=1), sunday)


def month(day: date) -> Closed:
    """Return the month of a day."""
    last = calendar.monthrange(day.year, day.month)[1]
    return Closed(day.replace(day=1), day.replace(day=last))


def quarter(day: date) -> Closed:
    """Return the quarter of a day."""
    begins = 3 * ((day.month - 1) // 3) + 1
    return Closed(date(day.year, begins, 1), month(date(day.year, begins + 2, 1)).last)


def year(day: date) -> Closed:
    """Return the year of a day."""
    return Closed(date(day.year, 1, 1), date(day.year, 12, 31))


AROUND: dict[Unit, Callable[[date], Closed]] = {
    "day": one_day,
    "week": week,
    "weekend": weekend,
    "month": month,
    "quarter": quarter,
    "year": year,
}
"""From a unit to the span of it that holds a day."""

MONTHS: dict[Unit, int] = {"month": 1, "quarter": 3, "year": 12}


def shifted(day: date, unit: Unit, count: int) -> date:
    """Return the day `count` units later; a month that is too short ends it.

    Raises `ValueError` or `OverflowError` beyond the calendar.
    """
    if unit not in MONTHS:
        return day + timedelta(days=count if unit == "day" else 7 * count)
    months = 12 * day.year + day.month - 1 + MONTHS[unit] * count
    first = date(months // 12, months % 12 + 1, 1)
    return first.replace(day=min(day.day, month(first).last.day))


def chosen(candidates: Iterable[Closed], today: date, direction: Direction) -> Closed:
    """Return the candidate that is meant. One that holds today is both past and future.

    `candidates` come in order of time. Raises `ValueError` when none lies in the direction.
    """
    spans = list(candidates)
    past = [span for span in spans if span.first <= today]
    future = [span for span in spans if span.last >= today]
    if direction == "past" and past:
        return past[-1]
    if direction == "future" and future:
        return future[0]
    if direction == "nearest" and spans:
        return min(reversed(spans), key=lambda span: _distance(span, today))
    raise ValueError


def _distance(span: Closed, today: date) -> int:
    if span.first <= today <= span.last:
        return 0
    return min(abs((span.first - today).days), abs((span.last - today).days))
