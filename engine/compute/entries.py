"""When and where something is that the calendars have by the question's words.

"kits dentist, what date" is answered by the entry "Dentist Kit", in whatever order a title has the
words. The comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise

from engine.compute.availability import said_of_calendars
from engine.compute.fields import day_of, is_all_day, is_cancelled, last_day_of, place_of, title_of
from engine.compute.item_filter import each_once, oldest_first
from engine.compute.moments import DAY, coming_day
from engine.compute.occasions import BY_NAME
from engine.confidence.reasons import UNREAD
from engine.generation.draft import Draft
from engine.language.date_words import MONTH
from engine.language.dates import NAMES, find_spans
from engine.language.days import Closed
from engine.language.stemming import stem_of
from engine.language.tokens import FUNCTION_WORDS, words
from ingest.item import Item, Kind

_OF = (
    r"(?:(?P<where>where|(?:in )?(?:which|what) (?:room|place))"
    r"|(?P<time>(?:at )?what time)|when|(?:on )?(?:what|which) (?:day|date))"
)
# "when am I seeing the optician now", "where does the committee meet", "what time's choir"
_FIRST = re.compile(
    rf"^(?:and |so |but )?{_OF}(?: (?:is|are|am|do|does|will|have|has)\b|'s|'re)?"
    r" (?P<what>.+)$",
    re.IGNORECASE,
)
# "kits dentist, what date", "the car service is when"
_LAST = re.compile(rf"^(?P<what>.+?)(?:,| is| -|:)? {_OF}(?: is (?:it|that))?$", re.IGNORECASE)
# "who am I having lunch with on the 15th"
_WHO = re.compile(
    r"^(?:and |so |but )?who(?:m)?(?: (?:am|are|do|will|have) (?:i|we)|'m i|'re we)"
    r" (?P<what>.+? with\b.*)$",
    re.IGNORECASE,
)
# "the January board meeting"
_OF_MONTH = re.compile(rf"^(?:the |our |my )(?P<month>{MONTH})(?= [^\W\d_])", re.IGNORECASE)
# "next physio", "my next dentist appointment"
_NEXT = re.compile(r"^(?:my |our |the )?next (?P<what>.+)$", re.IGNORECASE)
# "when did we meet", "where was it", "my last visit", "what time does it end", "or", "A, and where"
_OTHER = re.compile(
    r"\b(?:did|was|were|had|went|last|previous|ago|or|and (?:who|when|what|where|which|how|why))\b"
    r"|\b(?:end|ends|ending|finish\w*|over|deadline|due|expire\w*|until|till|by when)\b"
    r"|\b(?:not|cannot|never)\b|n't\b",
    re.IGNORECASE,
)
"""Asks for what has been, for an end, or for more than an entry shows."""
_ANY_WORDS = """
    again appointment appt back been begin begins booked change changed come coming does fall
    falls get getting go goes going happen happening happens have having held here is it its local
    meet meeting meets moved new next now off on out place planned postponed pushed put
    rescheduled scheduled see seeing start starting starts take takes taking there thing time up
    upcoming visit visiting will
