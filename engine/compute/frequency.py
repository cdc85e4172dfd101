"""How often an entry of the calendars comes round.

The comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise

from engine.compute.availability import said_of_calendars
from engine.compute.fields import is_cancelled, title_of
from engine.compute.item_filter import each_once, oldest_first
from engine.confidence.reasons import UNREAD
from engine.generation.draft import Draft
from engine.language.dates import find_spans
from engine.language.stemming import stem_of
from engine.language.tokens import FUNCTION_WORDS, words
from ingest.item import Item, Kind

# "How often do we have", "and how frequently is the"; not "how often did", which counts
_ASKED = re.compile(
    r"^\W*(?:and )?how (?:often|frequently|regularly) (?:do|does|is|are|am|will|must|should|can)\b",
    re.IGNORECASE,
)
_ANY_WORDS = """
    have has had take takes place meet meets come comes go goes happen happens held hold get gets be
    there scheduled planned due again my our his her their your
"""
_ANY = frozenset(_ANY_WORDS.split())
"""Words that name no entry."""
LEAST = 3
"""Occurrences that a rhythm needs."""
REGULAR = 0.8
"""Share of the distances between occurrences that must be the usual one."""
DAYS_OF_A_MONTH, DAYS_OF_A_YEAR = range(28, 32), range(365, 367)
_NUMBERS = ("", "", "two", "three", "four", "five", "six", "seven", "eight")


@dataclass(frozen=True, slots=True)
class FrequencyAsked:
    """How often an entry comes round."""

    name: frozenset[str]
    """Stems that its title holds."""


def frequency_asked(question: str, today: date) -> FrequencyAsked | None:
    """Return the entry whose rhythm a question asks for; None for another question.

    One that names days asks for a count.
    """
    begun = _ASKED.match(question)
    if begun is None or find_spans(question, today, "future"):
        return None
    told = (word for word in words(question[begun.end() :]) if word not in FUNCTION_WORDS | _ANY)
    name = frozenset(stem_of(word) for word in told if len(word) > 1)
    return FrequencyAsked(name) if name else None


def frequency(
    asked: FrequencyAsked, items: Iterable[Item], now: datetime, *, is_complete: bool = True
) -> Draft | None:
    """Return how often the repeating entry with this name comes, with its next time.

    None where no entry or more than one bears the name, single ones included, or where it comes
    without a rhythm.
    """
    events = (one for one in items if one.kind is Kind.EVENT and one.when is not None)
    named = (one for one in each_once(events) if asked.name <= _stems(title_of(one)))
    held = sorted((one for one in named if not is_cancelled(one)), key=oldest_first)
    if len({(one.locator.path, one.locator.uid) for one in held}) != 1:
        return None
    rhythm = rhythm_of([one.when for one in held if one.when is not None])
    if rhythm is None:
        return None
    coming = [one for one in held if one.when is not None and one.when >= now]
    reasons = () if is_complete else (UNREAD,)
    said = f"{rhythm}. Next:" if coming else f"{rhythm}. Last:"
    return said_of_calendars(said, coming[:1] or held[-1:], reasons)


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem_of, words(text)))


def rhythm_of(times: Sequence[datetime]) -> str | None:
    """Return in words how often something comes; None where that is not regular.

    Times that were left out or moved do not disturb a rhythm.
    """
    days = sorted({one.date() for one in times})
    if len(days) < LEAST:
        return None
    gaps = [(later - earlier).days for earlier, later in pairwise(days)]
    weekdays = Counter(one.weekday() for one in days)
    usual, often = Counter(gaps).most_common(1)[0]
    weekday = next(f"{one:%A}" for one in days if one.weekday() == weekdays.most_common(1)[0][0])
    if set(weekdays) == set(range(5)):
        return _weekly(days, weekdays)
    if often >= REGULAR * len(gaps) and usual < DAYS_OF_A_MONTH.start:
        if usual % 7 == 0:
            return f"{_every(usual // 7, 'week')}, on {weekday}s"
        return _every(usual, "day")
    if sum(gap in DAYS_OF_A_MONTH or gap == 35 for gap in gaps) >= REGULAR * len(gaps):
        if len({one.day for one in days}) == 1:
            return f"Every month, on day {days[0].day}"
        return f"Every month, on a {weekday}" if len(weekdays) == 1 else "Every month"
    if all(gap in DAYS_OF_A_YEAR for gap in gaps):
        return f"Every year, on {days[0].day} {days[0]:%B}"
    return _weekly(days, weekdays)


def _weekly(days: Sequence[date], weekdays: Counter[int]) -> str | None:
    """Return on which days of each week something comes, where most weeks have them all."""
    weeks = Counter((one - date.min).days // 7 for one in days)
    full = sum(count == len(weekdays) for count in weeks.values())
    if len(weeks) < LEAST or full < REGULAR * len(weeks):
        return None
    if set(weekdays) == set(range(5)):
        return "Every working day"
    names = {one.weekday(): f"{one:%A}s" for one in days}
    return f"Every week, on {' and '.join(names[day] for day in sorted(names))}"


def _every(number: int, unit: str) -> str:
    if number == 1:
        return f"Every {unit}"
    counted = _NUMBERS[number] if number < len(_NUMBERS) else str(number)
    return f"Every {counted} {unit}s"
