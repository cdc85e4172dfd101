"""Which entries of calendars a question about days may mean, whatever it calls them.

"What time on Wednesday do I take the dog for her jab" shares no word with "Vet - Bramble kennel
cough". So what the calendars have on the days of a question is read first, as is the next time of
what is asked for "after this week".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta

import numpy as np

from engine.compute.fields import day_of, is_cancelled, last_day_of
from engine.compute.moments import coming_day
from engine.language.dates import find_spans
from engine.language.days import Closed, Direction
from engine.retrieval.recall import Scores
from engine.values import Passage
from ingest.item import Item, Kind

MOST = 4
"""Entries that are read first."""
FEW_DAYS = 2
"""Days whose entries are read though they share no word with the question."""
LONGEST = 8
"""Days that a question may name: the entries of a month fill a reading alone."""
_ASKS = re.compile(
    r"\b(?:when|where|date|o'clock|whose place|(?:what|which) (?:time|day|date|room|place)"
    r"|what's on|next)\b",
    re.IGNORECASE,
)
_PAST = re.compile(r"\b(?:did|was|were|had|went|last|previous|ago)\b", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:after|following|past|beyond)\W*$", re.IGNORECASE)
_NEXT = re.compile(r"\b(?:next|after|following)\b", re.IGNORECASE)


def by_days(
    question: str,
    passages: Sequence[Passage],
    allowed: Iterable[int],
    scores: Scores,
    present: datetime,
) -> Scores:
    """Return the scores, shape (passages,), with entries on the days of a question above all.

    Entries of other days have no score then. Asked for the next time, it is that of the entry that
    has most of the words, and its other times have none. Only passages that are allowed are
    raised, by number: what the question excludes stays unread. The scores stay where a question
    asks for no time or place and of no day ahead, or where nothing is on then.
    """
    days, since = _days(question, present.date())
    is_ahead = days is not None and days.first >= present.date()
    if not (_ASKS.search(question) or is_ahead):
        return scores
    entries = {
        number: passages[number].item
        for number in allowed
        if passages[number].item.kind is Kind.EVENT
    }
    held = {number: item for number, item in entries.items() if not is_cancelled(item)}
    said = _scores_of_events(held, scores)
    found, others = list[int](), list[int]()
    if days is not None:
        few = (days.last - days.first).days < FEW_DAYS
        there = [n for n, item in held.items() if _meets(item, days) and (few or said[n] > 0)]
        found = sorted(there, key=lambda n: (-said[n], _length(held[n]), _begins(held[n])))[:MOST]
        others = [n for n, item in entries.items() if not _meets(item, days)]
    elif since is not None and said:
        best = max(said, key=lambda n: said[n])
        times = [n for n, item in held.items() if _is_one(item, held[best])]
        coming = [n for n in times if (day := day_of(held[n])) is not None and day >= since]
        found = sorted(coming, key=lambda n: _begins(held[n]))[:1] if said[best] > 0 else []
        others = times
    return _raised(scores, found, others) if found else scores


def without_others(scores: Scores, raised: Scores) -> Scores:
    """Return the scores, shape (passages,), without those that `by_days` took away.

    A further reading goes by them: the lunch of another day is not the one that is asked for.
    """
    return np.where(raised > 0, scores, 0.0)


def _raised(scores: Scores, numbers: Sequence[int], others: Iterable[int]) -> Scores:
    """Return the scores with some passages above all, in order, and others without a score."""
    found, most = scores.copy(), float(scores.max(initial=0.0))
    found[[*others]] = 0.0
    for place, number in enumerate(numbers):
        found[number] = most + len(numbers) - place
    return found


def _days(question: str, today: date) -> tuple[Closed | None, date | None]:
    """Return the days that a question names, up to a week, or since when it asks for the next time.

    None and None where it does neither, or names several days.
    """
    direction: Direction = "past" if _PAST.search(question) else "future"
    spans = find_spans(question, today, direction)
    if not spans and direction == "future" and (found := coming_day(question, today)):
        return found[0], None
    if not spans:
        return None, today if _NEXT.search(question) else None
    first, last = spans[0].span.first, spans[0].span.last
    if len(spans) > 1 or first is None:
        return None, None
    if last is None:  # "after this week"
        return None, max(first, today) if _NEXT.search(question) else None
    if _AFTER.search(question[: spans[0].start]):
        return None, last + timedelta(days=1)
    return (Closed(first, last), None) if (last - first).days < LONGEST else (None, None)


def _scores_of_events(entries: Mapping[int, Item], scores: Scores) -> dict[int, float]:
    """Return for each passage the best score of any time of its event."""
    best: dict[object, float] = {}
    for number, item in entries.items():
        key = _event(item)
        best[key] = max(best.get(key, 0.0), float(scores[number]))
    return {number: best[_event(item)] for number, item in entries.items()}


def _event(item: Item) -> object:
    return item.locator.path, item.locator.uid


def _is_one(item: Item, other: Item) -> bool:
    return _event(item) == _event(other)


def _meets(item: Item, days: Closed) -> bool:
    first, last = day_of(item), last_day_of(item)
    return first is not None and last is not None and first <= days.last and last >= days.first


def _length(item: Item) -> int:
    """Return over how many days an entry goes: holidays come behind what is held on a day."""
    first, last = day_of(item), last_day_of(item)
    return 0 if first is None or last is None else (last - first).days


def _begins(item: Item) -> float:
    return 0.0 if item.when is None else item.when.timestamp()
