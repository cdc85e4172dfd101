"""What of the evidence is newer than an answer's source and may correct it.

It speaks of a correction, has another value beside the words of the question, or, a few messages
later, names the day of the answer and another one.

"New keysafe code 7316" in March and "new keysafe code: 9042" in October are both read, and a small
model may take the former one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.language.date_words import MONTH, WEEKDAY_WORDS
from engine.language.stemming import stem_of
from engine.language.tokens import FUNCTION_WORDS, words
from engine.retrieval.versions import (
    moment_of,
    speaks_of_a_change,
    speaks_of_a_correction,
)
from engine.values import Passage
from ingest.item import Kind

LEAST_WORDS = 2
"""Of the question, that the newer source has: all that the cited one has, and two at least."""
LEAST_DIGITS = 3
"""Of a value: codes and amounts. Days and small counts stand in every text."""
_KINDS = frozenset({Kind.MAIL, Kind.MESSAGE})
"""A document's moment may be that of its copy."""
_VALUE = re.compile(r"(?<![\w.,:/-])\d+(?:[.,]\d+)*(?![\w:/-])")
_YEAR = re.compile(r"(?:19|20)\d\d")
_DIGIT = re.compile(r"\d")
# "the 14th", "30 Aug", "June 20"
_DAY = re.compile(
    rf"(?<![\w.,:/-])(?:(?P<first>\d\d?)(?:st\b|nd\b|rd\b|th\b|(?= {MONTH}\b))"
    rf"|{MONTH} (?P<last>\d\d?)\b(?![:.,]\d))",
    re.IGNORECASE,
)

DATES = (
    rf"\d\d?(?:st|nd|rd|th)?(?: of)? {MONTH}|{MONTH} \d\d?|\d\d?(?:st|nd|rd|th)"
    r"|\d\d?/\d\d?|\d{4}-\d\d-\d\d"
)
"""Matches "10 January", "January 10", "the 14th", "14/1"."""
_DATE = re.compile(rf"\b(?:{DATES})\b", re.IGNORECASE)
_WEEKDAY = re.compile(rf"\b(?:{WEEKDAY_WORDS})\b", re.IGNORECASE)
# "make that Thursday", "he changed it, Friday now", "Thursday it is then"
_MOVES = re.compile(
    r"\b(?:make (?:it|that)|it is|now|instead|rather|actually|then|not|can't|can ?not|couldn't"
    r"|could we|can we|mov\w+|chang\w+|push\w*|shift\w*|switch\w*|swap\w*|postpon\w*|delay\w*"
    r"|put (?:it )?(?:off|back)|earlier|later|called off|cancel\w*)\b",
    re.IGNORECASE,
)


def correcting(
    evidence: Sequence[Passage], cited: Sequence[Passage], question: str, answer: str
) -> Iterator[tuple[Passage, bool]]:
    """Yield what was read and may correct the sources of an answer, and whether it says so.

    What speaks of a correction comes before what has another value.
    """
    if not cited:
        return
    items = [one.item for one in cited]
    others = [one for one in evidence if all(one.item is not item for item in items)]
    yield from ((one, True) for one in others if speaks_of_a_correction(one, items[0]))
    for one in others:
        if has_another_value(one, cited[0], question, answer):
            yield one, False


def has_another_value(newer: Passage, cited: Passage, question: str, answer: str) -> bool:
    """Say whether a passage of a newer item has another value beside the words of a question.

    It has all of these words that the cited passage has, and one of them in the line of the value.
    That has the shape of the answer's: "0,000" or "0000".
    """
    if newer.item.kind not in _KINDS or newer.item is cited.item:
        return False
    if not moment_of(newer.item) > moment_of(cited.item) > 0:
        return False
    if not has_the_words(newer, cited, question):
        return False
    asked = _stems(question)
    lines = (line for line in newer.text.splitlines() if asked & _stems(line))
    others = _other_values(newer.text, answer)
    return any(not others.isdisjoint(_values(line)) for line in lines)


def has_the_words(newer: Passage, cited: Passage, question: str) -> bool:
    """Say whether a passage has the words of a question that the cited one has, two at least."""
    asked = _stems(question)
    shared = asked & _stems(newer.searched)
    return len(shared) >= LEAST_WORDS and asked & _stems(cited.searched) <= shared


def changes(message: str, answer: str) -> bool:
    """Say whether a message that follows an answer's source gives another day or value.

    It names the answer's day and another one, or speaks of a correction and has a value of the
    same shape: "the 14th, as the 7th is her bridge day", "correction: it is 18,931".
    """
    days, former = _days(message), _days(answer)
    if days & former and days - former:
        return True
    return speaks_of_a_change(message) and bool(_other_values(message, answer))


def is_bare_weekday(found: str, answer: str, later: Sequence[Passage]) -> bool:
    """Say whether a bare weekday stands against a date, and no line with it speaks of a change.

    "Ready Friday" says nothing of the 13th of January.
    """
    day = _WEEKDAY.search(found)
    if day is None or _DATE.search(found) or not _DATE.search(answer):
        return False
    lines = "\n".join(one.text.casefold() for one in later).splitlines()
    return not any(_MOVES.search(line) for line in lines if day[0].casefold() in line)


def _days(text: str) -> frozenset[int]:
    return frozenset(int(found["first"] or found["last"]) for found in _DAY.finditer(text))


def _other_values(text: str, answer: str) -> frozenset[str]:
    """Return a text's values that have the shape of an answer's; none where it has that itself."""
    said = {value for value in _values(answer) if len(_DIGIT.findall(value)) >= LEAST_DIGITS}
    shapes, values = {_shape(value) for value in said}, frozenset(_values(text))
    if said & values:
        return frozenset()
    return frozenset(one for one in values if _shape(one) in shapes)


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem_of(one) for one in words(text) if one not in FUNCTION_WORDS)


def _values(text: str) -> Iterator[str]:
    return (found[0] for found in _VALUE.finditer(text) if not _YEAR.fullmatch(found[0]))


def _shape(value: str) -> str:
    return _DIGIT.sub("0", value)
