"""Which days and hours a question names, and which entries of calendars lie in them.

The comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from engine.compute.fields import day_of, last_day_of
from engine.language.dates import find_spans
from engine.language.days import Closed, Direction, Span, one_day
from ingest.item import Item

_CLOCK = r"(?:\d{1,2}(?:[:.]\d\d)?(?: ?[ap]\.?m\b\.?| ?o'clock)?|noon|midday)"
# "between 2 and 4 pm", "from 10:00 to 11:30", "9-10"
_BETWEEN = re.compile(
    rf"\b(?:(?:between|from|at) )?(?P<one>{_CLOCK}) ?(?:-|\u2013|\bto\b|\band\b|\buntil\b|\btill\b)"
    rf" ?(?P<other>{_CLOCK})(?![\w:])",
    re.IGNORECASE,
)
# "at 4", "after 3 pm", "before noon"
_ONE = re.compile(
    rf"\b(?P<how>at|around|about|after|from|before|until|till) (?P<one>{_CLOCK})"
    r"(?![\w:]|(?:st|nd|rd|th)\b| (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))",
    re.IGNORECASE,
)
_PARTS = {
    "morning": (6, 12),
    "lunchtime": (12, 14),
    "lunch": (12, 14),
    "afternoon": (12, 18),
    "evening": (18, 24),
    "night": (18, 24),
    "tonight": (18, 24),
}
"""Hours of the parts of a day."""
PART = re.compile(rf"\b(?:{'|'.join(_PARTS)})\b", re.IGNORECASE)
_LEAST_MORNING = 8
"""A bare "7" is in the evening, a bare "8" in the morning."""
_HOUR = timedelta(hours=1)
_WHOLE = timedelta(0), timedelta(days=1)
# "on the 8th"
DAY = re.compile(r"\bon the (\d{1,2})(?:st|nd|rd|th)\b(?! of\b)", re.IGNORECASE)

Hours = tuple[timedelta, timedelta]
"""From midnight; the end is exclusive."""


@dataclass(frozen=True, slots=True)
class TimeNamed:
    """The days that a question names, and the hours of each."""

    days: tuple[Span, ...]
    """Both ends are known."""
    hours: Hours | None
    """None: all day."""

    @property
    def begins(self) -> datetime:
        """When the first of the days begins, or its hours."""
        first = min(midnight for days in self.days for midnight in _midnights(days))
        return first + (self.hours or _WHOLE)[0]

    def meets(self, item: Item) -> bool:
        """Say whether an entry takes some of this time."""
        begins = here(item.when)
        ends = max(here(item.until or item.when), begins + timedelta(microseconds=1))
        first, last = self.hours or _WHOLE
        return any(
            begins < midnight + last and ends > midnight + first
            for days in self.days
            for midnight in _midnights(days)
        )

    def shown(self) -> str:
        """Return `Tue 2026-12-08, 18:00-24:00`."""
        days = " and ".join(_days_shown(one) for one in self.days)
        if self.hours is None:
            return days
        begins, ends = (_clock(one) for one in self.hours)
        return f"{days}, {begins}-{ends}"


def time_named(text: str, today: date, direction: Direction) -> tuple[TimeNamed | None, str]:
    """Return the days and hours that words name, and the other words; None without a time.

    Hours alone are those of today. None too where days have no end.
    """
    hours, rest = hours_of(text)
    found = find_spans(rest, today, direction)
    spans = [one.span for one in found]
    for one in reversed(found):
        rest = f"{rest[: one.start]} {rest[one.end :]}"
    if not found and direction == "future" and (by_number := coming_day(rest, today)):
        days, rest = by_number
        spans = [Span(days.first, days.last)]
    if not spans and hours is None:
        return None, text
    of_today = one_day(today)
    days_named = tuple(spans) or (Span(of_today.first, of_today.last),)
    if any(one.first is None or one.last is None for one in days_named):
        return None, text
    return TimeNamed(days_named, hours), rest


def hours_of(text: str) -> tuple[Hours | None, str]:
    """Return the hours that words name, and the other words."""
    if match := _BETWEEN.search(text):
        other = _time(match["other"], None)
        one = _time(match["one"], other)
        hours = (one, other) if one is not None and other is not None and one < other else None
    elif match := _ONE.search(text):
        at, how = _time(match["one"], None), match["how"].casefold()
        hours = None if at is None else _around(at, how)
    else:
        return part_of_day(text)
    return (None, text) if hours is None else (hours, text.replace(match[0], " ", 1))


def part_of_day(text: str) -> tuple[Hours | None, str]:
    """Return the hours of the part of a day that is named, and the other words."""
    match = PART.search(text)
    if match is None:
        return None, text
    begins, ends = _PARTS[match[0].casefold()]
    today = " today" if match[0].casefold() == "tonight" else ""
    return (begins * _HOUR, ends * _HOUR), f"{text[: match.start()]}{today}{text[match.end() :]}"


def _around(at: timedelta, how: str) -> Hours:
    if how in ("after", "from"):
        return at, _WHOLE[1]
    if how in ("before", "until", "till"):
        return _WHOLE[0], at
    return at, at + _HOUR


def _time(words: str, later: timedelta | None) -> timedelta | None:
    """Return a time of day; a bare hour before a `later` time is in the same half of the day."""
    if words.casefold() in ("noon", "midday"):
        return 12 * _HOUR
    digits = re.findall(r"\d+", words)
    hour, minute = int(digits[0]), int(digits[1]) if len(digits) > 1 else 0
    half = re.search(r"([ap])\.?m", words, re.IGNORECASE)
    if half:
        hour = hour % 12 + 12 * (half[1] in "pP")
    else:
        is_late = 0 < hour < _LEAST_MORNING and not words.startswith("0")
        before_late = later is not None and hour < 12 and (hour + 12) * _HOUR < later
        hour += 12 if is_late or before_late else 0
    if hour > 24 or minute > 59:
        return None
    return hour * _HOUR + timedelta(minutes=minute)


def coming_day(text: str, today: date) -> tuple[Closed, str] | None:
    """Return the next day of a number, today included, and the text without it: "on the 8th"."""
    match = DAY.search(text)
    if match is None:
        return None
    days = (today + timedelta(days=ahead) for ahead in range(2 * 31))
    found = next((one for one in days if one.day == int(match[1])), None)
    if found is None:
        return None
    return Closed(found, found), f"{text[: match.start()]} {text[match.end() :]}"


def hours_of_days(text: str, today: date) -> Hours | None:
    """Return the hours of "Friday morning": a part of a day within the words of its day."""
    parts = (part_of_day(one.words)[0] for one in find_spans(text, today))
    return next((hours for hours in parts if hours is not None), None)


def takes(item: Item, hours: Hours) -> bool:
    """Say whether an item takes some of these hours of any of its days."""
    first, last = day_of(item), last_day_of(item)
    return first is not None and TimeNamed((Span(first, last),), hours).meets(item)


def around(named: TimeNamed, held: Sequence[Item]) -> list[Item]:
    """Return the last entry before a time, and the first one after it, of entries in order."""
    earlier = [one for one in held if here(one.when) < named.begins]
    return [*earlier[-1:], *held[len(earlier) : len(earlier) + 1]]


def here(moment: datetime | None) -> datetime:
    """Return a moment as the calendar shows it; the first one where there is none."""
    return datetime.min if moment is None else moment.replace(tzinfo=None)


def _midnights(days: Span) -> list[datetime]:
    first, last = days.first, days.last
    if first is None or last is None:
        return []
    count = (last - first).days + 1
    return [datetime.combine(first + timedelta(days=n), time()) for n in range(count)]


def _days_shown(days: Span) -> str:
    if days.first == days.last:
        return f"{days.first:%a %Y-%m-%d}"
    return f"{days.first:%a %Y-%m-%d} to {days.last:%a %Y-%m-%d}"


def _clock(since_midnight: timedelta) -> str:
    hours, minutes = divmod(int(since_midnight.total_seconds()) // 60, 60)
    return f"{hours:02}:{minutes:02}"
