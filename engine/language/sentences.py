"""Cuts text into sentences, each with its place.

By sentencex: rules for some 300 languages, no model, no download. Its English rules know the
full stops of all scripts; abbreviations of other languages may cut a sentence too early.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import sentencex

Span = tuple[int, int]
"""Begin and end of a stretch of text, in code points, the end exclusive."""

LANGUAGE = "en"
MAX_CHARACTERS = 500
"""What is longer is cut at line ends, then between words: lists and tables have no full stops."""

_LINE = re.compile(r"[^\n]+")


def sentence_spans(text: str) -> list[Span]:
    """Return the sentences in order, without the blanks around them; none is empty."""
    valid = text.encode("utf-8", "replace").decode()  # half a surrogate pair becomes one "?"
    found = sentencex.get_sentence_boundaries(LANGUAGE, valid)
    spans = (_trimmed(text, one["start_index"], one["end_index"]) for one in found)
    return [part for span in spans for part in _short(text, span)]


def _trimmed(text: str, begin: int, end: int) -> Span:
    while begin < end and text[begin].isspace():
        begin += 1
    while begin < end and text[end - 1].isspace():
        end -= 1
    return begin, end


def _short(text: str, span: Span) -> Iterator[Span]:
    """Yield a sentence, in parts where it is too long."""
    begin, end = span
    if end - begin <= MAX_CHARACTERS:
        if begin < end:
            yield span
        return
    for line in _LINE.finditer(text, begin, end):
        yield from _cut(text, *_trimmed(text, *line.span()))


def _cut(text: str, begin: int, end: int) -> Iterator[Span]:
    """Yield a line in parts, cut at the last blank that keeps a part short enough."""
    while end - begin > MAX_CHARACTERS:
        limit = begin + MAX_CHARACTERS
        stop = next((i for i in range(limit, begin, -1) if text[i].isspace()), limit)
        yield _trimmed(text, begin, stop)
        begin, _ = _trimmed(text, stop, end)
    if begin < end:
        yield begin, end
