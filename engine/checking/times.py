"""Reads the days and times of a text, in the ways that several languages write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from engine.checking.marked_text import MarkedText
from engine.checking.meanings import Amount, ClockTime, Day, Fact, Meaning, Weekday
from engine.checking.words import (
    CLOCK_WORDS,
    MIDNIGHT,
    MONTHS,
    NOON,
    SHORT_WEEKDAYS,
    WEEKDAYS,
)
from engine.language.numbers import NUMBERS

BLANK = "[ \u00a0\u202f]?"
_MONTH = "(?P<month>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_ORDINAL = r"(?:st|nd|rd|th|er|º|\.)?"
_OF = f"{BLANK}(?:of |de |d['\u2019])?"
_TO = f"{BLANK}(?:-|\u2013|to|and|bis|und|au|et|al|tot){BLANK}"
_FLAGS = re.IGNORECASE
_IN_DIGITS = re.compile(
    r"(?:(?P<cy>\d{4})年)?(?P<cm>\d\d?)月(?P<cd>\d\d?)日"
    r"|(?<!-)(?P<iy>\d{4})(?P<isep>[-/.])(?P<im>\d\d?)(?P=isep)(?P<id>\d\d?)(?!\d)"
    r"|(?<![.,/-])(?P<n1>\d\d?)(?P<nsep>[./-]) ?(?P<n2>\d\d?)(?P=nsep) ?(?P<ny>\d{4}|\d\d)(?!\d)"
    r"|(?<![.,])(?P<s1>\d\d?)\. ?(?P<s2>\d\d?)\.(?!\d)",
    _FLAGS,
)
_DAY_FIRST = re.compile(
    rf"(?<![.,:])(?:(?P<other>\d\d?){_ORDINAL}{_TO})?(?P<day>\d\d?){_ORDINAL}{_OF}"
    rf"{_MONTH}(?:,?{_OF}(?P<year>\d{{4}})\b)?",
    _FLAGS,
)
_MONTH_FIRST = re.compile(
    rf"{_MONTH}{BLANK}(?P<day>\d\d?)(?!\d|:\d){_ORDINAL}"
    rf"(?:{_TO}(?P<other>\d\d?)(?!\d|:\d)(?:st|nd|rd|th)?)?(?:,?{BLANK}(?P<year>\d{{4}})\b)?",
    _FLAGS,
)
_MONTH_OF_YEAR = re.compile(rf"{_MONTH},?{_OF}(?P<year>\d{{4}})\b", _FLAGS)
_WORD_BEFORE = re.compile(r"([^\W\d_]+)\s+$")
_PREPOSITIONS = """
    in of by since until till from before after during next this last early mid late im seit ab
    anfang mitte ende bis en de au a per entro tot vanaf sinds w od do em в до на
"""
_BEFORE_MONTH = frozenset(_PREPOSITIONS.split())
"""Words after which a month's name is a month: "May" is a verb, and June a person."""
_NO_MONTHS = frozenset({"may", "march", "mar"})
"""Written small they are no months."""
_SHORT = re.compile(
    rf"\b(?:{'|'.join(word.title() for word in SHORT_WEEKDAYS if len(word) > 2)})\b(?=[.,]? ?\d)"
    rf"|\b(?:{'|'.join(word.title() for word in SHORT_WEEKDAYS if len(word) == 2)})\b"
    r"(?=[.,]{0,2} ?\d\d?\.)"
)

_HOUR = "|".join(word for word, n in NUMBERS.items() if 1 <= n <= 12 and word.isalpha())
_CLOCK = re.compile(
    rf"(?<![:.,])(?P<ah>\d\d?)(?:[:.](?P<am>\d\d))?(?::\d\d)?{BLANK}"
    r"(?P<half>a\.?m\b\.?|p\.?m\b\.?|o.clock\b)"
    rf"|(?<![:.,])(?P<uh>\d\d?)(?:[:.](?P<um>\d\d))?{BLANK}(?:uhr|uur)\b(?:{BLANK}(?P<um2>\d\d)\b)?"
    rf"|(?<![\w:.,])(?P<hh>\d\d?){BLANK}h{BLANK}(?P<hm>\d\d)\b"
    r"|(?<!:)(?P<ch>\d\d?):(?P<cm>\d\d)(?::\d\d)?(?![\d:])",
    _FLAGS,
)
_FIRST_OF_TWO = re.compile(
    rf"(?<![\w:.,])(?P<hour>\d\d?)(?={_TO}\d\d?(?:[:.]\d\d)?{BLANK}"
    r"(?:a\.?m\b|p\.?m\b|o.clock\b|uhr\b|uur\b))",
    _FLAGS,
)
"""The 13 of "from 13 to 18 Uhr"."""
_PARTS = {
    "half past": 30, "quarter past": 15, "quarter to": -15,
    "viertel nach": 15, "viertel vor": -15, "halb": -30,
}  # fmt: skip
"""Minutes after the hour that is said."""
_CLOCK_IN_WORDS = re.compile(
    rf"(?:(?P<part>{'|'.join(_PARTS)}) (?P<hour>{_HOUR}|\d\d?)\b|(?P<whole>{_HOUR}) o.clock\b)",
    _FLAGS,
)


