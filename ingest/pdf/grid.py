"""Rows and columns of the pieces of a page.

Pieces below each other are a column. Programs draw a table row by row: a row ends where the next
piece is in a column further left.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from ingest.pdf.page import HYPHEN
from ingest.pdf.pieces import SAME_LINE, Piece

_BELOW = 3.0
"""Heights by which two rows of a table are apart at most."""
_TIGHT = 0.6
"""Heights by which two lines of one cell are apart at most."""
_HEADER_LINES = 3
"""Lines above the first full row that may name columns."""
_MOST_COLUMNS = 50
_LETTER = re.compile(r"[^\W\d_]")

Columns = list[tuple[float, float]]
"""Left and right end of each column, from the left."""
PlacedRow = list[tuple[int, Piece]]
"""The pieces of a row in the order in which they were drawn, each with its column."""


def grown(pieces: Sequence[Piece], number: int) -> tuple[Columns, int]:
    """Return the columns of the table that a piece begins, and the number of the piece behind."""
    columns: Columns = []
    top, low = pieces[number].top, pieces[number].bottom
    for at in range(number, len(pieces)):
        piece = pieces[at]
        found = hit(columns, piece)
        if len(found) > 1 or not low < piece.top + _BELOW * piece.height:
            return columns, at
        if piece.top > top + 2 * piece.height:
            return columns, at
        low = min(low, piece.bottom)
        if found:
            begin, end = columns[found[0]]
            columns[found[0]] = min(begin, piece.left), max(end, piece.right)
        else:
            columns = sorted([*columns, (piece.left, piece.right)])
    return columns, len(pieces)


def hit(columns: Columns, piece: Piece) -> list[int]:
    """Return the columns that a piece stands in."""
    left, right = piece.left, piece.right
    return [at for at, (begin, end) in enumerate(columns) if left < end and right > begin]


def begun(pieces: Sequence[Piece], columns: Columns, number: int, free: int) -> int:
    """Return the number of the first piece of a table.

    Above its first row a header may name some of the columns, and the first cells of the row may
    have several lines.
    """
    first = pieces[number]
    for _ in range(_HEADER_LINES):
        line = _line_before(pieces, number, free)
        hits = [hit(columns, piece) for piece in line]
        each = {one for found in hits for one in found}
        if len(line) < 2 or any(len(found) != 1 for found in hits) or len(each) < len(line):
            break
        if _over_groups(line, columns):
            break
        if not 0 < line[0].top - first.top < _BELOW * first.height:
            break
        number -= len(line)
        first = line[0]
    column = hit(columns, first)[0]
    while number > free:
        piece = pieces[number - 1]
        found = hit(columns, piece)
        is_near = abs(piece.bottom - first.bottom) < 2 * first.height
        if len(found) != 1 or found[0] >= column or not is_near:
            break
        number -= 1
    return number


def _line_before(pieces: Sequence[Piece], number: int, free: int) -> list[Piece]:
    """Return the pieces drawn before this one that stand on one line."""
    above = pieces[free:number][-_MOST_COLUMNS:]
    return [*takewhile(lambda one: one.line == above[-1].line, reversed(above))][::-1]


def rows_of(pieces: Sequence[Piece], columns: Columns) -> list[PlacedRow]:
    """Return the pieces row by row."""
    rows: list[PlacedRow] = []
    for piece in pieces:
        (column,) = hit(columns, piece)
        if not rows or not _is_of_row(rows[-1], column, piece, columns):
            _join_last(rows, columns)
            rows.append([])
        rows[-1].append((column, piece))
    _join_last(rows, columns)
    return rows


def _join_last(rows: list[PlacedRow], columns: Columns) -> None:
    """Join the last row to the one before it, if it only goes on with that."""
    if len(rows) > 1 and _goes_on(rows[-2], rows[-1], columns):
        last = rows.pop()
        rows[-1] += last


def _is_of_row(row: PlacedRow, column: int, piece: Piece, columns: Columns) -> bool:
    before_column, before = row[-1]
    if column == before_column and piece.line != before.line:
        return _continues(before, piece, columns[column])
    low = min(one.bottom for _, one in row)
    return column >= before_column and piece.top - SAME_LINE * piece.height > low


def _goes_on(row: PlacedRow, following: PlacedRow, columns: Columns) -> bool:
    """Say whether all cells of a row are further lines of cells of the one before it."""
    if following[0][0] == 0:
        return False
    lowest = dict(row)
    return all(
        column in lowest and _continues(lowest[column], piece, columns[column])
        for column, piece in following
    )


def _continues(before: Piece, piece: Piece, column: tuple[float, float]) -> bool:
    """Say whether words are the next line of those above: close, where these left no room."""
    if before.bottom - piece.top > _TIGHT * piece.height:
        return False
    if not (_LETTER.search(before.text) and _LETTER.search(piece.text)):
        return False
    word = len(piece.text.split()[0]) + 1
    wide = before.right - before.left
    wide += (piece.right - piece.left) * word / len(piece.text)
    return piece.text[0].islower() or wide > column[1] - column[0]


def cells_of(row: PlacedRow, columns: Columns) -> list[str]:
    """Return the text of each cell, which is empty where the row has none."""
    cells = [""] * len(columns)
    for column, piece in row:
        cells[column] = f"{cells[column]} {piece.text}".strip().replace(f"{HYPHEN} ", HYPHEN)
    return cells


def groups_above(above: Sequence[Piece], header: PlacedRow, columns: Columns) -> PlacedRow:
    """Return the line above a header if it names groups of columns, each over its first column."""
    line = _line_before(above, len(above), 0)
    if not line or abs(line[0].bottom - header[0][1].top) > _BELOW * line[0].height:
        return []
    return _over_groups(line, columns)


def _over_groups(line: Sequence[Piece], columns: Columns) -> PlacedRow:
    """Return the pieces of a line over groups of equally many columns; else none.

    The first column may have a name of its own.
    """
    labels = [(0, one) for one in line if one.left < columns[0][1]]
    groups = line[len(labels) :]
    each, rest = divmod(len(columns) - 1, len(groups) or 1)
    if len(groups) < 2 or each < 2 or rest:
        return []
    placed = list(labels)
    for number, piece in enumerate(groups):
        first = 1 + number * each
        own = columns[first : first + each]
        if not own[0][0] < (piece.left + piece.right) / 2 < own[-1][1]:
            return []
        placed.append((first, piece))
    return placed
