"""Whether something is on then: what the calendars have by a name, on the days of a question.

The comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from engine.compute.availability import said_of_calendars
from engine.compute.fields import day_of, is_cancelled, last_day_of, title_of
from engine.compute.item_filter import each_once, oldest_first
from engine.compute.moments import hours_of
from engine.confidence.reasons import UNREAD
from engine.generation.draft import Draft
from engine.language.dates import find_spans
from engine.language.days import Closed, Direction
from engine.language.stemming import stem_of
from engine.language.tokens import FUNCTION_WORDS, words
from engine.values import Argument
from ingest.item import Item, Kind

# "does Clara have swimming tomorrow", "is there choir on Thursday"
_HAD = re.compile(
    r"^(?:and |so |but )?(?:"
    r"(?:does|do|(?P<did>did)) (?P<who>[^?,]+?) have (?!to |time\b|any\b)"
    r"|(?P<is>is|(?P<was>was)) there (?!any\b|time\b))"
    r"(?P<what>[^?,:;]+?)\W*$",
    re.IGNORECASE,
)
# "does the recycling go out on Wednesday", "is choir on this Thursday"
_HELD = re.compile(
    r"^(?:and |so |but )?(?P<is>(?:does|do|(?P<did>did)) (?P<who>[^?,:;]+?)"
    r" (?:go(?: out)?|happen|take place|meet|run|fall|occur)"
    r"|(?:is|are|(?P<was>was|were)) (?!there )(?P<other>[^?,:;]+?) (?:on|held|happening))"
    r" (?P<what>[^?,:;]+?)\W*$",
    re.IGNORECASE,
)
LONGEST = 7
"""Days that a question may span: of a year nobody asks whether choir is on."""
_OFF = frozenset(
    map(stem_of, words("holiday holidays vacation closed closure no not off break strike"))
)
"""Words of an entry that what it names is not held."""
BY_NAME = Argument("it was looked for in the calendars by the question's words", False)


@dataclass(frozen=True, slots=True)
class OccasionAsked:
    """What a question asks for, and when."""

    words: frozenset[str]
    """Stems that its title must have."""
    days: Closed
    is_had: bool
    """Whether somebody has it, as an appointment; else it may be anybody's, as a train is."""


def occasion_asked(question: str, today: date) -> OccasionAsked | None:
    """Return what a question looks for in calendars on some days; None for another question."""
    plain = " ".join(question.replace("\u2019", "'").split())
    match = _HAD.match(plain) or _HELD.match(plain)
    if match is None:
        return None
    if hours_of(match["what"])[0] is not None:
        return None  # an entry of another hour would look like it
    direction: Direction = "past" if match["did"] or match["was"] else "future"
    what = match["what"]
    spans = find_spans(what, today, direction)
    if len(spans) != 1 or spans[0].span.first is None or spans[0].span.last is None:
        return None
    days = Closed(spans[0].span.first, spans[0].span.last)
    what = f"{what[: spans[0].start]} {what[spans[0].end :]}"
    who = match["who"] or match.groupdict().get("other") or ""
    whose = [one for one in words(who) if one not in FUNCTION_WORDS]
    named = [one for one in words(what) if one not in FUNCTION_WORDS]
    if not (named if match.re is _HAD else whose) or (days.last - days.first).days >= LONGEST:
        return None
    return OccasionAsked(frozenset(map(stem_of, (*whose, *named))), days, match["is"] is None)


def occasion(
    asked: OccasionAsked, items: Iterable[Item], *, is_complete: bool = True
) -> Draft | None:
    """Return whether the calendars have it then, with what they have, or what is nearest.

    None where no entry bears all the words, or where it may be in no calendar: what "is there" has
    to be held more than once. It is unsure where an entry says more than the question, or where
    nothing is on, as that may have another name.
    """
    events = [one for one in items if one.kind is Kind.EVENT and one.when is not None]
    bearing = [one for one in each_once(events) if asked.words <= _stems(one)]
    held = sorted((one for one in bearing if not is_cancelled(one)), key=oldest_first)
    if not held or (not asked.is_had and len(held) < 2):
        return None
    found = [one for one in held if _lies_in(one, asked.days)]
    if any(_OFF & (_stems(one) - asked.words) for one in found):
        return None  # "is there school", of school holidays
    reasons = () if is_complete else (UNREAD,)
    when = _shown(asked.days)
    if found:
        named = any(_stems(one) == asked.words for one in found)
        return said_of_calendars(
            f"Yes, on {when}:", found, reasons if named else (BY_NAME, *reasons)
        )
    said = f"No: the calendars have none on {when}. Before and after:"
    return said_of_calendars(said, _around(asked.days, held), (BY_NAME, *reasons))


def _stems(item: Item) -> frozenset[str]:
    return frozenset(map(stem_of, words(title_of(item))))


def _lies_in(item: Item, days: Closed) -> bool:
    first, last = day_of(item), last_day_of(item)
    return first is not None and last is not None and first <= days.last and last >= days.first


def _around(days: Closed, held: Sequence[Item]) -> list[Item]:
    earlier = [one for one in held if (begins := day_of(one)) is not None and begins < days.first]
    return [*earlier[-1:], *held[len(earlier) : len(earlier) + 1]]


def _shown(days: Closed) -> str:
    first, last = (f"{one:%a %Y-%m-%d}" for one in (days.first, days.last))
    return first if first == last else f"{first} to {last}"
