"""What the calendars have in some hours of a day, and what comes first or last on it.

"Anything on the evening of the 8th", "what's the first thing at work on Monday". A question of
whole days is a plan's (`engine.compute.diary`). The comment above a pattern quotes phrases that it
matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from engine.compute.availability import ALL_DAY, said_of_calendars
from engine.compute.diary import CALENDAR, asks_for_any
from engine.compute.fields import is_all_day, is_cancelled, values_of
from engine.compute.item_filter import each_once, oldest_first
from engine.compute.moments import PART, TimeNamed, around, time_named
from engine.confidence.reasons import UNREAD
from engine.generation.draft import Draft
from engine.language.days import Direction
from engine.language.stemming import stem_of
from engine.language.tokens import words
from engine.question.question_grammar import PAST_TENSE
from engine.values import Argument
from ingest.item import Item, Kind

# "the first thing at work", "my last appointment", "what's first"
_END = re.compile(
    r"\b(?:the |my |our )?(?P<which>first|last)\b"
    r"(?: (?:thing|item|entry|event|appointment|commitment|engagement)\b)?"
    r"(?: (?:i|we)(?: have|'ve)(?: got)?\b)?(?: (?:at|for|from) (?P<where>work|home|school)\b)?",
    re.IGNORECASE,
)
# "last week", "the last Friday", "first of December", "Friday the first", "what's on on the first"
_OF_DAYS = re.compile(
    r"\b(?:first|last) (?:week|month|year|night|weekend|of\b|\w+day\b)"
    r"|(?:day,?|\bon) the first\b(?! (?:thing|item|entry|event|appointment|commitment|engag))",
    re.IGNORECASE,
)
# "what", "is there", "do I have", "anything"; not "what's for lunch"
_BEGINS = re.compile(
    r"^(?:and |so )?(?:what|when|anything|something|any|is|are|was|were|do|did|have|had|show)\b"
    r"(?!.*\bfor lunch\b)",
    re.IGNORECASE,
)
# "is there", "do I have", "anything"
_WHETHER = re.compile(
    r"^(?:and |so )?(?:anything|any|is|are|was|were|do|did|have|had)\b", re.IGNORECASE
)
# "on the", left of "what did I do on the morning of Friday"
_LAST_WORDS = re.compile(r"(?: (?:on|in|at|the|this))+$")
_LITTLE = frozenset(("early", "late", "still", "of", "all"))
_OF_TIME = frozenset(("when", "when's", "time", "time's"))
OF_CALENDAR = Argument("the calendar was chosen by its name", False)


@dataclass(frozen=True, slots=True)
class DayAsked:
    """Which entries a question asks for."""

    time: TimeNamed
    which: Literal["first", "last"] | None
    """None: all of them."""
    calendar: str | None
    """What the calendar is called: "work"."""
    is_whether: bool
    """Whether it asks if there is anything."""


def day_asked(question: str, today: date) -> DayAsked | None:
    """Return what a question asks of some hours, or of the ends of a day; None for another one."""
    plain = " ".join(question.replace("\u2019", "'").split()).rstrip("?.! ")
    if not _BEGINS.match(plain):
        return None
    end = None if _OF_DAYS.search(plain) else _END.search(plain)
    text = plain if end is None else f"{plain[: end.start()]} {plain[end.end() :]}"
    direction: Direction = "past" if PAST_TENSE.search(plain) else "future"
    named, rest = time_named(text, today, direction)
    if named is None or (end is None and named.hours is None):
        return None
    rest = CALENDAR.sub(" ", PART.sub(" ", rest).casefold())
    little = _LITTLE | (_OF_TIME if end is not None else frozenset())
    told = " ".join(one for one in rest.split() if one.strip("(),.:;-") not in little)
    if not asks_for_any(_LAST_WORDS.sub("", told)):
        return None
    return DayAsked(
        named,
        None if end is None else ("first" if end["which"].casefold() == "first" else "last"),
        None if end is None else end["where"],
        bool(_WHETHER.match(plain)),
    )


def day_plan(asked: DayAsked, items: Iterable[Item], *, is_complete: bool = True) -> Draft | None:
    """Return the entries that are asked for, or that there are none; None without a calendar.

    What has no hour is told behind what has one, and is neither first nor last. It is unsure where
    not all calendars were read, and where one was chosen by its name.
    """
    events = [one for one in items if one.kind is Kind.EVENT and one.when is not None]
    held = sorted((one for one in each_once(events) if not is_cancelled(one)), key=oldest_first)
    reasons = () if is_complete else (UNREAD,)
    if asked.calendar is not None:
        held = [one for one in held if _is_of(one, asked.calendar)]
        reasons = (OF_CALENDAR, *reasons)
    if not held:
        return None
    when, there = asked.time.shown(), [one for one in held if asked.time.meets(one)]
    timed = [one for one in there if not is_all_day(one)]
    if asked.which is not None:
        ends = _ends(timed, first=asked.which == "first")
        return (
            said_of_calendars(f"{asked.which.title()} on {when}:", ends, reasons) if ends else None
        )
    if timed:
        all_day = [one for one in there if is_all_day(one)]
        said = f"{'Yes, on' if asked.is_whether else 'On'} {when}:"
        return said_of_calendars(said, [*timed, *all_day], reasons)
    no = "No: nothing" if asked.is_whether else "Nothing"
    if there:
        said = f"{no} at a set time on {when}, all day:"
        return said_of_calendars(said, there, (ALL_DAY, *reasons))
    said = f"{no} in the calendars on {when}. Before and after:"
    return said_of_calendars(said, around(asked.time, held), reasons)


def _ends(timed: Sequence[Item], *, first: bool) -> list[Item]:
    """Return the entries that begin first, or last."""
    moments = [one.when or datetime.min for one in timed]
    if not moments:
        return []
    end = min(moments) if first else max(moments)
    return [one for one in timed if one.when == end]


def _is_of(item: Item, calendar: str) -> bool:
    """Say whether an entry's calendar, or its file, has this word in its name."""
    names = [item.locator.path.stem, *(one.text for one in values_of(item, "calendar"))]
    return stem_of(calendar.casefold()) in {stem_of(one) for name in names for one in words(name)}
