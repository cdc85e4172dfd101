"""Tables of a scanned page: what Tesseract reads column by column, row by row instead."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from ingest.placed.fragments import Box
from ingest.placed.tables import Tables

_LETTERS = 1.25
"""Height of a line with room for the longest letters, by that of a line as it is printed."""
_ONE_ROW = 0.4
"""Heights by which the middles of words of one row differ at most."""
_RULE = re.compile(r"[|_\u00a6]*")
"""What a ruled line is taken for."""
_BARS = "|\u00a6"
"""What one is taken for beside a word."""


@dataclass(frozen=True, slots=True)
class PrintedWord:
    """A word of a page, in the order in which Tesseract reads."""

    text: str
    after: str
    """What stands before it: a blank, a line break, or two of them."""
    left: float
    right: float
    top: float
    bottom: float
    """Dots from the left and from the top of the page; top and bottom are those of its line."""

    @property
    def middle(self) -> float:
        """How far down it stands."""
        return (self.top + self.bottom) / 2


def with_tables(words: Sequence[PrintedWord]) -> str:
    """Return the text of a page with its tables row by row; empty where it has none.

    Where no header is certain, the cells of a row have bars between them. On a page without tables
    that holds for lists of amounts as well. Words that are in no
    table keep their place.
    """
    placed = [(at, word) for at, word in enumerate(words) if not _RULE.fullmatch(word.text)]
    if not placed:
        return ""
    text, begins, boxes = _row_by_row(placed)
    said: dict[int, str] = {}
    """Lines of tables, by the word in whose place they stand."""
    taken: set[int] = set()
    found = list(Tables(bare=True).found(text, boxes.get))
    for table in found or Tables(amounts=True).found(text, boxes.get):
        held = [at for at, begin in begins.items() if table.begin <= begin < table.end]
        said[min(held)] = "\n".join(table.lines)
        taken.update(held)
    return _composed(words, said, taken) if said else ""


def _row_by_row(
    placed: Sequence[tuple[int, PrintedWord]],
) -> tuple[str, dict[int, int], dict[int, Box]]:
    """Return words in rows from the top, where each begins, and the boxes by place in the text."""
    height = _LETTERS * median(word.bottom - word.top for _, word in placed)
    rows: list[list[tuple[int, PrintedWord]]] = []
    for at, word in sorted(placed, key=lambda one: one[1].middle):
        if not rows or word.middle - rows[-1][0][1].middle > _ONE_ROW * height:
            rows.append([])
        rows[-1].append((at, word))
    text, begins, boxes = "", dict[int, int](), dict[int, Box]()
    for row in rows:
        foot = -row[0][1].middle - height / 2
        for at, word in sorted(row, key=lambda one: one[1].left):
            said = word.text.strip(_BARS)
            begins[at] = len(text)
            box = word.left, foot, word.right, foot + height
            boxes[len(text)] = boxes[len(text) + len(said) - 1] = box
            text += f"{said} "
        text = f"{text[:-1]}\n"
    return text, begins, boxes


def _composed(words: Sequence[PrintedWord], said: dict[int, str], taken: set[int]) -> str:
    """Return the words in their order, those of tables as lines in the place of the first one."""
    text = ""
    for at, word in enumerate(words):
        if at in said:
            text = f"{text.rstrip()}\n\n{said[at]}\n\n"
        elif at not in taken and not _RULE.fullmatch(word.text):
            before = "" if text.endswith("\n") else word.after
            text += f"{before}{word.text}"
    return text.strip()
