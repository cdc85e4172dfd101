"""Rows of cells as lines, which name their columns where the table has a header.

A row that is found and quoted without the rows around it says nothing: "Ana | 12". So it is
written "Name: Ana | Amount: 12": a model can answer from it alone. The words of the header are in
every row, so they weigh next to nothing when passages are ranked. Where a caption above the header
names a year, each row begins with it: many sheets hold the same table for this year and for the one
before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from typing import Self

Row = Sequence[tuple[int, str]]
"""Column and text of each cell that is not empty. A column below 0 holds notes, not cells."""

SAMPLE = 30
"""Rows that decide whether there is a header."""

_HEADER_ROWS = 10
_NAME_LENGTH = 80
_GAP = 8
_DOCUMENT_COLUMNS = 3
ADDED = 4_000_000
"""Characters that names may add to a table of a document; a larger one stays as it is."""
_TIMES_LONGER = 10
"""How much longer than its cells all names of such a table may be."""
_COUNTED = re.compile(r"\W*(?!(?:19|20)\d\d\b)\d")
"""Matches what begins with a number other than a year: an item of a list, an amount."""
_WORDS = re.compile(r"[^\W\d_]")
_YEAR = re.compile(r"(?:19|20)\d\d")
_CAPTION_CELLS = 3
_CAPTION_LENGTH = 60
_TOTAL_CELLS = 2
"""Cells of a row that holds a total and its label alone."""
_CAPTION_ROWS = 3
"""Rows above a header among which its caption is."""
_YEAR_WITHIN = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_FIGURE = re.compile(r"\d")
_BREAKS = re.compile(r"\s*[\r\n]\s*")


@dataclass(frozen=True, slots=True)
class HeaderRow:
    """The row that names the columns."""

    index: int
    names: Mapping[int, str]
    """Names by column, each with its colon."""
    figures: frozenset[int] = frozenset()
    """Columns with figures below the header."""
    caption: str = ""
    """What rows below the header begin with, with its bar; empty where no caption names a year."""

    @classmethod
    def at(cls, index: int, row: Row, figures: frozenset[int], above: Iterable[Row] = ()) -> Self:
        """Return the header that is `row`, below the rows `above`, the nearest first."""
        names = {column: f"{one_line(text)}: " for column, text in row if column >= 0}
        return cls(index, names, figures, next(filter(None, map(_caption_of, above)), ""))

    def is_repeated_in(self, row: Row) -> bool:
        """Say whether `row` repeats the header; an empty row does not."""
        return bool(row) and all(
            self.names.get(column) == f"{one_line(text)}: " for column, text in row
        )

    def does_not_name(self, row: Row) -> bool:
        """Say whether `row` is a total: a label where figures are, and nothing to its left."""
        column, text = row[0] if row else (0, "")
        is_label = column > 0 and column in self.figures and _WORDS.search(text)
        return bool(is_label) and len(row) <= _TOTAL_CELLS

    def ends_at(self, row: Row) -> bool:
        """Say whether `row` is the header of another table below: words where figures were."""
        words = []
        for column, text in row:
            if column in self.figures:
                if not _WORDS.search(text):
                    return False
                words.append(text)
        return len(words) >= 2 and len(set(words)) == len(words)


class RowWriter:
    """Writes a table row by row, each with the header above it."""

    def __init__(self, sample: Sequence[Row]) -> None:
        """Look for a header in the first rows."""
        self.header = header_of(sample)
        """The header above the next row."""
        self._next = 0
        self._before: Row = ()
        self._width = 0

    def line(self, row: Row) -> str:
        """Return the next row as a line; cells may still hold newlines."""
        number, header, before = self._next, self.header, self._before
        self._next, self._before = number + 1, row
        if header is None or number <= header.index:
            return line_of(row)
        if header.is_repeated_in(row):
            caption = next(filter(None, map(_caption_of, self._above(before))), header.caption)
            self.header = replace(header, caption=caption)
            return line_of(row)
        if header.figures and header.ends_at(row):
            self.header = HeaderRow.at(number, row, header.figures, self._above(before))
            return line_of(row)
        self._width = max(self._width, len(row))
        return line_of(row) if header.does_not_name(row) else line_of(row, header)

    def _above(self, before: Row) -> list[Row]:
        """Return the row before a header where it may be a caption: one with all cells is data."""
        return [before] if len(before) < self._width else []


def _caption_of(row: Row) -> str:
    """Return a row of a few short cells, one of which names a year, with a bar; else nothing.

    A year alone does, and one among words; a day in figures says when the table was made. The other
    cells often name the unit.
    """
    cells = [one_line(text) for column, text in row if column >= 0]
    dated = sum(map(_names_a_year, cells))
    said = ", ".join(cells)
    if len(cells) > _CAPTION_CELLS or dated != 1 or len(said) > _CAPTION_LENGTH:
        return ""
    return f"{said} | "


def _names_a_year(text: str) -> bool:
    among_words = _WORDS.search(text) and _YEAR_WITHIN.search(text)
    return bool(among_words or _YEAR.fullmatch(text))


def header_of(rows: Sequence[Row]) -> HeaderRow | None:
    """Return the header of a table that begins with `rows`, None where none is certain.

    A header has words or years only, each once, over every column but the first that the rows
    below it use; and either figures are common below it or there are three columns that are mostly
    filled, since two columns of words may as well be pairs from the first row on. Where no row is
    one, two rows may be: groups, and below them what they are made of.
    """
    cells = list(map(_cells_of, rows[:_HEADER_ROWS]))
    heads = list(takewhile(_is_of_words, cells))
    for index, row in enumerate(heads):
        if _may_name(row) and (header := _header_at(index, row, rows)):
            return header
    for index, (upper, lower) in enumerate(pairwise(heads), 1):
        joined = _joined(upper, lower) if _may_name(upper) and _may_name(lower) else None
        if joined and (header := _header_at(index, joined, rows)):
            return header
    return None


def _cells_of(row: Row) -> list[tuple[int, str]]:
    return [(column, text) for column, text in row if column >= 0]


def _is_of_words(cells: Row) -> bool:
    """Say whether a row may be above the data: a single cell, or words and years alone."""
    return len(cells) < 2 or all(_WORDS.search(text) or _YEAR.fullmatch(text) for _, text in cells)


def _may_name(cells: Row) -> bool:
    return len(cells) > 1 and all(len(text) <= _NAME_LENGTH for _, text in cells)


def _header_at(index: int, names: Row, rows: Sequence[Row]) -> HeaderRow | None:
    below = [other for other in rows[index + 1 :] if other]
    under = [cell for other in below for cell in _cells_of(other)]
    # One year may as well be a figure of the first row.
    is_data = sum(_YEAR.fullmatch(text) is not None for _, text in names) == 1
    if is_data or not _names_columns(names, under, len(below)):
        return None
    figures = Counter(column for column, text in under if not _WORDS.search(text))
    most = frozenset(column for column, count in figures.items() if count >= 2)
    above = rows[max(0, index - _CAPTION_ROWS) : index]
    return HeaderRow.at(index, names, most, reversed(above))


def _joined(upper: Row, lower: Row) -> list[tuple[int, str]] | None:
    """Return the names of two rows joined, "2023, Rent"; None where the groups are uncertain.

    A group stands over the first of its columns, as in a merged cell. Where columns of several
    groups have the same names, each must have one; it may stand over the last of columns side by
    side.
    """
    groups, names = dict(upper), dict(upper)
    counts = Counter(text for _, text in lower)
    for block in _blocks(lower):
        repeated = [column for column, text in block if counts[text] > 1]
        heads = [column for column, _ in block if column in groups]
        if repeated and heads == [block[-1][0]]:
            groups[block[0][0]] = groups.pop(heads[0])
        elif repeated and (not heads or heads[0] > repeated[0]):
            return None
        group = ""
        for column, text in block:
            group = groups.get(column, group)
            names[column] = f"{group}, {text}" if group else text
    return sorted(names.items())


def _blocks(row: Row) -> list[list[tuple[int, str]]]:
    """Return the cells of a row, those side by side together."""
    blocks: list[list[tuple[int, str]]] = []
    for cell in row:
        if blocks and blocks[-1][-1][0] == cell[0] - 1:
            blocks[-1].append(cell)
        else:
            blocks.append([cell])
    return blocks


def _names_columns(cells: Row, under: Row, rows: int) -> bool:
    texts = [text for _, text in cells]
    if len(set(texts)) < len(texts):
        return False
    first = min((column for column, _ in under), default=0)
    named = {first, *(column for column, _ in cells)}
    if sum(column in named for column, _ in under) * 10 < len(under) * 9:
        return False
    figures = sum(_FIGURE.search(text) is not None for _, text in under)
    if figures * 10 >= len(under) * 3:
        return bool(under)
    return len(cells) >= 3 and len(under) * 10 >= len(cells) * rows * 6


def line_of(row: Row, header: HeaderRow | None = None) -> str:
    """Return a row as one line; cells may still hold newlines."""
    if header is not None:
        names = header.names
        said = " | ".join([names.get(column, "") + text for column, text in row])
        captioned = header.caption and len(row) > 1 and not _caption_of(row)
        return header.caption + said if captioned else said
    parts: list[str] = []
    expected = row[0][0] if row else 0
    for column, text in row:
        parts += [""] * min(column - expected, _GAP)
        parts.append(text)
        expected = column + 1
    return " | ".join(parts)


def named_lines(
    table: Sequence[Sequence[str]],
    shown: Callable[[str], str] = str,
    *,
    continued: Mapping[int, Collection[int]] | None = None,
) -> list[str] | None:
    """Return the rows of a table within a document, its columns named; None without a header.

    `table` holds the empty cells too, and `shown` returns what a cell shows. Documents hold forms
    as well, in which the first row names nothing. So columns are named only where there are three
    or more, and every row has a cell for each. A row of a single cell is not one of them.
    `continued` are the columns by row in which a cell goes on that began in a row above: below the
    header its words are said again.
    """
    widths = {len(cells) for cells in table if len(cells) > 1}
    if len(widths) != 1 or min(widths) < _DOCUMENT_COLUMNS:
        return None
    rows = [[(at, cell) for at, cell in enumerate(cells) if cell] for cells in table]
    wide = [row if len(cells) > 1 else [] for cells, row in zip(table, rows, strict=True)]
    writer = RowWriter([[(at, shown(cell)) for at, cell in row] for row in wide[:SAMPLE]])
    if writer.header is None or not _is_certain(writer.header, wide):
        return None
    added = len(table) * sum(map(len, writer.header.names.values()))
    if added > min(ADDED, _TIMES_LONGER * sum(len(cell) for cells in table for cell in cells)):
        return None
    if continued:
        _say_again(wide, continued, writer.header.index)
    return [writer.line(row) or line_of(rows[at]) for at, row in enumerate(wide)]


def _say_again(
    rows: list[list[tuple[int, str]]], continued: Mapping[int, Collection[int]], header: int
) -> None:
    """Put the words of cells that go on into the rows below, unless they are long."""
    for at in range(header + 2, len(rows)):
        above = [cell for cell in rows[at - 1] if cell[0] in continued.get(at, ())]
        rows[at] = sorted([*rows[at], *(cell for cell in above if len(cell[1]) <= _NAME_LENGTH)])


def _is_certain(header: HeaderRow, rows: Sequence[Row]) -> bool:
    """Say whether no name counts something, or is a cell of another row."""
    if any(_COUNTED.match(name) for name in header.names.values()):
        return False
    own = rows[header.index]
    names = {text for _, text in own}
    others = (row for row in rows if row != own and not header.is_repeated_in(row))
    return not any(text in names for row in others for _, text in row)


def one_line(text: str) -> str:
    """Return `text` with a space for each line break and the white space around it."""
    return _BREAKS.sub(" ", text)
