"""Names of days in English: one row for each way to say them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Literal, cast

from engine.language import days
from engine.language.days import Closed, Direction, Unit
from engine.language.numbers import ENGLISH, ORDINALS

_MONTHS = "january february march april may june july august september october november december"
MONTH_NAMES = _MONTHS.split()
WEEKDAY_NAMES = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
QUARTERS = [word for word, n in ORDINALS.items() if n <= 4]

# "September", "sept."
MONTH = "(" + "|".join([*MONTH_NAMES, "sept", *(name[:3] for name in MONTH_NAMES)]) + r")\.?"
WEEKDAY_WORDS = "|".join(
    [*WEEKDAY_NAMES, "tues", "thurs", "thur", *(name[:3] for name in WEEKDAY_NAMES)]
)
WEEKDAY = rf"({WEEKDAY_WORDS})\.?"  # "Tues."
HOURS = "(?: (?:morning|afternoon|evening|night))?"  # " morning"
YEAR = r"((?:19|20)\d\d)"  # "2001"
DAY = r"(?:the )?(\d{1,2})(?:st|nd|rd|th)?"  # "the 4th", "12"
NUMBER = r"(\d{1,4}|a couple of|an?|" + "|".join(ENGLISH) + ")"  # "3", "a couple of", "two"
UNIT = "(day|week|month|quarter|year)"
NAMED_DAY = rf"(?:(?:{WEEKDAY_WORDS})\.?,? )?"  # "Fri., "


@dataclass(frozen=True, slots=True)
class Clock:
    """What a name of days is relative to."""

    today: date
    direction: Direction


Reader = Callable[[tuple[str, ...], Clock], Closed]
"""From the groups of a match to its days. Raises `ValueError` or `OverflowError` for no days."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """One way to name days."""

    pattern: str
    """Regular expression without named groups; a blank matches any white space."""
    read: Reader
    in_text: Literal["always", "after_preposition", "future", "never"] = "always"
    """When it counts in running text, where "May" may be a verb and 2001 a number."""


def _iso_day(groups: tuple[str, ...]) -> Closed:
    return days.one_day(date(int(groups[0]), int(groups[1]), int(groups[2])))


def _day_of_month(year: str, month: str, day: str, clock: Clock) -> Closed:
    """Read a day; without a year it is the one that the clock's direction says."""
    number = month_number(month)
    if year:
        return days.one_day(date(int(year), number, int(day)))
    years = range(max(1, clock.today.year - 8), min(9999, clock.today.year + 8) + 1)
    there = [date(y, number, int(day)) for y in years if int(day) <= _length(y, number)]
    return days.chosen(map(days.one_day, there), clock.today, clock.direction)


def _length(year: int, month: int) -> int:
    return days.month(date(year, month, 1)).last.day


def month_number(name: str) -> int:
    """Return 1 to 12, by a month's name or the first three letters of it."""
    return [month[:3] for month in MONTH_NAMES].index(name[:3]) + 1


def _weekday_number(name: str) -> int:
    return [weekday[:3] for weekday in WEEKDAY_NAMES].index(name[:3])


def _numeric(first: str, second: str, year: str) -> Closed:
    """Read 20/04/2001 day first, unless only the month can come first (04/20/2001)."""
    day, month = int(first), int(second)
    if month > 12 >= day:
        day, month = month, day
    return days.one_day(date(int(year), month, day))


def _month(name: str, year: str, clock: Clock) -> Closed:
    number = month_number(name)
    if year:
        return days.month(date(int(year), number, 1))
    return days.chosen(_each_year(clock, number, days.month), clock.today, clock.direction)


def _quarter(number: int, year: str, clock: Clock) -> Closed:
    if year:
        return days.quarter(date(int(year), 3 * number, 1))
    return days.chosen(_each_year(clock, 3 * number, days.quarter), clock.today, clock.direction)


def _half(which: str, year: str, told: str, clock: Clock) -> Closed:
    number = int(year) if year else _relative(told, "year", clock).first.year
    begins = 1 if which in ("first", "1") else 7
    return Closed(date(number, begins, 1), days.month(date(number, begins + 5, 1)).last)


