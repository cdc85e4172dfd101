"""Whether a person is free then: what the calendars have at the days and hours of a question.

The comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from engine.compute.fields import is_all_day, is_cancelled, line_of, values_of
from engine.compute.item_filter import each_once, oldest_first
from engine.compute.moments import TimeNamed, around, time_named
from engine.confidence.reasons import UNREAD
from engine.generation.draft import Draft
from engine.values import Argument, Citation, Passage
from ingest.item import Item, Kind

# "am I free on Friday", "are we busy", "will I be available", "do I have time tomorrow"
_ASKED = re.compile(
    r"^(?:and |so |but )?(?:"
    r"(?P<be>am|are|was|were|will) (?:i|we)(?: be)?(?: still| already)?"
    r" (?P<how>free|available|busy)"
    r"|do (?:i|we) (?:still )?have (?:any )?(?:free )?time)\b(?P<rest>[^?]*)\W*$",
    re.IGNORECASE,
)
_MEANT = "and at for in of on or the this my all day then to still late early"
_MAY_STAY = frozenset(_MEANT.split())
"""Words that change nothing. With any other one left, more is asked than a calendar says."""
ALL_DAY = Argument("what has no hour may take the time or not", False)
CITED = 20
"""Entries that an answer shows."""


@dataclass(frozen=True, slots=True)
class TimeAsked:
    """When a question asks whether a person is free."""

    time: TimeNamed
    is_free: bool
    """Whether it says free, and not busy."""


def availability_asked(question: str, today: date) -> TimeAsked | None:
    """Return when a question asks whether its writer is free; None for another question."""
    match = _ASKED.match(" ".join(question.replace("\u2019", "'").split()))
    if match is None:
        return None
    past = (match["be"] or "").casefold() in ("was", "were")
    named, rest = time_named(match["rest"], today, "past" if past else "future")
    if named is None or not _MAY_STAY.issuperset(re.findall(r"\w+", rest.casefold())):
        return None
    return TimeAsked(named, (match["how"] or "free").casefold() != "busy")


def availability(
    asked: TimeAsked, items: Iterable[Item], *, is_complete: bool = True
) -> Draft | None:
    """Return whether the calendars have something then, and what; None without a calendar.

    Where they have nothing, what comes before and after is cited. It is unsure where not all
    calendars were read, which `is_complete` says.
    """
    events = [one for one in items if one.kind is Kind.EVENT and one.when is not None]
    held = sorted((one for one in each_once(events) if not is_cancelled(one)), key=oldest_first)
    if not held:
        return None
    found = [one for one in held if asked.time.meets(one)]
    reasons = () if is_complete else (UNREAD,)
    if not found:
        return said_of_calendars(
            f"{_said(asked, ())}. Before and after:", around(asked.time, held), reasons
        )
    reasons = (ALL_DAY, *reasons) if all(map(is_all_day, found)) else reasons
    return said_of_calendars(f"{_said(asked, found)}:", found, reasons)


def _said(asked: TimeAsked, found: Sequence[Item]) -> str:
    when = asked.time.shown()
    if not found:
        return f"{'Yes' if asked.is_free else 'No'}: nothing in the calendars on {when}"
    if all(map(is_all_day, found)):
        return f"Nothing at a set time on {when}, all day"
    if asked.time.hours is None:
        return f"Not all of the time on {when}"
    return f"{'No' if asked.is_free else 'Yes'}, on {when}"


def said_of_calendars(said: str, shown: Sequence[Item], reasons: tuple[Argument, ...]) -> Draft:
    """Return a sentence with entries below it, each cited."""
    lines, citations = [said], list[Citation]()
    for number, item in enumerate(shown[:CITED], start=1):
        start, end = line_of(item, "entry")
        passage = Passage(item, start, end)
        citations.append(Citation(number, passage, start, end, "matched", support=True))
        lines.append(f"{values_of(item, 'entry')[0].text} [{number}]")
    if len(shown) > CITED:
        lines.append(f"and {len(shown) - CITED:,} more")
    passages = tuple(one.passage for one in citations)
    return Draft("\n".join(lines), passages, citations=tuple(citations), reasons=reasons)
