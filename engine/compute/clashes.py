"""Which entries of the calendars take the same time.

The comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import combinations

from engine.compute.availability import said_of_calendars
from engine.compute.fields import is_all_day, is_cancelled, title_of
from engine.compute.item_filter import each_once, oldest_first
from engine.compute.moments import Hours, TimeNamed, part_of_day
from engine.confidence.reasons import UNREAD
from engine.generation.draft import Draft
from engine.language.dates import find_spans
from engine.language.days import Span
from engine.language.stemming import stem_of
from engine.language.tokens import FUNCTION_WORDS, words
from ingest.item import Item, Kind

# "any clashes", "does it overlap with", "am I double-booked"
_ASKED = re.compile(
    r"\b(?:clash(?:es|ed|ing)?|collid(?:e|es|ed|ing)|conflict(?:s|ed|ing)?"
    r"|overlap(?:s|ped|ping)?|double[- ]booked"
    r"|at the same time(?: as)?)\b",
    re.IGNORECASE,
)
# "the conflict with Ann", "a conflict of interest", "why do they clash"
_OTHERWISE = re.compile(
    r"^(?:why|how|who|whose|when|where|tell)\b"
    r"|\b(?:the|our|their|his|her) (?:clash|conflict|overlap)"
    r"|\b(?:clash|conflict|overlap)(?:es|s)? (?:of|about|over)\b",
    re.IGNORECASE,
)
# "the survey and the dentist", "clash with", "anything or"
_BETWEEN = re.compile(r"\b(?:and|or|with|as)\b", re.IGNORECASE)
_ANY_WORDS = """
    anything something else anywhere any are there is do does did am have got will be being calendar
    calendars diary agenda schedule entry entries event events appointment appointments meeting
    meetings plans plan time times each other which what mine private it so if late early
"""
_ANY = frozenset(_ANY_WORDS.split())
"""Words that name no entry."""
PAIRS = 10
"""Pairs that an answer shows."""


@dataclass(frozen=True, slots=True)
class ClashAsked:
    """Whether entries clash: any on some days, or those that are named."""

    days: tuple[Span, ...]
    names: tuple[frozenset[str], ...]
    """Stems of the title of one entry, or of two."""
    hours: Hours | None = None
    """None: all day."""


def clash_asked(question: str, today: date) -> ClashAsked | None:
    """Return which entries a question says may clash; None for another question."""
    plain = " ".join(question.replace("\u2019", "'").split())
    if _ASKED.search(plain) is None or _OTHERWISE.search(plain):
        return None
    spans = find_spans(plain, today, "future")
    for one in reversed(spans):
        plain = f"{plain[: one.start]} {plain[one.end :]}"
    days = tuple(one.span for one in spans)
    hours, others = part_of_day(plain)
    if days and hours is not None and not _named(others):
        return ClashAsked(days, (), hours)
    named = _named(plain)
    return ClashAsked(days, named) if len(named) <= 2 else None


def _named(text: str) -> tuple[frozenset[str], ...]:
    parts = (_stems(part) for one in _ASKED.split(text) for part in _BETWEEN.split(one))
    return tuple(dict.fromkeys(part for part in parts if part))


def _stems(text: str) -> frozenset[str]:
    told = (word for word in words(text) if word not in FUNCTION_WORDS and word not in _ANY)
    return frozenset(stem_of(word) for word in told if len(word) > 1)


def clashes(
    asked: ClashAsked, items: Iterable[Item], now: datetime, *, is_complete: bool = True
) -> Draft | None:
    """Return the pairs of entries that take the same time, or that none do.

    None without a calendar, and where no entry bears a name. Entries of a whole day, such as
    birthdays, count only by name. Without days those that are still to come are meant.
    """
    events = (one for one in items if one.kind is Kind.EVENT and one.when is not None)
    held = sorted((one for one in each_once(events) if not is_cancelled(one)), key=oldest_first)
    if not held:
        return None
    sides = [[one for one in held if name <= _stems(title_of(one))] for name in asked.names]
    if not all(sides):
        return None
    lying = [one for one in held if _counts(one, asked, now)]
    pairs = list(_pairs(sides, lying))
    reasons = () if is_complete else (UNREAD,)
    if pairs:
        shown = list({id(one): one for pair in pairs[:PAIRS] for one in pair}.values())
        said = "Yes:" if len(pairs) == 1 else f"Yes, {len(pairs)} times:"
        return said_of_calendars(said, shown, reasons)
    named = [one for side in sides for one in side if one in lying]
    beside = named or lying or held[-1:]
    return said_of_calendars("No: nothing takes the same time. Looked at:", beside, reasons)


def _counts(item: Item, asked: ClashAsked, now: datetime) -> bool:
    """Say whether an entry lies in the days, or ahead where there are none."""
    if is_all_day(item) and not asked.names:
        return False
    if asked.hours is not None:
        return TimeNamed(asked.days, asked.hours).meets(item)
    first, last = _ends(item)
    if not asked.days:
        return bool(asked.names) or last >= now.replace(tzinfo=None)
    return any(
        (one.first is None or last.date() >= one.first)
        and (one.last is None or first.date() <= one.last)
        for one in asked.days
    )


def _pairs(sides: Sequence[Sequence[Item]], lying: Sequence[Item]) -> Iterator[tuple[Item, Item]]:
    """Yield the pairs that overlap: of both sides, of one with any other, or of any."""
    ids = [frozenset(map(id, side)) for side in sides]
    for one, other in combinations(lying, 2):
        first, second = id(one), id(other)
        if len(ids) == 2:
            meant = (first in ids[0] and second in ids[1]) or (second in ids[0] and first in ids[1])
        elif ids:
            both_timed = not (is_all_day(one) or is_all_day(other))
            meant = (first in ids[0] or second in ids[0]) and both_timed
        else:
            meant = True
        if meant and _overlap(one, other):
            yield one, other


def _overlap(one: Item, other: Item) -> bool:
    (begins, ends), (other_begins, other_ends) = _ends(one), _ends(other)
    return begins < other_ends and other_begins < ends


def _ends(item: Item) -> tuple[datetime, datetime]:
    """Return when an entry begins and ends, as the calendar shows it."""
    begins, ends = (one.replace(tzinfo=None) if one else None for one in (item.when, item.until))
    first = begins or datetime.min
    return first, max(ends or first, first + timedelta(microseconds=1))