def _each_year(clock: Clock, month: int, around: Callable[[date], Closed]) -> list[Closed]:
    this = clock.today.year
    return [around(date(y, month, 1)) for y in (this - 1, this, this + 1) if 1 <= y <= 9999]


def _relative_month(which: str, name: str, clock: Clock) -> Closed:
    """Read "last March": the latest before this month; "next March": the first after it."""
    now = days.month(clock.today)
    spans = _each_year(clock, month_number(name), days.month)
    if which == "next":
        return days.chosen([s for s in spans if s.first > now.last], clock.today, "future")
    if which == "last":
        return days.chosen([s for s in spans if s.last < now.first], clock.today, "past")
    return days.month(date(clock.today.year, month_number(name), 1))


def _weekday(name: str, clock: Clock) -> Closed:
    """Read "Tuesday": in the clock's direction, today when it is Tuesday."""
    ahead = (_weekday_number(name) - clock.today.weekday()) % 7
    next_one = days.shifted(clock.today, "day", ahead)
    around = [next_one] if ahead == 0 else [days.shifted(next_one, "day", -7), next_one]
    return days.chosen(map(days.one_day, around), clock.today, clock.direction)


def _relative_weekday(which: str, name: str, clock: Clock) -> Closed:
    """Read "last Tuesday": the latest before today; "next Tuesday": the one of next week."""
    number = _weekday_number(name)
    if which == "last":
        back = (clock.today.weekday() - number) % 7 or 7
        return days.one_day(days.shifted(clock.today, "day", -back))
    this = _weekday_of_week("next" if which == "next" else "this", name, clock)
    if which == "this" and clock.direction == "future" and this.last < clock.today:
        return days.one_day(days.shifted(this.first, "day", 7))
    return this


def _year_said(which: str, clock: Clock) -> str:
    return str(clock.today.year + STEPS[which.casefold()])


SATURDAY, SUNDAY = 5, 6
STEPS = {"last": -1, "previous": -1, "past": -1, "this": 0, "next": 1, "coming": 1}


def _coming(name: str, today: date) -> Closed:
    """Read "the coming Friday": the next one after today."""
    ahead = (_weekday_number(name) - today.weekday()) % 7 or 7
    return days.one_day(days.shifted(today, "day", ahead))


def _coming_weekend(today: date) -> Closed:
    """Read "the coming weekend": of this week, and on Saturday and Sunday of the next one."""
    return days.weekend(days.shifted(today, "day", 7) if today.weekday() >= SATURDAY else today)


def _weekday_of_week(which: str, name: str, clock: Clock) -> Closed:
    day = days.shifted(clock.today, "day", 7 * STEPS[which])
    return days.one_day(days.shifted(days.week(day).first, "day", _weekday_number(name)))


def _relative(which: str, unit: str, clock: Clock) -> Closed:
    """Read "last week": the calendar week before this one.

    Asked on a Sunday what is to come, "this week" begins with it.
    """
    named = cast(Unit, unit)
    is_to_come = (which, unit, clock.direction) == ("this", "week", "future")
    if is_to_come and clock.today.weekday() == SUNDAY:
        return Closed(clock.today, days.shifted(clock.today, "day", 6))
    day = days.week(clock.today).first if unit in ("week", "weekend") else clock.today
    return days.AROUND[named](days.shifted(day, named, STEPS[which]))


def _weekend(clock: Clock) -> Closed:
    around = [days.weekend(days.shifted(clock.today, "week", n)) for n in (-1, 0, 1)]
    return days.chosen(around, clock.today, clock.direction)


def _rolling(which: str, number: str, unit: str, clock: Clock) -> Closed:
    """Read "the past two weeks": up to today, from the same weekday two weeks ago."""
    other = days.shifted(clock.today, cast(Unit, unit), STEPS[which] * _number(number))
    return Closed(min(other, clock.today), max(other, clock.today))


