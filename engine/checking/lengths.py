"""Reads lengths of time that are said in two parts: 3 h 30 min, two and a half hours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from engine.checking.marked_text import MarkedText
from engine.checking.meanings import Amount, Fact
from engine.checking.numbers import in_parts
from engine.checking.words import UNITS
from engine.language.numbers import ENGLISH

_HOURS = r"(?:h|hrs?|hours?|std|stunden?|heures?|horas?|ore|uur)"
_MINUTES = r"(?:min|mins|minutes?|minuten|minutos?|minuti)"
# "3 h 30 min", "2 hours and 15 minutes"
_HOURS_AND_MINUTES = re.compile(
    rf"(?<![\w:.,])(?P<hours>\d{{1,3}}) ?{_HOURS}\b\.?,? ?(?:and |und |et |y |e |en )?"
    rf"(?P<minutes>\d\d?) ?{_MINUTES}\b",
    re.IGNORECASE,
)
_UNIT = r"(?P<unit>hour|day|week|month|year)"
# "two and a half hours", "an hour and a half", "half an hour"
_HALVES = (
    re.compile(rf"\b(?P<count>\d{{1,3}}|{'|'.join(ENGLISH)}) and a half {_UNIT}s\b", re.IGNORECASE),
    re.compile(rf"\b(?:an?|one) {_UNIT} and a half\b", re.IGNORECASE),
    re.compile(rf"\b(?P<half>half) (?:an?|the) {_UNIT}\b", re.IGNORECASE),
)


def lengths(text: MarkedText) -> Iterator[Fact]:
    """Yield lengths of time in two parts, each in its unit and in smaller ones."""
    for match in text.at_digits(_HOURS_AND_MINUTES):
        minutes = int(match["hours"]) * 60 + int(match["minutes"])
        meanings = [Amount(Decimal(minutes) / 60, "hour"), *in_parts(Decimal(minutes), "minute")]
        yield Fact(match.start(), match.end(), meanings)
    if "half" not in text.text.casefold():
        return
    for pattern in _HALVES:
        for match in pattern.finditer(text.text):
            found = match.groupdict()
            count = found.get("count") or ("0" if found.get("half") else "1")
            whole = int(count) if count.isdecimal() else ENGLISH[count.casefold()]
            unit = UNITS[match["unit"].casefold()]
            meanings = in_parts(whole + Decimal("0.5"), unit)
            yield Fact(match.start(), match.end(), meanings)
