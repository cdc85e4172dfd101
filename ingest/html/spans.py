"""Cells of an HTML table that span several columns or rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.html.tags import SPAN

SPANS = re.compile(f"{SPAN}([0-9]+),([0-9]+){SPAN}")
"""What a cell that spans several begins with: how many columns, and how many rows."""
_HEADER_ROWS = 3
"""Rows that may be a header, or the names of groups above one."""
_MOST_COLUMNS, _MOST_ROWS = 100, 1000
"""Columns and rows over which a span is heeded."""


def spread(rows: Sequence[Sequence[str]]) -> tuple[list[list[str]], dict[int, set[int]]]:
    """Return rows with an empty cell wherever one goes on, and the columns where one does by row.

    The second names only cells that began in a row above. A row that is a single cell stays one.
    Where cells span columns below the header, the table sets out a page: its rows stay as they are.
    """
    if any(_is_wide(row) for row in rows[_HEADER_ROWS:]):
        return [[SPANS.sub("", text).strip() for text in row] for row in rows], {}
    table: list[list[str]] = []
    continued: dict[int, set[int]] = {}
    left: dict[int, int] = {}
    """Rows in which a cell still goes on, by column."""
    for number, row in enumerate(rows):
        if len(row) == 1 and not left:
            table.append([SPANS.sub("", row[0]).strip()])
            continue
        cells: dict[int, str] = {}
        below: dict[int, int] = {}
        column = 0
        for text in row:
            while column in left:
                column += 1
            span = SPANS.match(text)
            wide, high = (int(span[1]), int(span[2])) if span else (1, 1)
            cells[column] = SPANS.sub("", text).strip()
            if high > 1:
                spanned = range(column, column + min(wide, _MOST_COLUMNS))
                below |= dict.fromkeys(spanned, min(high, _MOST_ROWS) - 1)
            column += max(1, min(wide, _MOST_COLUMNS - column))
        if left:
            continued[number] = set(left)
        width = max([column, *(at + 1 for at in left)])
        table.append([cells.get(at, "") for at in range(width)])
        left = {at: count - 1 for at, count in left.items() if count > 1} | below
    return table, continued


def _is_wide(row: Sequence[str]) -> bool:
    """Say whether a row has other cells beside one that spans columns."""
    spans = map(SPANS.match, row) if len(row) > 1 else ()
    return any(int(span[1]) > 1 for span in spans if span)
