"""Tables on the pages of a document: rows that name their columns, told by where words stand.

The text of a page has its words in the order in which they were drawn, with a blank between two
cells as between two words, and no trace of an empty cell.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from ingest.layout.rows import named_lines
from ingest.placed.fragments import BoxOf, Fragment, fragments_of
from ingest.placed.grid import (
    Columns,
    PlacedRow,
    cells_of,
    columns_from,
    first_of_table,
    groups_above,
    rows_of,
)

_COLUMNS = 3
"""Least columns: two are a form, whose lines say as much without names."""
_ROWS = 3
"""Least rows, the header among them."""
_TRIES = 3
"""Lines of one stretch that are tried as the first of a table."""
_IN_LINE = 0.25
"""Heights by which cells that are in line differ at most."""
_WORDY = 4.0
"""Words of a cell, on average, from which columns without figures are prose."""
_FIGURE = re.compile(r"\d")
_AMOUNT = re.compile(r"[^\d\n]{0,4}\d[\d.,' -]*[^\d\n]{0,4}")
"""A figure with its sign, currency or unit."""


@dataclass(frozen=True, slots=True)
class Grid:
    """What may be a table."""

    columns: Columns
    rows: list[PlacedRow]
    cells: list[list[str]]
    """The text of each cell, empty ones too."""
    heads: list[list[str]]
    """The rows that name the columns, if it is a table."""
    end: int
    """Number of the fragment behind it."""

    @property
    def above_a_title(self) -> Grid:
        """The part above the first row below the header that is one cell, in the first column."""
        header = len(self.heads)
        single = (at for at, row in enumerate(self.rows) if len(row) == 1 and row[0][0] == 0)
        cut = next((at for at in single if at > header), len(self.rows))
        end = self.end - sum(map(len, self.rows[cut:]))
        return replace(self, rows=self.rows[:cut], cells=self.cells[:cut], end=end)

    @property
    def span(self) -> tuple[int, int]:
        """Where it begins and ends in the text of the page."""
        held = [fragment for row in self.rows for _, fragment in row]
        return min(one.begin for one in held), max(one.end for one in held)

    @property
    def is_regular(self) -> bool:
        """Whether it looks like a table: no form, no columns of prose, cells in line."""
        return (
            len(self.columns) >= _COLUMNS
            and not _is_form(self.cells)
            and not _is_prose(self.cells)
            and not _is_spanned(self.rows)
            and _is_aligned(self.rows)
        )

    def is_whole_in(self, text: str) -> bool:
        """Say whether everything between its first and its last letter is in a cell."""
        begin, end = self.span
        held = sum(len("".join(fragment.text.split())) for row in self.rows for _, fragment in row)
        return held == len("".join(text[begin:end].split()))

    def going_on_in(self, other: Grid) -> list[list[str]]:
        """Return the cells of a grid on the next page, in the columns of this one.

        There are none where the other has a header of its own, or columns of its own.
        """
        if other.cells[0] == self.heads[0]:
            return []
        own, others = _places(self.rows[len(self.heads) :]), _places(other.rows)
        within = _IN_LINE * other.rows[0][0][1].height
        columns: dict[int, int] = {}
        for column, places in sorted(others.items()):
            right = (at for at in sorted(own) if at > max(columns.values(), default=-1))
            found = next((at for at in right if _are_in_line(own[at], places, within)), None)
            if found is None:
                return []
            columns[column] = found
        cells = [[""] * len(self.columns) for _ in other.cells]
        for row, said in zip(cells, other.cells, strict=True):
            for column, at in columns.items():
                row[at] = said[column]
        return cells


@dataclass(frozen=True, slots=True)
class PlacedTable:
    """A table of a page."""

    begin: int
    end: int
    """Where it stands in the text of the page."""
    lines: list[str]
    """Its rows, which name their columns."""


class Tables:
    """Names the columns of a document's tables, page by page."""

    def __init__(self, *, bare: bool = False, amounts: bool = False) -> None:
        """Begin with the first page; `bare` tables, without a certain header, count or do not.

        With `amounts` nothing but a list of two columns counts, the second one of figures.
        """
        self._bare, self._amounts = bare, amounts
        self._last: Grid | None = None
        """The last table of the page before."""

    def named(self, text: str, box_of: BoxOf) -> str:
        """Return the text of the next page, in which rows of tables name their columns.

        What is no table, or has no certain header, stays as it is. A table that goes on from the
        page before keeps its header.
        """
        parts, at = [], 0
        for table in self.found(text, box_of):
            parts += [text[at : table.begin], "\n".join(table.lines)]
            at = table.end
        return "".join([*parts, text[at:]]) if at else text

    def found(self, text: str, box_of: BoxOf) -> Iterator[PlacedTable]:
        """Yield the tables of the next page in order."""
        before, self._last = self._last, None
        for grid, lines in self._found(text, fragments_of(text, box_of), before):
            yield PlacedTable(*grid.span, [line for line in lines if line])

    def _found(
        self, text: str, fragments: Sequence[Fragment], before: Grid | None
    ) -> Iterator[tuple[Grid, list[str]]]:
        """Yield each table of a page with its lines."""
        counts = Counter(fragment.line for fragment in fragments)
        number = free = tried = 0
        while number < len(fragments):
            line = fragments[number].line
            if counts[line] < (2 if self._amounts else _COLUMNS):
                number += 1
                continue
            grid = _grid(fragments, number, free)
            if found := self._named(text, grid, before):
                yield found
                number = free = found[0].end
                tried, before = 0, None
                continue
            tried = (tried + 1) % _TRIES
            others = (at for at in range(number, grid.end) if fragments[at].line != line)
            number = next(others, grid.end) if tried else grid.end

    def _named(self, text: str, grid: Grid, before: Grid | None) -> tuple[Grid, list[str]] | None:
        """Return a grid with its lines, or its part above a title; None where it is no table."""
        for part in (grid, grid.above_a_title):
            if lines := self._lines(text, part, before):
                return part, lines
        return None

    def _lines(self, text: str, grid: Grid, before: Grid | None) -> list[str]:
        """Return a grid as lines that name its columns; none where it is no table."""
        if self._amounts:
            is_list = _is_list_of_amounts(grid.cells) and _is_aligned(grid.rows)
            return _barred(grid.cells) if is_list and grid.is_whole_in(text) else []
        if not (grid.rows and grid.is_regular and grid.is_whole_in(text)):
            return []
        if before and (cells := before.going_on_in(grid)):
            heads = before.heads
            if named := named_lines([*heads, *cells]):
                self._last = before
                return named[len(heads) :]
        if len(grid.rows) < _ROWS:
            return []
        if named := named_lines(grid.cells):
            self._last = grid
            return named
        return _barred(grid.cells) if self._bare and _is_dense(grid.cells) else []