"""
_ANY = frozenset(_ANY_WORDS.split())
"""Words that name no entry."""


@dataclass(frozen=True, slots=True)
class EntryAsked:
    """Something that is in a calendar, and when it may be."""

    told: tuple[str, ...]
    """The words that name it, in the order of the question, with those between them."""
    days: Closed | None
    """The days that the question names; None asks for the next time."""
    is_place: bool
    is_time: bool
    """A time of day is asked for, which an entry of a whole day does not have."""


def entry_asked(question: str, today: date) -> EntryAsked | None:
    """Return the entry whose time or place a question asks for; None for another question."""
    plain = " ".join(question.replace("\u2019", "'").split()).rstrip("?.! ")
    found = next((m for one in (_NEXT, _FIRST, _WHO, _LAST) if (m := one.match(plain))), None)
    if found is None or _OTHER.search(plain):
        return None
    what = found["what"]
    month = _OF_MONTH.match(what)
    if month and (month["month"][0].isupper() or month["month"] not in NAMES):
        what = f"{what[month.end() :]} in {month['month']}"
    spans = find_spans(what, today, "future")
    days = None
    if DAY.search(what):
        by_number = coming_day(what, today)
        if spans or by_number is None:
            return None
        days, what = by_number
    elif spans:
        (first, last), rest = (spans[0].span.first, spans[0].span.last), spans[1:]
        if rest or first is None or last is None or last < today:
            return None
        days = Closed(first, last)
        what = f"{what[: spans[0].start]} {what[spans[0].end :]}"
    told, by_name = tuple(words(what)), found.groupdict()
    if not _names(told):
        return None
    if found.re is _WHO and days is None:
        return None
    return EntryAsked(told, days, bool(by_name.get("where")), bool(by_name.get("time")))


def entry(
    asked: EntryAsked, items: Iterable[Item], now: datetime, *, is_complete: bool = True
) -> Draft | None:
    """Return the coming entry that bears the words, or those on the days that are asked for.

    None where no entry does, where differently named ones do, where it lacks the place or the time
    of day that is asked for, or where places differ. It is always unsure, as something else may
    have the name.
    """
    events = [one for one in items if one.kind is Kind.EVENT and one.when is not None]
    bearing = [one for one in each_once(events) if _bears(title_of(one), asked.told)]
    coming = sorted(
        (one for one in bearing if not is_cancelled(one) and _may_be_meant(one, asked, now)),
        key=oldest_first,
    )
    if not coming or not all(_is_same(one, coming[0]) for one in coming):
        return None
    shown = coming if asked.days else coming[:1]
    said = "The calendars have"
    if asked.is_place:
        said, *others = {*map(place_of, shown)}
        if not said or others:
            return None
    if asked.is_time and any(map(is_all_day, shown)):
        return None
    reasons = (BY_NAME,) if is_complete else (BY_NAME, UNREAD)
    return said_of_calendars(f"{said}:", shown, reasons)


def _may_be_meant(item: Item, asked: EntryAsked, now: datetime) -> bool:
    """Say whether an entry lies in the days, or ahead; one of more words is no thing's place."""
    if asked.is_place and asked.days is None and not _is_all(title_of(item), asked.told):
        return False  # "where is the key", of the entry "Cut a spare key"
    first, last = day_of(item), last_day_of(item)
    if first is None or last is None:
        return False
    if asked.days is not None:
        return first <= asked.days.last and last >= asked.days.first
    return last >= now.date() and (item.until is None or item.until >= now)


def _is_same(one: Item, other: Item) -> bool:
    """Say whether two entries have one title, or are occurrences of one event."""
    places = [(item.locator.path, item.locator.uid) for item in (one, other)]
    titles = [tuple(words(title_of(item))) for item in (one, other)]
    return places[0] == places[1] or titles[0] == titles[1]


def _bears(title: str, told: Sequence[str]) -> bool:
    """Say whether a title has all words that name an entry, written as one word or as two."""
    own = list(words(title))
    stems = {*map(stem_of, own), *_joined(own)}
    both = {part for pair in pairwise(told) if stem_of("".join(pair)) in stems for part in pair}
    return all(stem_of(one) in stems or one in both for one in _names(told))


def _is_all(title: str, told: Sequence[str]) -> bool:
    """Say whether a title has no further words than those that name an entry."""
    return len(_names(words(title))) <= len(_names(told))


def _names(told: Iterable[str]) -> list[str]:
    """Return the words that a title must have."""
    return [one for one in told if one not in FUNCTION_WORDS | _ANY and len(one) > 1]


def _joined(told: Sequence[str]) -> Iterator[str]:
    """Yield stems of neighbours written as one word: "cut-off" is also "cutoff"."""
    return (stem_of("".join(pair)) for pair in pairwise(told))