def _away(number: str, unit: str, sign: int, clock: Clock) -> Closed:
    """Read "3 days ago": that day; "two weeks ago": the calendar week that holds it."""
    named = cast(Unit, unit)
    return days.AROUND[named](days.shifted(clock.today, named, sign * _number(number)))


def _number(word: str) -> int:
    if word.isdecimal():
        return int(word)
    if word.startswith("a"):
        return 2 if "couple" in word else 1
    return ENGLISH[word]


NEAR_TODAY = {
    "the day before yesterday": -2,
    "yesterday": -1,
    "last night": -1,
    "today": 0,
    "tonight": 0,
    "tomorrow": 1,
    "the day after tomorrow": 2,
}


def _near_today(word: str, clock: Clock) -> Closed:
    steps = NEAR_TODAY.get(word, NEAR_TODAY.get(f"the {word}", 0))
    return days.one_day(days.shifted(clock.today, "day", steps))


def _week_with(read: Reader) -> Reader:
    return lambda groups, clock: days.week(read(groups, clock).first)


DAYS = (
    # "2001-04-20", "2001/4/20", "20/04/2001"
    Phrase(r"(\d{4})-(\d{1,2})-(\d{1,2})", lambda g, _: _iso_day(g)),
    Phrase(r"(\d{4})/(\d{1,2})/(\d{1,2})", lambda g, _: _iso_day(g)),
    Phrase(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})", lambda g, _: _numeric(g[0], g[1], g[2])),
    Phrase(  # "Friday, the 20th of April 2001"
        rf"{NAMED_DAY}{DAY}(?: of)? {MONTH}(?:,? {YEAR})?",
        lambda g, clock: _day_of_month(g[2], g[1], g[0], clock),
    ),
    Phrase(  # "Fri. April 20, 2001"
        rf"{NAMED_DAY}{MONTH} {DAY}(?:,? {YEAR})?",
        lambda g, clock: _day_of_month(g[2], g[0], g[1], clock),
    ),
)
"""Single days of the calendar."""