def _barred(rows: Sequence[Sequence[str]]) -> list[str]:
    return [" | ".join(row) for row in rows]


def _grid(fragments: Sequence[Fragment], number: int, free: int) -> Grid:
    """Return the grid that a fragment is of.

    It begins at the fragment that is `free` at the earliest. Words below it, in its first column
    alone, are not of it.
    """
    columns, end = columns_from(fragments, number)
    begin = first_of_table(fragments, columns, number, free)
    rows = rows_of(fragments[begin:end], columns)
    while len(rows) > 1 and len(rows[-1]) == 1 and rows[-1][0][0] == 0:
        end -= len(rows.pop())
    header = 1
    if groups := groups_above(fragments[free:begin], rows[0], columns):
        rows, header = [groups, *rows], 2
    cells = [cells_of(row, columns) for row in rows]
    return Grid(columns, rows, cells, cells[:header], end)


def _is_form(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether most rows are a label and its value, or the first row is of labels."""
    wide = sum(sum(map(bool, row)) >= _COLUMNS for row in rows)
    return wide * 2 < len(rows) or any(cell.endswith(":") for cell in rows[0])


def _is_spanned(rows: Sequence[PlacedRow]) -> bool:
    """Say whether most rows have two cells where a header over several columns makes one."""
    double = 0
    for row in rows:
        places = Counter((column, fragment.line) for column, fragment in row)
        double += max(places.values()) > 1
    return double * 2 > len(rows)


def _is_aligned(rows: Sequence[PlacedRow]) -> bool:
    """Say whether the cells of most columns have their left ends, right ends or middles in line."""
    within = _IN_LINE * rows[0][0][1].height
    columns = _places(rows).values()
    aligned = sum(
        any(
            sum(abs(one - median(places)) < within for one in places) * 3 >= 2 * len(places)
            for places in zip(*own, strict=True)
        )
        for own in columns
    )
    return aligned * 2 > len(columns)


def _are_in_line(
    own: Sequence[tuple[float, float, float]],
    others: Sequence[tuple[float, float, float]],
    within: float,
) -> bool:
    """Say whether two columns have their left ends, middles or right ends in line."""
    ends = zip(zip(*own, strict=True), zip(*others, strict=True), strict=True)
    return any(abs(median(one) - median(other)) < within for one, other in ends)


def _places(rows: Sequence[PlacedRow]) -> dict[int, list[tuple[float, float, float]]]:
    """Return the left end, middle and right end of the fragments in each column."""
    places: dict[int, list[tuple[float, float, float]]] = {}
    for row in rows:
        for column, fragment in row:
            ends = fragment.left, (fragment.left + fragment.right) / 2, fragment.right
            places.setdefault(column, []).append(ends)
    return places


def _is_dense(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether few cells are empty, many are figures, and no column is of prose."""
    cells = [cell for row in rows for cell in row]
    figures = sum(_FIGURE.search(cell) is not None for cell in cells)
    if sum(map(bool, cells)) * 4 < len(cells) * 3 or figures * 10 < len(cells) * 3:
        return False
    columns = zip(*rows, strict=True)
    return all(sum(len(cell.split()) for cell in own) <= _WORDY * len(rows) for own in columns)


def _is_list_of_amounts(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether rows are of words and a figure behind them; few have no figure, or it alone."""
    if len(rows) < _ROWS or len(rows[0]) != 2:
        return False
    whole = sum(bool(said) and _AMOUNT.fullmatch(amount) is not None for said, amount in rows)
    return whole * 5 >= len(rows) * 4


def _is_prose(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether columns are of text: few figures, and many words a cell or lines that go on."""
    cells = [cell for row in rows[1:] for cell in row if cell]
    figures = sum(_FIGURE.search(cell) is not None for cell in cells)
    if figures * 10 >= len(cells) * 3:
        return False
    words = sum(len(cell.split()) for cell in cells)
    lower = sum(cell[0].islower() for cell in cells)
    return words > _WORDY * len(cells) or lower * 2 > len(cells)
