"""The rule of a repeating event: how often it comes true, whether it is fit to expand, in words.

A rule is what `icalendar.vRecur` makes of one: lists of values by their upper-case names.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

Rule = Mapping[str, Any]

_STEPS = 500_000
"""Dates that are tried between the beginning of a rule and the end of the time asked for."""
_PERIODS = {
    "HOURLY": ("hourly", "hours"),
    "DAILY": ("daily", "days"),
    "WEEKLY": ("weekly", "weeks"),
    "MONTHLY": ("monthly", "months"),
    "YEARLY": ("yearly", "years"),
}
_PER_YEAR = {"HOURLY": 8784, "DAILY": 366, "WEEKLY": 53, "MONTHLY": 12, "YEARLY": 1}
YEAR = timedelta(days=366)
_LIMITS = ("BYDAY", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS")
_DAYS = {
    "MO": "Monday",
    "TU": "Tuesday",
    "WE": "Wednesday",
    "TH": "Thursday",
    "FR": "Friday",
    "SA": "Saturday",
    "SU": "Sunday",
}
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_LONGEST = {2: 29, **dict.fromkeys((4, 6, 9, 11), 30)}
_LONGEST |= {month: 31 for month in range(1, 13) if month not in _LONGEST}
_ORDINALS = {
    1: "first",
    2: "second",
    3: "third",
    4: "fourth",
    5: "fifth",
    -1: "last",
    -2: "second last",
}


class UnfitRuleError(Exception):
    """A rule that is not worth expanding, and why. It does not leave `ingest`."""


def refuse(rule: Rule, first: datetime, ends: datetime) -> None:
    """Raise UnfitRuleError for a rule whose expansion from `first` to `ends` would take seconds."""
    frequency = _first(rule, "FREQ")
    if frequency not in _PERIODS:
        raise UnfitRuleError(f"they are {str(frequency).lower()}")
    if str(_first(rule, "RSCALE") or "GREGORIAN").upper() != "GREGORIAN":
        raise UnfitRuleError("they follow another calendar than ours")
    if rule.get("BYMINUTE") or rule.get("BYSECOND"):
        raise UnfitRuleError("they are many an hour")
    if int(_first(rule, "INTERVAL") or 1) < 1:
        raise UnfitRuleError("they are without an interval")
    if rule.get("BYMONTH") and rule.get("BYMONTHDAY"):
        days = [abs(int(day)) for day in _all(rule, "BYMONTHDAY")]
        longest = max(_LONGEST.get(int(month), 0) for month in _all(rule, "BYMONTH"))
        if min(days) > longest:
            raise UnfitRuleError("no month has such a day")
    hours = len(_all(rule, "BYHOUR")) if rule.get("BYHOUR") else 1
    if frequency == "HOURLY":
        hours = 24 // min(24, int(_first(rule, "INTERVAL") or 1))
        if any(rule.get(key) for key in ("BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "COUNT")):
            raise UnfitRuleError("they go on hourly for long")
    tries_days = hours > 1 or rule.get("BYSETPOS") or frequency == "DAILY"
    if (ends - first) / YEAR * (366 * hours if tries_days else 53) > _STEPS:
        raise UnfitRuleError("they began too long ago")


def end_of(rule: Rule) -> datetime | None:
    """Return when a rule ends, a day late for time zones."""
    until = _first(rule, "UNTIL")
    if not isinstance(until, date) or until.year == date.max.year:
        return None
    return datetime(until.year, until.month, until.day, tzinfo=UTC) + timedelta(days=2)


def count_of(rule: Rule) -> int | None:
    """Return how many times a rule comes true, where it says so."""
    count = _first(rule, "COUNT")
    return None if count is None else int(count)


def times_a_year(rule: Rule) -> float:
    """Return how often a rule comes true in a year, at most."""
    frequency = str(_first(rule, "FREQ"))
    months = len(_all(rule, "BYMONTH")) if rule.get("BYMONTH") else 0
    counts = {key: len(_all(rule, key)) for key in _LIMITS if rule.get(key)}
    if "BYDAY" in counts and not all(str(day)[:-2] for day in _all(rule, "BYDAY")):
        # Plain weekdays, without "first" or "last".
        weeks = {"DAILY": 1, "WEEKLY": 1, "MONTHLY": 5}.get(frequency, 5 * months or 53)
        counts["BYDAY"] *= weeks
    elif "BYDAY" in counts and frequency == "YEARLY":
        counts["BYDAY"] *= months or 1
    if "BYMONTHDAY" in counts and frequency == "YEARLY":
        counts["BYMONTHDAY"] *= months or 12
    if "BYWEEKNO" in counts:
        counts["BYWEEKNO"] *= 7
    if frequency == "YEARLY" and not counts:
        counts["BYMONTH"] = months or 1
    each = 1 if frequency in ("DAILY", "HOURLY") else min(counts.values(), default=1)
    hours = len(_all(rule, "BYHOUR")) if rule.get("BYHOUR") and frequency != "HOURLY" else 1
    periods = _PER_YEAR[frequency] / max(1, int(_first(rule, "INTERVAL") or 1))
    return each * hours * periods


def in_words(rule: Rule) -> str:
    """Return a rule as a short phrase."""
    period, plural = _PERIODS.get(str(_first(rule, "FREQ")), ("", ""))
    interval = _first(rule, "INTERVAL")
    words = [f"every {interval} {plural}" if interval and int(interval) > 1 else period]
    if rule.get("BYDAY"):
        words.append("on " + _joined([_day_in_words(str(day)) for day in _all(rule, "BYDAY")]))
    if rule.get("BYMONTHDAY"):
        days = [str(day) if int(day) > 0 else "last" for day in _all(rule, "BYMONTHDAY")]
        words.append("on day " + _joined(days))
    if rule.get("BYMONTH"):
        months = [int(month) for month in _all(rule, "BYMONTH")]
        words.append("in " + _joined([_MONTHS[m - 1] for m in months if 1 <= m <= 12] or ["?"]))
    if rule.get("COUNT"):
        words.append(f"{_first(rule, 'COUNT')} times")
    until = _first(rule, "UNTIL")
    if isinstance(until, date):
        words.append(f"until {until:%Y-%m-%d}")
    return " ".join(words).strip()


def _day_in_words(day: str) -> str:
    name = _DAYS.get(day[-2:].upper(), day)
    number = day[:-2].lstrip("+")
    if not number.lstrip("-").isdigit():
        return name
    return f"the {_ORDINALS.get(int(number), f'{number}.')} {name}"


def _joined(words: list[str]) -> str:
    return "".join(words) if len(words) < 2 else ", ".join(words[:-1]) + " and " + words[-1]


def _all(rule: Rule, key: str) -> list[Any]:
    value = rule.get(key)
    return value if isinstance(value, list) else [value]


def _first(rule: Rule, key: str) -> Any:
    return next(iter(_all(rule, key)), None)
