"""What is stated of an option, as a number to compare: from least to most that it may mean.

"8 to 11 species" is from 8 to 11, "1977" from its first day to its last, and "3/4/2001" a day of
March or one of April. Only what does not overlap is compared.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from engine.checking.facts import facts
from engine.checking.meanings import Amount, ClockTime, Day, Fact
from engine.checking.words import CURRENCIES
from engine.comparison.asked import BIRTH, DEATH, PRICE, Comparison

MOST_YEARS = 130
"""Most years of a person's age."""
_LEAP_YEAR = 4
"""Stands for the year of days that are stated without one."""
_LETTER = re.compile(r"[^\W\d_]")
# "31 a head", "4,970 per pack", "12 each"
_OF_ONE = re.compile(r"\b(?:each|apiece|(?:per|an?|every) \w+)\b|/ ?\w+", re.IGNORECASE)
_BRACKETS = re.compile(r"\([^()]*\)")


@dataclass(frozen=True, slots=True)
class Range:
    """From least to most that a statement may mean, in one unit."""

    least: Decimal
    most: Decimal

    @classmethod
    def around(cls, ranges: Sequence[Range]) -> Range:
        """Return the range that holds all of these."""
        return cls(min(one.least for one in ranges), max(one.most for one in ranges))


DAY = 24 * 60
_OF_24_HOURS = re.compile(r"\b(?:0\d|1[3-9]|2[0-3])[:.]\d\d")
DAYS, DAYS_WITHOUT_A_YEAR, TIMES, YEARS = "day", "day of a year", "time", "year"
"""Units of what is no amount, beside those of `engine.checking.meanings`."""

ANY = "any"
"""The unit of a number that stands alone: "1,240", and not "3 boxes"."""

_MONEY = frozenset(CURRENCIES.values())

Measured = Mapping[str, Range]
"""By unit; "" where none is known."""


def foremost(stated: Sequence[str], comparison: Comparison) -> int | None:
    """Return the number of the option that is meant; None where the statements do not tell."""
    ways: tuple[tuple[Callable[[str], Measured], bool], ...] = {
        "day": ((_moments(comparison.what, stated), comparison.largest),),
        "age": ((_moments(BIRTH, ()), not comparison.largest), (_ages, comparison.largest)),
        "span": ((_span, comparison.largest),),
        "amount": ((_prices if comparison.what == PRICE else _amounts, comparison.largest),),
    }[comparison.measure]
    for read, largest in ways:
        if ranges := _in_one_unit([read(one) for one in stated]):
            return _outermost(ranges, largest=largest)
    return None


def difference(one: str, other: str) -> Decimal | None:
    """Return by how much the first of two stated amounts is the larger one; negative if it is not.

    None where one of them states no single amount, or in another unit.
    """
    ranges = _in_one_unit([_amounts(one), _amounts(other)])
    if len(ranges) != 2 or any(found.least != found.most for found in ranges):
        return None
    return ranges[0].least - ranges[1].least


def _outermost(ranges: Sequence[Range], *, largest: bool) -> int | None:
    for number, one in enumerate(ranges):
        others = [*ranges[:number], *ranges[number + 1 :]]
        if all(one.least > other.most if largest else one.most < other.least for other in others):
            return number
    return None


def _in_one_unit(measured: Sequence[Measured]) -> list[Range]:
    """Return a range of each in a unit that all have; a bare number is in any. Else nothing."""
    units = [own for one in measured if (own := one.keys() - {"", ANY})]
    shared = sorted(set.intersection(*map(set, units))) if units else [""]
    for unit in shared:
        found = [one.get(unit) or one.get(ANY) for one in measured]
        if all(found):
            return [one for one in found if one]
    return []


