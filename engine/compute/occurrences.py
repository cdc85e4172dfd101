"""How many times something is on within some days, by its name in the calendars.

"How many physio visits did Toby have in November" counts the entries "Toby physio". The comment
above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from engine.compute.availability import said_of_calendars
from engine.compute.fields import is_cancelled, title_of
from engine.compute.item_filter import each_once, oldest_first
from engine.compute.moments import TimeNamed, time_named
from engine.compute.occasions import BY_NAME
from engine.confidence.reasons import UNREAD
from engine.generation.draft import Draft
from engine.language.date_words import WEEKDAY_NAMES
from engine.language.days import Direction
from engine.language.stemming import stem_of
from engine.language.tokens import FUNCTION_WORDS, words
from engine.question.question_grammar import PAST_TENSE
from ingest.item import Item, Kind

# "How many curling nights do I have", "and how many times does Toby go to"
_ASKED = re.compile(
    r"^(?:and |so )?how many (?P<what>(?:(?!\b(?:more|fewer|days|hours|people)\b)[^?,;])+?)"
    r" (?:do|does|did|am|are|is|were|was|have|has|had|will)\b(?P<rest>[^?,;]*)\W*$",
    re.IGNORECASE,
)
# "(not counting the cancelled one)", ", without those that were called off"
_WITHOUT_CANCELLED = re.compile(
    r"[(,] ?(?:not (?:counting|including)|without|excluding|except|minus|apart from|leaving out)"
    r"(?: \w+){0,3} (?:cancel\w*|called off)(?: \w+){0,2}\)?",
    re.IGNORECASE,
)
_CANCELLED = re.compile(
    r"\b(?:cancel\w*|called off|miss(?:ed)?|skip\w*|not|never)\b|n't\b", re.IGNORECASE
)
_GENERIC = """
    appointment class date day event evening game go going gone have had held i lesson left match
    me meet meeting my night occasion planned practice scheduled session take place there time
    training visit we
"""
_ANY = frozenset(map(stem_of, _GENERIC.split()))
"""Words that name no entry: "curling nights"."""


@dataclass(frozen=True, slots=True)
class OccurrencesAsked:
    """What is counted, and within which days."""

    name: frozenset[str]
    """Stems that a title has, or the weekday of an entry."""
    also: frozenset[str]
    """Those that it may have: "visits"."""
    time: TimeNamed


def occurrences_asked(question: str, today: date) -> OccurrencesAsked | None:
    """Return what a question counts in the calendars; None for another question."""
    plain = " ".join(question.replace("\u2019", "'").split())
    match = _ASKED.match(_WITHOUT_CANCELLED.sub("", plain))
    if match is None or _CANCELLED.search(match[0]):
        return None
    direction: Direction = "past" if PAST_TENSE.search(match[0]) else "future"
    time, rest = time_named(match["rest"], today, direction)
    if time is None:
        return None
    told = (one for one in words(f"{match['what']} {rest}") if one not in FUNCTION_WORDS)
    said = frozenset(map(stem_of, told))
    name, counted = said - _ANY, frozenset(map(stem_of, words(match["what"])))
    is_named = bool(name - frozenset(map(stem_of, WEEKDAY_NAMES)))
    if counted <= _ANY and counted != {stem_of("times")}:
        return None  # "how many lessons did Kit have": his dentist is none
    return OccurrencesAsked(name, said & _ANY, time) if is_named else None


def occurrences(
    asked: OccurrencesAsked, items: Iterable[Item], *, is_complete: bool = True
) -> Draft | None:
    """Return how many entries with this name lie in the days, and which; cancelled ones are none.

    None where no entry bears the name, or entries of different names do. It is unsure, as an
    occasion may have another name.
    """
    events = [one for one in items if one.kind is Kind.EVENT and one.when is not None]
    bearing = [one for one in each_once(events) if asked.name <= _stems(one)]
    most = max((len(asked.also & _stems(one)) for one in bearing), default=0)
    whole = (one for one in bearing if len(asked.also & _stems(one)) == most)
    held = sorted((one for one in whole if not is_cancelled(one)), key=oldest_first)
    found = [one for one in held if asked.time.meets(one)]
    if not held or not _is_one(found or held):
        return None
    when = asked.time.shown()
    reasons = (BY_NAME,) if is_complete else (BY_NAME, UNREAD)
    if found:
        return said_of_calendars(f"{len(found)}, on {when}:", found, reasons)
    return said_of_calendars(f"None on {when}. The last one:", held[-1:], reasons)


def _stems(item: Item) -> frozenset[str]:
    """Return the stems of a title, with that of the weekday."""
    named = () if item.when is None else (WEEKDAY_NAMES[item.when.weekday()],)
    return frozenset(map(stem_of, (*words(title_of(item)), *named)))


def _is_one(entries: Sequence[Item]) -> bool:
    """Say whether entries have one name, or are times of one event."""
    names = {frozenset(map(stem_of, words(title_of(one)))) for one in entries}
    return len(names) == 1 or len({(one.locator.path, one.locator.uid) for one in entries}) == 1