PHRASES = (
    Phrase(  # "20 March of last year"
        rf"{NAMED_DAY}{DAY}(?: of)? {MONTH}(?:,| of)? (last|this|next) year",
        lambda g, clock: _day_of_month(_year_said(g[2], clock), g[1], g[0], clock),
    ),
    Phrase(  # "March this year"
        rf"{MONTH}(?:,| of)? (last|this|next) year",
        lambda g, clock: _month(g[0], _year_said(g[1], clock), clock),
    ),
    Phrase(  # "last year's March"
        rf"(last|this|next) year['\u2019]s {MONTH}",
        lambda g, clock: _month(g[1], _year_said(g[0], clock), clock),
    ),
    *DAYS,
    *(
        # "the week of 20 April"
        Phrase(f"(?:the )?week (?:of|beginning|starting) {day.pattern}", _week_with(day.read))
        for day in DAYS
    ),
    Phrase(  # "Tuesday of last week"
        rf"{WEEKDAY}(?: of|,)? (last|this|next) week",
        lambda g, clock: _weekday_of_week(g[1], g[0], clock),
    ),
    Phrase(rf"{MONTH}(?:,| of)? {YEAR}", lambda g, clock: _month(g[0], g[1], clock)),
    Phrase(  # "mid-April 2001"
        rf"(?:early|mid|late)(?: |-){MONTH}(?: {YEAR})?", lambda g, clock: _month(g[0], g[1], clock)
    ),
    Phrase(rf"(last|this|next) {MONTH}", lambda g, clock: _relative_month(g[0], g[1], clock)),
    Phrase(
        r"(\d{4})-(\d\d)",
        lambda g, _: days.month(date(int(g[0]), int(g[1]), 1)),
        "after_preposition",
    ),
    Phrase(rf"q([1-4])(?: |/|-)?{YEAR}", lambda g, clock: _quarter(int(g[0]), g[1], clock)),
    Phrase(rf"{YEAR}(?: |/|-)?q([1-4])", lambda g, clock: _quarter(int(g[1]), g[0], clock)),
    Phrase(  # "the second quarter of 2001"
        rf"(?:the )?({'|'.join(QUARTERS)}) quarter(?: of| in)? {YEAR}",
        lambda g, clock: _quarter(ORDINALS[g[0]], g[1], clock),
    ),
    Phrase(  # "the first half of 2001", "the second half of this year"
        rf"(?:the )?(first|second) half(?: of| in)? (?:{YEAR}|(last|this|next) year)",
        lambda g, clock: _half(g[0], g[1], g[2], clock),
    ),
    Phrase(rf"h([12])(?: |/|-)?{YEAR}", lambda g, clock: _half(g[0], g[1], "", clock)),
    # "Q2"
    Phrase("q([1-4])", lambda g, clock: _quarter(int(g[0]), "", clock), "after_preposition"),
    Phrase(  # "the past fortnight"
        "(?:the )?(last|past|next|coming) fortnight", lambda g, c: _rolling(g[0], "2", "week", c)
    ),
    Phrase("a fortnight ago", lambda _, clock: _away("2", "week", -1, clock)),
    Phrase(  # "the past two weeks"
        rf"(?:the )?(last|past|next|coming) {NUMBER} {UNIT}s?",
        lambda g, c: _rolling(g[0], g[1], g[2], c),
    ),
    Phrase(  # "the last week": seven days up to today
        rf"(?:the (?:last|past)|past) {UNIT}(?! of)", lambda g, c: _rolling("last", "1", g[0], c)
    ),
    Phrase("(?:(?:this|the) )?coming weekend", lambda _, clock: _coming_weekend(clock.today)),
    Phrase(rf"(?:(?:this|the) )?coming {WEEKDAY}{HOURS}", lambda g, c: _coming(g[0], c.today)),
    Phrase(  # "last week": the calendar week before this one
        r"(last|previous|this|next|coming) (week|weekend|month|quarter|year)(?! of)",
        lambda g, clock: _relative(g[0], g[1], clock),
    ),
    Phrase("the weekend", lambda _, clock: _weekend(clock), "after_preposition"),
    Phrase(rf"{NUMBER} {UNIT}s? ago", lambda g, clock: _away(g[0], g[1], -1, clock)),
    Phrase(rf"{NUMBER} {UNIT}s? from now", lambda g, clock: _away(g[0], g[1], 1, clock)),
    Phrase(rf"in {NUMBER} {UNIT}s?", lambda g, clock: _away(g[0], g[1], 1, clock), "future"),
    Phrase(  # "the day before yesterday", "tomorrow morning"
        rf"((?:the )?day (?:before yesterday|after tomorrow)|last night|tonight|"
        rf"today|yesterday|tomorrow){HOURS}",
        lambda g, clock: _near_today(g[0], clock),
    ),
    Phrase("this (?:morning|afternoon|evening)", lambda _, clock: days.one_day(clock.today)),
    Phrase(rf"(last|this|next) {WEEKDAY}{HOURS}", lambda g, c: _relative_weekday(g[0], g[1], c)),
    Phrase(rf"{WEEKDAY}{HOURS}", lambda g, clock: _weekday(g[0], clock)),
    Phrase(MONTH, lambda g, clock: _month(g[0], "", clock), "after_preposition"),
    Phrase(  # "the year 2001"
        rf"(?:the year )?{YEAR}", lambda g, _: days.year(date(int(g[0]), 1, 1)), "after_preposition"
    ),
)
"""In order of trial: what says more comes first."""


def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern in which a blank matches any white space."""
    return re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE)


PATTERNS = tuple((compiled(phrase.pattern), phrase) for phrase in PHRASES)


def named(words: str, clock: Clock) -> tuple[Closed, Phrase] | None:
    """Return the days that the words name, and how; None when they name none."""
    words = " ".join(words.split())
    for pattern, phrase in PATTERNS:
        match = pattern.fullmatch(words)
        if match is None:
            continue
        groups = tuple((group or "").casefold() for group in match.groups())
        try:
            return phrase.read(groups, clock), phrase
        except (ValueError, OverflowError):  # 31 June, a year beyond the calendar
            continue
    return None
