"""Rows and columns of the fragments of a page.

Fragments below each other are a column. Programs draw a table row by row: a row ends where the next
fragment is in a column further left.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from ingest.placed.fragments import HYPHEN, SAME_LINE, Fragment

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
PlacedRow = list[tuple[int, Fragment]]
"""The fragments of a row in the order in which they were drawn, each with its column."""


def columns_from(fragments: Sequence[Fragment], number: int) -> tuple[Columns, int]:
    """Return the columns of the table that a fragment begins, and where it ends."""
    columns: Columns = []
    top, low = fragments[number].top, fragments[number].bottom
    for at in range(number, len(fragments)):
        fragment = fragments[at]
        found = columns_under(columns, fragment)
        if len(found) > 1 or len(columns) > _MOST_COLUMNS:
            return columns, at
        if not low - _BELOW * fragment.height < fragment.top < top + 2 * fragment.height:
            return columns, at
        low = min(low, fragment.bottom)
        if found:
            begin, end = columns[found[0]]
            columns[found[0]] = min(begin, fragment.left), max(end, fragment.right)
        else:
            columns = sorted([*columns, (fragment.left, fragment.right)])
    return columns, len(fragments)


def columns_under(columns: Columns, fragment: Fragment) -> list[int]:
    """Return the columns that a fragment stands in."""
    left, right = fragment.left, fragment.right
    return [at for at, (begin, end) in enumerate(columns) if left < end and right > begin]


def first_of_table(fragments: Sequence[Fragment], columns: Columns, number: int, free: int) -> int:
    """Return the number of the first fragment of a table.

    Above its first row a header may name some of the columns, and the first cells of the row may
    have several lines.
    """
    first = fragments[number]
    for _ in range(_HEADER_LINES):
        line = _line_before(fragments, number, free)
        hits = [columns_under(columns, fragment) for fragment in line]
        each = {one for found in hits for one in found}
        if len(line) < 2 or any(len(found) != 1 for found in hits) or len(each) < len(line):
            break
        if _over_groups(line, columns):
            break
        if not 0 < line[0].top - first.top < _BELOW * first.height:
            break
        number -= len(line)
        first = line[0]
    column = columns_under(columns, first)[0]
    while number > free:
        fragment = fragments[number - 1]
        found = columns_under(columns, fragment)
        is_near = abs(fragment.bottom - first.bottom) < 2 * first.height
        if len(found) != 1 or found[0] >= column or not is_near:
            break
        number -= 1
    return number


def _line_before(fragments: Sequence[Fragment], number: int, free: int) -> list[Fragment]:
    """Return the fragments drawn before this one that stand on one line."""
    above = fragments[free:number][-_MOST_COLUMNS:]
    return [*takewhile(lambda one: one.line == above[-1].line, reversed(above))][::-1]


def rows_of(fragments: Sequence[Fragment], columns: Columns) -> list[PlacedRow]:
    """Return the fragments row by row."""
    rows: list[PlacedRow] = []
    for fragment in fragments:
        (column,) = columns_under(columns, fragment)
        if not rows or not _is_of_row(rows[-1], column, fragment, columns):
            rows.append([])
        rows[-1].append((column, fragment))
    return _joined(rows, columns)


def _joined(rows: Sequence[PlacedRow], columns: Columns) -> list[PlacedRow]:
    """Return rows with those joined that are lines of one: of the one above or, nearer, below."""
    joined: list[PlacedRow] = []
    lead: PlacedRow = []
    for row, following in zip(rows, [*rows[1:], []], strict=True):
        own, lead = lead + row, []
        up = bool(joined) and _may_go_on(joined, own) and _goes_on(joined[-1], own, columns)
        down = bool(joined and following) and _leads_to(own, following, columns)
        if down and not (up and _gap(joined[-1], own) < _gap(own, following)):
            lead = own
        elif up:
            joined[-1] = joined[-1] + own
        else:
            joined.append(own)
    return joined


def _may_go_on(rows: Sequence[PlacedRow], following: PlacedRow) -> bool:
    """Say whether a row has few enough cells to be a line of the last one: below a header, half."""
    cells, more = len(dict(rows[-1])), len(dict(following))
    return more * 2 <= cells if len(rows) == 1 else more < cells


def _is_of_row(row: PlacedRow, column: int, fragment: Fragment, columns: Columns) -> bool:
    before_column, before = row[-1]
    if column == before_column and fragment.line != before.line:
        return _continues(before, fragment, columns[column])
    low = min(one.bottom for _, one in row)
    return column >= before_column and fragment.top - SAME_LINE * fragment.height > low


def _goes_on(row: PlacedRow, following: PlacedRow, columns: Columns) -> bool:
    """Say whether all cells of a row are further lines of cells of the one before it.

    In the first column that takes a small letter too: what follows is mostly a row of its own.
    """
    if following[0][0] == 0 and not following[0][1].text[0].islower():
        return False
    last = dict(row)
    for column, fragment in following:
        if column not in last or not _continues(last[column], fragment, columns[column]):
            return False
        last[column] = fragment
    return True


def _leads_to(row: PlacedRow, following: PlacedRow, columns: Columns) -> bool:
    """Say whether all cells of a row are first lines of cells of the next one, which has more."""
    first = dict(reversed(following))
    if row[0][0] == 0 or len(first) <= len(dict(row)):
        return False
    return all(
        column in first and _continues(fragment, first[column], columns[column])
        for column, fragment in dict(row).items()
    )


def _gap(row: PlacedRow, following: PlacedRow) -> float:
    """Return how far the cells of a row lie below those of the one before it."""
    last, first = dict(row), dict(reversed(following))
    return min(last[at].bottom - first[at].top for at in last.keys() & first.keys())


def _continues(before: Fragment, fragment: Fragment, column: tuple[float, float]) -> bool:
    """Say whether words are the next line of those above: close, where these left no room."""
    if before.bottom - fragment.top > _TIGHT * fragment.height:
        return False
    if not (_LETTER.search(before.text) and _LETTER.search(fragment.text)):
        return False
    word = len(fragment.text.split()[0]) + 1
    wide = before.right - before.left
    wide += (fragment.right - fragment.left) * word / len(fragment.text)
    return fragment.text[0].islower() or wide > column[1] - column[0]


def cells_of(row: PlacedRow, columns: Columns) -> list[str]:
    """Return the text of each cell, which is empty where the row has none."""
    cells = [""] * len(columns)
    for column, fragment in row:
        cells[column] = f"{cells[column]} {fragment.text}".strip().replace(f"{HYPHEN} ", HYPHEN)
    return cells


def groups_above(above: Sequence[Fragment], header: PlacedRow, columns: Columns) -> PlacedRow:
    """Return the line above a header if it names groups of columns, each over its first column."""
    line = _line_before(above, len(above), 0)
    if not line or abs(line[0].bottom - header[0][1].top) > _BELOW * line[0].height:
        return []
    return _over_groups(line, columns)


def _over_groups(line: Sequence[Fragment], columns: Columns) -> PlacedRow:
    """Return the fragments of a line over groups of equally many columns; else none.

    The first column may have a name of its own.
    """
    labels = [(0, one) for one in line if one.left < columns[0][1]]
    groups = line[len(labels) :]
    each, rest = divmod(len(columns) - 1, len(groups) or 1)
    if len(groups) < 2 or each < 2 or rest:
        return []
    placed = list(labels)
    for number, fragment in enumerate(groups):
        first = 1 + number * each
        own = columns[first : first + each]
        if not own[0][0] < (fragment.left + fragment.right) / 2 < own[-1][1]:
            return []
        placed.append((first, fragment))
    return placed
