"""Which of several versions is meant: replies of a thread, letters of each year, revisions.

It is the one of the year that a question names, else the newest, unless it asks for a former one.
They have nearly the same words, so that chance ranks them. The comment above a pattern quotes
phrases that it matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from engine.language.dates import find_spans
from engine.retrieval.recall import Scores, best_first
from engine.values import Passage
from ingest.item import Item, Kind

MOST = 40
"""Passages that are compared, the best ones."""
LEAST_SHARE = 0.4
"""Of the best score, that a version must have."""
NEWER = 0.5
"""By how much of its score the newest version rises before all are brought back to the best."""
_KINDS = frozenset({Kind.MAIL, Kind.DOCUMENT})
_MAY_CORRECT = _KINDS | {Kind.MESSAGE}
_REPLY = re.compile(r"^(?:(?:re|aw|antw|sv|fwd?|wg|tr)\s*:\s*)+")
_WORD = re.compile(r"[^\W\d_]{2,}")
# "the original price", "what was it before"
_FORMER = re.compile(
    r"\b(?:first|original(?:ly)?|initial(?:ly)?|old(?:er|est)?|earlier|earliest|previous(?:ly)?"
    r"|former(?:ly)?|before|used to|back then|at the time|history)\b",
    re.IGNORECASE,
)

# "Correction to the letter", "the trip has moved", "12.50 instead of 14.50", "new date"
_CORRECTION = re.compile(
    r"\b(?:correct(?:ion|ed|s|ing)|revised|supersed\w+|replaces|instead of|mistake|typo|wrong"
    r"|new (?:date|time|price|rate|total|code|address|number|place|venue)"
    r"|(?:has|have|is|been|was) (?:moved|changed|postponed|rescheduled|brought forward)"
    r"|(?:moved|changed) to)\b",
    re.IGNORECASE,
)

# "2025" of "the 2025 terms"
_YEAR = re.compile(r"(?<![\d./-])(?P<year>(?:19|20)\d\d)(?![\d./-])")
# "rent-2025.pdf", "AGM minutes 2026-11-23"
_YEAR_OF_TITLE = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
# "last year's", "this years"
_RELATIVE_YEAR = re.compile(r"\b(?P<which>last|this|next) year(?:'?s)?\b", re.IGNORECASE)
_YEARS_ON = {"last": -1, "this": 0, "next": 1}

Versions = list[list[int]]


def _asks_for_the_newest(question: str, today: date) -> bool:
    """Say whether a question may mean what holds now: it names no past day and nothing former."""
    if asks_for_something_former(question):
        return False
    spans = (one.span for one in find_spans(question, today))
    return all(one.last is None or one.last >= today for one in spans)


def asks_for_something_former(question: str) -> bool:
    """Say whether a question means what was before: "the original price"."""
    return _FORMER.search(question) is not None


@dataclass(frozen=True, slots=True)
class VersionMeant:
    """Which of several versions of a subject a question means."""

    year: int | None
    """Those whose titles or names have this year, where any has."""
    is_newest: bool
    """The newest, where no year decides."""


def version_meant(question: str, today: date) -> VersionMeant | None:
    """Return which versions a question means: "the 2025 terms", "last year's"; None: any."""
    plain = question.replace("\u2019", "'")
    named = {int(one["year"]) for one in _YEAR.finditer(plain)}
    told = (one["which"].casefold() for one in _RELATIVE_YEAR.finditer(plain))
    named |= {today.year + _YEARS_ON[which] for which in told}
    year = named.pop() if len(named) == 1 else None
    is_newest = _asks_for_the_newest(question, today)
    return VersionMeant(year, is_newest) if year or is_newest else None


def with_meant(scores: Scores, passages: Sequence[Passage], meant: VersionMeant) -> Scores:
    """Return the scores, shape (passages,), with versions that are meant raised above the others.

    The best score of a subject stays what it was: other subjects neither gain nor lose.
    """
    best = scores.max(initial=0.0)
    if not best > 0:
        return scores
    near = np.flatnonzero(scores >= LEAST_SHARE * best)
    likely = near[best_first(scores[near])[:MOST]].tolist()
    raised = scores.copy()
    for versions in versions_of(likely, passages):
        order = _order(versions, passages, meant)
        ranks = sorted({*order.values()})
        for i in versions:
            raised[i] *= 1 + NEWER * ranks.index(order[i]) / max(1, len(ranks) - 1)
        raised[versions] *= scores[versions].max() / raised[versions].max()
    return raised


def _order(
    versions: Sequence[int], passages: Sequence[Passage], meant: VersionMeant
) -> dict[int, float]:
    """Return what orders versions, those that are meant last: having the year, or time."""
    has_year = {i: float(meant.year in _years_of(passages[i].item)) for i in versions}
    if any(has_year.values()) or not meant.is_newest:
        return has_year
    return {i: moment_of(passages[i].item) for i in versions}


def _years_of(item: Item) -> frozenset[int]:
    named = f"{item.title} {item.locator.path.name}"
    return frozenset(map(int, _YEAR_OF_TITLE.findall(named)))


def meant_last(
    chosen: Sequence[int], passages: Sequence[Passage], meant: VersionMeant
) -> list[int]:
    """Return passages with the versions of each subject in order, at their places, the meant last.

    What calls itself a correction comes last of all, where it is newer than what would and the
    newest is meant.
    """
    ordered = list(chosen)
    for versions in versions_of(chosen, passages):
        places = [place for place, number in enumerate(chosen) if number in versions]
        order = _order(versions, passages, meant)
        for place, number in zip(places, sorted(versions, key=order.__getitem__), strict=True):
            ordered[place] = number
    if not meant.is_newest:
        return ordered
    last = moment_of(passages[ordered[-1]].item) if ordered else 0.0
    correcting = [i for i in ordered if _corrects_by_title(passages[i].item, last)]
    return [*(i for i in ordered if i not in correcting), *correcting]


def speaks_of_a_correction(passage: Passage, of: Item) -> bool:
    """Say whether a passage of a newer item has words that something is corrected or moved."""
    item = passage.item
    is_newer = item is not of and moment_of(item) > moment_of(of) > 0
    return is_newer and item.kind in _MAY_CORRECT and speaks_of_a_change(passage.text)


def speaks_of_a_change(text: str) -> bool:
    """Say whether a text has words that something is corrected or moved."""
    return _CORRECTION.search(text) is not None


def _corrects_by_title(item: Item, since: float) -> bool:
    is_newer = item.kind in _KINDS and moment_of(item) > since > 0
    return is_newer and bool(_CORRECTION.search(item.title))


def versions_of(numbers: Iterable[int], passages: Sequence[Passage]) -> Versions:
    """Return the passages of each subject that has more than one, of mails and documents."""
    found: dict[tuple[str, ...], list[int]] = {}
    for number in numbers:
        item = passages[number].item
        if item.kind in _KINDS and item.when is not None and (subject := subject_of(item)):
            found.setdefault(subject, []).append(number)
    return [versions for versions in found.values() if len(versions) > 1]


def subject_of(item: Item) -> tuple[str, ...]:
    """Return the words of a title without numbers: years, dates and revisions differ."""
    return tuple(_WORD.findall(_REPLY.sub("", item.title.casefold())))


def moment_of(item: Item) -> float:
    """Return when an item was written, in seconds; 0 where that is not known."""
    return 0.0 if item.when is None else item.when.timestamp()
