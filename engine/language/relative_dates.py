"""Says which days the relative words of a text mean, next to them: "yesterday (3 May 2024)".

Who writes "last week" means a week before the day of writing. A model that reads the text has to
know that day and to count, and small ones do neither.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from engine.language.dates import parse_span

_WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_COUNT = r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|a couple of)"
# "yesterday", "last night", "this morning", "next month", "last Friday", "two weeks ago"
_RELATIVE = re.compile(
    r"\b(?:(?P<near>yesterday|today|tonight|tomorrow|last night"
    r"|this (?:morning|afternoon|evening))"
    rf"|(?P<which>last|this|next|past) (?P<unit>week|weekend|month|year|{_WEEKDAYS})"
    rf"|(?P<count>{_COUNT}) (?P<units>day|week|month|year)s? ago)\b(?! \()",
    re.IGNORECASE,
)
_PLACES = {"last": "before", "past": "before", "next": "after", "this": "of"}


def with_days(text: str, day: date) -> str:
    """Return a text of this day with the days that its relative words mean, each in brackets."""
    return _RELATIVE.sub(lambda found: _with_day(found, day), text)


def _with_day(found: re.Match[str], day: date) -> str:
    meant = _meant(found, day)
    return f"{found[0]} ({meant})" if meant else found[0]


def _meant(found: re.Match[str], day: date) -> str | None:
    """Return the days that a phrase means; None where it names none."""
    if found["near"]:
        near = found["near"].casefold()
        days = {"yesterday": -1, "last night": -1, "tomorrow": 1}.get(near, 0)
        return written(day + timedelta(days=days))
    if found["count"]:
        length = found[0].casefold().removesuffix(" ago")
        return f"{length} before {written(day)}"
    which, unit = found["which"].casefold(), found["unit"].casefold()
    if unit in ("week", "weekend"):
        return f"the {unit} {_PLACES[which]} {written(day)}"
    span = parse_span(f"{'last' if which == 'past' else which} {unit}", day, "past")
    if span is None or span.first is None:
        return None
    if unit == "year":
        return str(span.first.year)
    if unit == "month":
        return f"{span.first:%B %Y}"
    return f"{span.first:%A} {written(span.first)}"


def written(day: date) -> str:
    """Return a day as a person writes it: 3 May 2024."""
    return f"{day.day} {day:%B %Y}"