def _moments(what: str, all_stated: Sequence[str]) -> Callable[[str], Measured]:
    """Return what reads days, in minutes: of a birth the first, of a death the last.

    The time of a single day counts. That 11:30 is before noon is only known where another time is
    written as 14:00 or 09:00.
    """
    by_24_hours = any(map(_OF_24_HOURS.search, all_stated))

    def read(stated: str) -> Measured:
        found = [one for fact in facts(stated) if (one := _day_of(fact))]
        times = _time_of_day(stated, by_24_hours=by_24_hours)
        if what in (BIRTH, DEATH):
            found, times = found[:1] if what == BIRTH else found[-1:], None
        if not found:
            return {TIMES: times} if times else {}
        units = {unit for unit, _ in found}
        days = Range.around([one for _, one in found])
        whole = Range(Decimal(0), Decimal(DAY - 1))
        within = times if times and days.least == days.most else whole
        minutes = Range(days.least * DAY + within.least, days.most * DAY + within.most)
        return {units.pop(): minutes} if len(units) == 1 else {}

    return read


def _time_of_day(stated: str, *, by_24_hours: bool) -> Range | None:
    """Return the first time of a statement, in minutes from midnight."""
    for fact in facts(stated):
        found = [one.hour * 60 + one.minute for one in fact.meanings if isinstance(one, ClockTime)]
        if found:
            last = min(found) if by_24_hours else max(found)
            return Range(Decimal(min(found)), Decimal(last))
    return None


def _span(stated: str) -> Measured:
    """Return the days from a first to a last day."""
    found = [one for fact in facts(stated) if (one := _day_of(fact))]
    if len(found) != 2 or any(unit != DAYS for unit, _ in found):
        return {}
    (_, first), (_, last) = found
    return {DAYS: Range(last.least - first.most, last.most - first.least)}


def _ages(stated: str) -> Measured:
    found = _amounts(stated)
    years = found.get(YEARS) or found.get("")
    return {YEARS: years} if years and 0 <= years.least <= years.most <= MOST_YEARS else {}


def _amounts(stated: str) -> Measured:
    """Return the amounts of a statement; what is in brackets is a remark, unless all is."""
    found = list(_amounts_in(_BRACKETS.sub("", stated)) or _amounts_in(stated))
    units = {unit for one in found for unit in one if unit}
    shared = [unit for unit in units if all(unit in one or "" in one for one in found)]
    if not found or (units and not shared):
        return {}
    ranges = {
        unit: Range.around([one.get(unit) or one[""] for one in found]) for unit in shared or [""]
    }
    return ranges if shared or _LETTER.search(stated) else {**ranges, ANY: ranges[""]}


def _prices(stated: str) -> Measured:
    """Return amounts of money, or a number without a noun: 412 molecules are no price."""
    found = _amounts(stated)
    money = {unit: one for unit, one in found.items() if unit in _MONEY}
    if money or "" not in found:
        return money
    is_bare = not _LETTER.search(_OF_ONE.sub("", stated))
    return {"": found[""], ANY: found[""]} if is_bare else {}


def _amounts_in(text: str) -> list[Measured]:
    """Return each amount by unit; what may be a year is none where there are others."""
    found = [(_day_of(fact), dict(_units_of(fact))) for fact in facts(text)]
    amounts = [(day, units) for day, units in found if units]
    return [units for day, units in amounts if day is None] or [units for _, units in amounts]


def _units_of(fact: Fact) -> Iterator[tuple[str, Range]]:
    for one in fact.meanings:
        if isinstance(one, Amount) and fact.claimed:
            yield one.unit, Range(one.value, one.value)


def _day_of(fact: Fact) -> tuple[str, Range] | None:
    """Return the days that a date may mean, counted from the first of the calendar."""
    days = [one for one in fact.meanings if isinstance(one, Day) and (one.year or one.month)]
    if not days or not fact.claimed:
        return None
    unit = DAYS if all(one.year for one in days) else DAYS_WITHOUT_A_YEAR
    ranges = [range_ for one in days if (range_ := _days_of(one))]
    return (unit, Range.around(ranges)) if ranges else None


def _days_of(day: Day) -> Range | None:
    year = day.year or _LEAP_YEAR
    first, last = day.month or 1, day.month or 12
    try:
        end = day.day or calendar.monthrange(year, last)[1]
        ends = date(year, first, day.day or 1), date(year, last, end)
    except ValueError:  # 30 February, or the year 0
        return None
    return Range(*(Decimal(one.toordinal()) for one in ends))
