"""Days that a text names by their distance from the day on which it was written."""

from __future__ import annotations

import re
from datetime import date, timedelta

from engine.language.date_words import MONTH_NAMES, WEEKDAY_WORDS
from engine.language.dates import find_spans

# "yesterday", "last Friday", "two weeks ago"
_RELATIVE = re.compile(
    r"\b(?:today|tonight|yesterday|tomorrow|last|previous|this|next|coming|ago|from now)\b",
    re.IGNORECASE,
)

# "next Friday": of this week to some, of the next one to others
_EITHER = re.compile(rf"\bnext (?:{WEEKDAY_WORDS})\b", re.IGNORECASE)


def relative_days(text: str, written: date) -> list[tuple[int, str]]:
    """Return where the words for such days end in `text`, and which days they are.

    A day alone, as in "by Friday", is none: it may lie before or after. Nor is "next Friday", which
    people mean in two ways, nor a length of time, as in "the past two weeks".
    """
    found = []
    for one in find_spans(text, written):
        first, last = one.span.first, one.span.last
        if first is None or last is None or _EITHER.search(one.words):
            continue
        if _RELATIVE.search(one.words) and (said := _said(first, last)):
            found.append((one.end, said))
    return found


def _said(first: date, last: date) -> str:
    """Return a day, a week, a weekend, a month or a year in words; nothing for another length."""
    if first == last:
        return _day(first)
    after = last + timedelta(days=1)
    if (first.day, first.month, after.day, after.month) == (1, 1, 1, 1):
        return str(first.year) if after.year == first.year + 1 else ""
    if first.day == after.day == 1:
        return f"{_month(first)} {first.year}" if (last - first).days < 31 else ""
    if last.weekday() == 6 and (last - first).days in (1, 6):
        begin = str(first.day) if first.month == last.month else f"{first.day} {_month(first)}"
        return f"{begin} to {_day(last)}"
    return ""


def _day(day: date) -> str:
    return f"{day.day} {_month(day)} {day.year}"


def _month(day: date) -> str:
    return MONTH_NAMES[day.month - 1].capitalize()