def days_in_digits(text: MarkedText) -> Iterator[Fact]:
    """Yield days such as 2027-06-30, 30.6.2027 and 6/30/27; before a stroke may be the month."""
    for match in text.at_digits(_IN_DIGITS):
        if match["cm"]:
            days = _day(int(match["cm"]), int(match["cd"]), match["cy"])
        elif match["iy"]:
            days = _day(int(match["im"]), int(match["id"]), match["iy"])
        elif match["n1"]:
            one, other = int(match["n1"]), int(match["n2"])
            days = _day(other, one, match["ny"])
            days += _day(one, other, match["ny"]) if match["nsep"] != "." else []
        else:
            days = _day(int(match["s2"]), int(match["s1"]))
            days += [Amount(Decimal(f"{match['s1']}.{match['s2']}"))] if days else []
        if days:
            yield Fact(match.start(), match.end(), days)


def _day(month: int, day: int, year: str | None = None) -> list[Meaning]:
    written = int(year) + 2000 * (len(year) == 2) if year else None
    return [Day(written, month, day)] if 1 <= month <= 12 and 1 <= day <= 31 else []


def named_days(text: MarkedText) -> Iterator[Fact]:
    """Yield days with the month's name, two where one month has two: 3 to 5 May."""
    found = [fact for match in text.at_digits(_DAY_FIRST) for fact in _named(match)]
    yield from found
    text = text.without(found)
    found = [fact for match in text.at_words(_MONTH_FIRST, MONTHS) for fact in _named(match)]
    yield from found
    for match in text.without(found).at_words(_MONTH_OF_YEAR, MONTHS):
        yield Fact(match.start(), match.end(), [Day(int(match["year"]), _month(match["month"]))])


def _named(match: re.Match[str]) -> Iterator[Fact]:
    month, year = _month(match["month"]), match["year"]
    days = _day(month, int(match["day"]), year)
    more = _day(month, int(match["other"]), year) if match["other"] else []
    if days and more and match.start("other") == match.start():
        yield Fact(*match.span("other"), more)
        yield Fact(match.start("day"), match.end(), days)
    elif days and more:
        yield Fact(match.start(), match.end("day"), days)
        yield Fact(match.start("other"), match.end(), more)
    elif days:
        yield Fact(match.start(), match.end(), days)


def _month(name: str) -> int:
    return MONTHS[name.casefold()]


def loose_days(text: MarkedText) -> Iterator[Fact]:
    """Yield months without a day, and weekdays."""
    for start, end, word in text.these(MONTHS):
        if text.text[start:end] not in _NO_MONTHS:
            before = _WORD_BEFORE.search(text.text, max(0, start - 16), start)
            claimed = before is not None and before[1].casefold() in _BEFORE_MONTH
            yield Fact(start, end, [Day(None, MONTHS[word])], claimed and len(word) > 2)
    for start, end, word in text.these(WEEKDAYS):
        yield Fact(start, end, [Weekday(WEEKDAYS[word])])


def times(text: MarkedText) -> Iterator[Fact]:
    """Yield times of day, and the short names of weekdays before a day or time."""
    for match in _SHORT.finditer(text.text):
        yield Fact(match.start(), match.end(), [Weekday(SHORT_WEEKDAYS[match[0].casefold()])])
    for match in text.at_digits(_CLOCK):
        if clocks := _clocks(match):
            yield Fact(match.start(), match.end(), clocks)
    for match in text.at_digits(_FIRST_OF_TWO):
        if clocks := hours(int(match["hour"])):
            yield Fact(match.start(), match.end(), [*clocks, Amount(Decimal(match["hour"]))])
    for match in text.at_words(_CLOCK_IN_WORDS, CLOCK_WORDS | NUMBERS.keys()):
        hour = _number(match["hour"] or match["whole"])
        at = (hour * 60 + _PARTS.get((match["part"] or "").casefold(), 0)) % (12 * 60)
        yield Fact(match.start(), match.end(), hours(at // 60, at % 60))
    for start, end, _ in text.these(NOON):
        yield Fact(start, end, [ClockTime(12, 0)])
    for start, end, _ in text.these(MIDNIGHT):
        yield Fact(start, end, [ClockTime(0, 0), ClockTime(24, 0)])


def _clocks(match: re.Match[str]) -> list[Meaning]:
    if match["half"] and match["half"][0] in "aApP":
        return [
            ClockTime(
                int(match["ah"]) % 12 + 12 * (match["half"][0] in "pP"), int(match["am"] or 0)
            )
        ]
    written = match["ah"] or match["uh"] or match["hh"] or match["ch"]
    minute = match["am"] or match["um"] or match["um2"] or match["hm"] or match["cm"] or "0"
    return hours(int(written), int(minute), sure=written.startswith("0"))


def _number(written: str) -> int:
    return int(written) if written.isdecimal() else NUMBERS[written.casefold()]


def hours(hour: int, minute: int = 0, *, sure: bool = False) -> list[Meaning]:
    """Return a time before noon as one after noon too, unless it is written as 08:00."""
    if hour > 24 or minute > 59:
        return []
    return [
        ClockTime(hour, minute),
        *([ClockTime(hour + 12, minute)] if hour < 12 and not sure else []),
    ]
