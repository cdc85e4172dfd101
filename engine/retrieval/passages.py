"""Cuts items into passages: at most 150 words and 1,050 characters, never across an item."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from engine.values import Passage
from ingest.item import Item

MAX_WORDS = 150
MAX_CHARACTERS = 1050
"""FB-RAG cuts at 300 words. Half of it ranks long chats and articles better (docs/results.md)."""

_WORD = re.compile(r"\S+")
_BLANKS = tuple(char for char in map(chr, range(128)) if char.isspace())
_BREAKS = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"(?<=[.!?])\s+"),
    re.compile(r"\s+"),
)
"""Where a passage may end, best first: paragraph, line, sentence, word."""


def split(items: Iterable[Item]) -> list[Passage]:
    """Return the passages of all items in order. Items without text have none."""
    return [passage for item in items for passage in split_item(item)]


def split_item(item: Item) -> Iterator[Passage]:
    """Yield the passages of one item; each record of a structured item is cut by itself."""
    begins = item.records or (0,)
    for begin, end in zip(begins, (*begins[1:], len(item.text)), strict=True):
        yield from _split_span(item, begin, end)


def _split_span(item: Item, begin: int, end: int) -> Iterator[Passage]:
    text = item.text
    while begin < end and text[begin].isspace():
        begin += 1
    while begin < end:
        stop = _limit(text, begin, end)
        if stop < end:
            stop = _best_break(text, begin, stop)
        trimmed = stop
        while trimmed > begin and text[trimmed - 1].isspace():
            trimmed -= 1
        if trimmed > begin:
            yield Passage(item, begin, trimmed)
        begin = stop
        while begin < end and text[begin].isspace():
            begin += 1


def _limit(text: str, begin: int, end: int) -> int:
    """Return the furthest offset both limits allow."""
    stop = min(end, begin + MAX_CHARACTERS)
    # Counting blanks costs a tenth of splitting, and in ASCII bounds the words.
    if text.isascii() and sum(text.count(blank, begin, stop) for blank in _BLANKS) < MAX_WORDS:
        return stop
    if len(text[begin:stop].split()) <= MAX_WORDS:
        return stop
    for count, word in enumerate(_WORD.finditer(text, begin, stop), start=1):
        if count == MAX_WORDS:
            return word.end()
    return stop


def _best_break(text: str, begin: int, stop: int) -> int:
    """Return the last good place to cut in the second half of `begin..stop`."""
    middle = begin + (stop - begin) // 2
    for pattern in _BREAKS:
        ends = [match.end() for match in pattern.finditer(text, middle, stop)]
        if ends:
            return ends[-1]
    return stop
