"""Whether a newer source has another value beside the words of a question: a code, an amount.

"New keysafe code 7316" in March and "new keysafe code: 9042" in October are both read, and a small
model may take the former one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.language.stemming import stem_of
from engine.language.tokens import FUNCTION_WORDS, words
from engine.retrieval.versions import moment_of
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


def has_another_value(newer: Passage, cited: Passage, question: str, answer: str) -> bool:
    """Say whether a passage of a newer item has another value beside the words of a question.

    It has all of these words that the cited passage has, and one of them in the line of the value.
    That has the shape of the answer's: "0,000" or "0000".
    """
    if newer.item.kind not in _KINDS or newer.item is cited.item:
        return False
    if not moment_of(newer.item) > moment_of(cited.item) > 0:
        return False
    asked = _stems(question)
    shared = asked & _stems(newer.searched)
    if len(shared) < LEAST_WORDS or not asked & _stems(cited.searched) <= shared:
        return False
    said = {value for value in _values(answer) if len(_DIGIT.findall(value)) >= LEAST_DIGITS}
    shapes = {_shape(value) for value in said}
    if not said or not said.isdisjoint(_values(newer.text)):
        return False
    lines = (line for line in newer.text.splitlines() if asked & _stems(line))
    return any(_shape(value) in shapes for line in lines for value in _values(line))


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem_of(one) for one in words(text) if one not in FUNCTION_WORDS)


def _values(text: str) -> Iterator[str]:
    return (found[0] for found in _VALUE.finditer(text) if not _YEAR.fullmatch(found[0]))


def _shape(value: str) -> str:
    return _DIGIT.sub("0", value)
