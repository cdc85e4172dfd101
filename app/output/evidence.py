"""What recall found, as cards: what it is, from whom and when, and its best line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from datetime import datetime, tzinfo

from app.output.plain import one_line, short_path
from app.output.report import who_and_when
from engine.events import Ranked
from engine.language.sentences import Span, sentence_spans
from engine.language.stemming import stem
from engine.language.tokens import FUNCTION_WORDS, folded_words, readable
from engine.values import Passage
from ingest.item import Item, Kind

SIGNS = {
    Kind.MAIL: "✉",
    Kind.DOCUMENT: "▤",
    Kind.EVENT: "◷",
    Kind.TASK: "☐",
    Kind.CONTACT: "☺",
    Kind.MESSAGE: "❝",
}
"""A sign of one column for each kind."""
LOOKED_AT = 4000
"""Characters of a passage in which its best line is sought."""
LONG_ENOUGH = 40
"""Characters of a line that says something; "Ingrid," does not."""
_WORD = re.compile(r"\w+")
_UNITS = ((365, "year"), (30, "month"), (7, "week"), (1, "day"))


@dataclass(frozen=True, slots=True)
class EvidenceCard:
    """One source that was found."""

    title: str
    """Behind the sign of its kind."""
    about: str
    """Who, when as a date and in words, where."""
    line: str
    """The sentence that has most words of the question."""
    lit: tuple[Span, ...]
    """Where these words are in it."""


def evidence_cards(
    ranked: Ranked, question: str, zone: tzinfo | None, now: datetime, most: int
) -> list[EvidenceCard]:
    """Return a card for each of the best sources, at most so many."""
    words = folded_words(question)
    asked = {stem(word) for word in words if readable(word) not in FUNCTION_WORDS}
    best: dict[int, Passage] = {}
    for passage in ranked.passages:
        best.setdefault(id(passage.item), passage)
        if len(best) == most:
            break
    return [_card(passage, asked, zone, now) for passage in best.values()]


def _card(passage: Passage, asked: Set[bytes], zone: tzinfo | None, now: datetime) -> EvidenceCard:
    item = passage.item
    begin = max(passage.start, item.body)  # a mail's header is on the card anyway
    text = item.text[begin : max(begin, min(passage.end, begin + LOOKED_AT))]
    best, most = "", (-1, 0)
    lit: tuple[Span, ...] = ()
    for begin, end in sentence_spans(text):
        line = one_line(text[begin:end])
        found = dict(_lit(line, asked))
        weight = len(set(found.values())), min(len(line), LONG_ENOUGH)
        if weight > most:
            best, lit, most = line, tuple(found), weight
    title = one_line(item.title) or "without title"
    return EvidenceCard(f"{SIGNS[item.kind]} {title}", _about(item, zone, now), best, lit)


def _lit(line: str, asked: Set[bytes]) -> Iterator[tuple[Span, bytes]]:
    """Yield where a line has a word that was asked for, and its stem."""
    for match in _WORD.finditer(line):
        stems = {stem(word) for word in folded_words(match[0])} & asked
        if stems:
            yield match.span(), min(stems)


def _about(item: Item, zone: tzinfo | None, now: datetime) -> str:
    near = f"{who_and_when(item, zone)} ({ago(item.when, now)})" if item.when else ""
    return " · ".join(
        filter(None, (near or who_and_when(item, zone), short_path(item.locator.path)))
    )


def ago(when: datetime, now: datetime) -> str:
    """Return `today`, `yesterday`, `12 weeks ago`, `in 3 days`, by the days of `now`'s zone."""
    days = (now.date() - when.astimezone(now.tzinfo).date()).days
    if abs(days) <= 1:
        return {0: "today", 1: "yesterday", -1: "tomorrow"}[days]
    length, unit = next(one for one in _UNITS if abs(days) >= 2 * one[0] or one[0] == 1)
    count = f"{abs(days) // length} {unit}s"
    return f"{count} ago" if days > 0 else f"in {count}"
