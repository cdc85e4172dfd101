"""Whether a person is free then: what the calendars have at the days and hours of a question.

The comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from engine.compute.fields import is_all_day, is_cancelled, line_of, values_of
from engine.compute.item_filter import each_once, oldest_first
from engine.confidence.reasons import UNREAD
from engine.generation.draft import Draft
from engine.language.dates import find_spans
from engine.language.days import Direction, Span, one_day
from engine.values import Argument, Citation, Passage
from ingest.item import Item, Kind

# "am I free on Friday", "are we busy", "will I be available", "do I have time tomorrow"
_ASKED = re.compile(
    r"^(?:and |so |but )?(?:"
    r"(?P<be>am|are|was|were|will) (?:i|we)(?: be)?(?: still| already)?"
    r" (?P<how>free|available|busy)"
    r"|do (?:i|we) (?:still )?have (?:any )?(?:free )?time)\b(?P<rest>[^?]*)\W*$",
    re.IGNORECASE,
)
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
_PART = re.compile(rf"\b(?:{'|'.join(_PARTS)})\b", re.IGNORECASE)
_LEAST_MORNING = 8
"""A bare "7" is in the evening, a bare "8" in the morning."""
_MEANT = "and at for in on or the this my all day then to"
_MAY_STAY = frozenset(_MEANT.split())
"""Words that change nothing. With any other one left, more is asked than a calendar says."""
_HOUR = timedelta(hours=1)
_WHOLE = timedelta(0), timedelta(days=1)
CITED = 20
"""Entries that an answer shows."""

Hours = tuple[timedelta, timedelta]
"""From midnight; the end is exclusive."""


@dataclass(frozen=True, slots=True)
class TimeAsked:
    """When a question asks whether a person is free."""

    days: tuple[Span, ...]
    """Both ends are known."""
    hours: Hours | None
    """None: all day."""
    is_free: bool
    """Whether it says free, and not busy."""


def availability_asked(question: str, today: date) -> TimeAsked | None:
    """Return when a question asks whether its writer is free; None for another question."""
    match = _ASKED.match(" ".join(question.replace("\u2019", "'").split()))
    if match is None:
        return None
    hours, rest = hours_of(match["rest"])
    past = (match["be"] or "").casefold() in ("was", "were")
    direction: Direction = "past" if past else "future"
    found = find_spans(rest, today, direction)
    for one in reversed(found):
        rest = f"{rest[: one.start]} {rest[one.end :]}"
    if not _MAY_STAY.issuperset(re.findall(r"\w+", rest.casefold())):
        return None
    if not found and hours is None:
        return None
    of_today = one_day(today)
    days = tuple(one.span for one in found) or (Span(of_today.first, of_today.last),)
    if any(one.first is None or one.last is None for one in days):
        return None
    return TimeAsked(days, hours, (match["how"] or "free").casefold() != "busy")


def hours_of(text: str) -> tuple[Hours | None, str]:
    """Return the hours that words name, and the other words."""
    if match := _BETWEEN.search(text):
        other = _time(match["other"], None)
        one = _time(match["one"], other)
        hours = (one, other) if one is not None and other is not None and one < other else None
    elif match := _ONE.search(text):
        at, how = _time(match["one"], None), match["how"].casefold()
        hours = None if at is None else _around(at, how)
    elif match := _PART.search(text):
        begins, ends = _PARTS[match[0].casefold()]
        hours = begins * _HOUR, ends * _HOUR
        today = " today" if match[0].casefold() == "tonight" else ""
        return hours, f"{text[: match.start()]}{today}{text[match.end() :]}"
    else:
        return None, text
    return (None, text) if hours is None else (hours, text.replace(match[0], " ", 1))


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


def availability(
    asked: TimeAsked, items: Iterable[Item], *, is_complete: bool = True
) -> Draft | None:
    """Return whether the calendars have something then, and what; None without a calendar.

    Where they have nothing, what comes before and after is cited. It is unsure where not all
    calendars were read, which `is_complete` says.
    """
    events = [one for one in items if one.kind is Kind.EVENT and one.when is not None]
    held = sorted((one for one in each_once(events) if not is_cancelled(one)), key=oldest_first)
    if not held:
        return None
    found = [one for one in held if _lies_in(one, asked)]
    reasons = () if is_complete else (UNREAD,)
    if not found:
        return said_of_calendars(
            f"{_said(asked, ())}. Before and after:", _around_of(asked, held), reasons
        )
    return said_of_calendars(f"{_said(asked, found)}:", found, reasons)


def _said(asked: TimeAsked, found: Sequence[Item]) -> str:
    when = _shown(asked)
    if not found:
        return f"{'Yes' if asked.is_free else 'No'}: nothing in the calendars on {when}"
    if all(map(is_all_day, found)):
        return f"Nothing at a set time on {when}, all day"
    if asked.hours is None:
        return f"Not all of the time on {when}"
    return f"{'No' if asked.is_free else 'Yes'}, on {when}"


def _around_of(asked: TimeAsked, held: Sequence[Item]) -> list[Item]:
    """Return the last event before the time that is asked about, and the first one after it."""
    begins = min(midnight for days in asked.days for midnight in _midnights(days))
    begins += (asked.hours or _WHOLE)[0]
    earlier = [one for one in held if _here(one.when) < begins]
    return [*earlier[-1:], *held[len(earlier) : len(earlier) + 1]]


def said_of_calendars(said: str, shown: Sequence[Item], reasons: tuple[Argument, ...]) -> Draft:
    """Return a sentence with entries below it, each cited."""
    lines, citations = [said], list[Citation]()
    for number, item in enumerate(shown[:CITED], start=1):
        start, end = line_of(item, "entry")
        passage = Passage(item, start, end)
        citations.append(Citation(number, passage, start, end, "matched", support=True))
        lines.append(f"{values_of(item, 'entry')[0].text} [{number}]")
    if len(shown) > CITED:
        lines.append(f"and {len(shown) - CITED:,} more")
    passages = tuple(one.passage for one in citations)
    return Draft("\n".join(lines), passages, citations=tuple(citations), reasons=reasons)


def _lies_in(item: Item, asked: TimeAsked) -> bool:
    """Say whether an event takes some of the time that is asked about."""
    begins = _here(item.when)
    ends = max(_here(item.until or item.when), begins + timedelta(microseconds=1))
    first, last = asked.hours or _WHOLE
    return any(
        begins < midnight + last and ends > midnight + first
        for days in asked.days
        for midnight in _midnights(days)
    )


def _here(moment: datetime | None) -> datetime:
    """Return a moment as the calendar shows it; the first one where there is none."""
    return datetime.min if moment is None else moment.replace(tzinfo=None)


def _midnights(days: Span) -> list[datetime]:
    first, last = days.first, days.last
    if first is None or last is None:
        return []
    count = (last - first).days + 1
    return [datetime.combine(first + timedelta(days=n), time()) for n in range(count)]


def _shown(asked: TimeAsked) -> str:
    days = " and ".join(_days_shown(one) for one in asked.days)
    if asked.hours is None:
        return days
    begins, ends = (_clock(one) for one in asked.hours)
    return f"{days}, {begins}-{ends}"


def _days_shown(days: Span) -> str:
    if days.first == days.last:
        return f"{days.first:%a %Y-%m-%d}"
    return f"{days.first:%a %Y-%m-%d} to {days.last:%a %Y-%m-%d}"


def _clock(since_midnight: timedelta) -> str:
    hours, minutes = divmod(int(since_midnight.total_seconds()) // 60, 60)
    return f"{hours:02}:{minutes:02}"
