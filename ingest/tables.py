"""Rows of cells to text: a line per row, which names its columns where the table has a header.

A row is a passage of its own, and is found and quoted without the rows around it. "Ana | 12" then
says nothing, so a row is written "Name: Ana | Amount: 12": a model can answer from it alone. The
words of the header stand in every row and thus weigh next to nothing when passages are ranked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, islice

from ingest.clean import clean, clean_line
from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.layout import TEXT_LIMIT
from ingest.origin import Origin
from ingest.sieve import Read

Row = Sequence[tuple[int, str]]
"""Column and text of each cell that is not empty; what stands in a column below 0 is no cell."""

CELLS = 2_000_000
"""Cells of one table that are read."""
RECORDS = 200_000
"""Rows up to which each is a passage of its own."""
SAMPLE = 30
"""Rows from which it is told whether there is a header."""
HIDDEN_ROW = (-1, "[hidden row]")
"""Stands before the cells of such a row."""

_HEADER_ROWS = 10
_NAME_LENGTH = 60
_GAP = 8
_WORDS = re.compile(r"[^\W\d_]")
_FIGURE = re.compile(r"\d")
_BREAKS = re.compile(r"\s*[\r\n]\s*")


@dataclass(frozen=True, slots=True)
class Header:
    """The row that names the columns."""

    index: int
    names: Mapping[int, str]
    """By column, each with its colon."""


def header_of(rows: Sequence[Row]) -> Header | None:
    """Return the header of a table that begins with `rows`, None where none is certain.

    A header has words only, each once, over every column that the rows below it use; and either
    figures are common below it or there are three columns, since two columns of words may as well
    be pairs from the first row on.
    """
    for index, row in enumerate(rows[:_HEADER_ROWS]):
        cells = [(column, text) for column, text in row if column >= 0]
        below = [other for other in rows[index + 1 :] if other]
        if len(cells) >= 2 and below and _names_columns(cells, below):
            return Header(index, {column: f"{_one_line(text)}: " for column, text in cells})
        if len(cells) >= 2:
            return None
    return None


def _names_columns(cells: Row, below: Sequence[Row]) -> bool:
    texts = [text for _, text in cells]
    if len(set(texts)) < len(texts):
        return False
    if not all(len(text) <= _NAME_LENGTH and _WORDS.search(text) for text in texts):
        return False
    columns = {column for column, _ in cells}
    under = [cell for row in below for cell in row if cell[0] >= 0]
    if sum(column in columns for column, _ in under) * 10 < len(under) * 9:
        return False
    figures = sum(_FIGURE.search(text) is not None for _, text in under)
    return bool(under) and (len(cells) >= 3 or figures * 10 >= len(under) * 3)


def line_of(row: Row, header: Header | None = None) -> str:
    """Return a row as one line; its cells may hold newlines still."""
    if header is not None:
        names = header.names
        return " | ".join([names.get(column, "") + text for column, text in row])
    parts: list[str] = []
    expected = row[0][0] if row else 0
    for column, text in row:
        parts += [""] * min(column - expected, _GAP)
        parts.append(text)
        expected = column + 1
    return " | ".join(parts)


class _Lines:
    """The lines of a table as they come, up to the limits."""

    def __init__(self) -> None:
        self.count = 0
        self.is_cut = False

    def of(self, rows: Iterable[Row]) -> Iterator[str]:
        source = iter(rows)
        sample = list(islice(source, SAMPLE))
        header = header_of(sample)
        last = header.index if header else -1
        size = cells = 0
        for number, row in enumerate(chain(sample, source)):
            line = line_of(row, header if number > last else None)
            if "\n" in line or "\r" in line:
                line = _one_line(line)
            size += len(line) + 1
            cells += len(row)
            if size > TEXT_LIMIT or cells > CELLS:
                self.is_cut = True
                return
            self.count += 1
            yield line


def sheet_reads(
    origin: Origin,
    name: str,
    rows: Iterable[Row],
    flags: Iterable[str] = (),
    hidden: int = 0,
) -> Iterator[Read]:
    """Yield one sheet of a workbook, its rows as records, and what was left out of it.

    `flags` are asked for when the rows have been read. A sheet without text yields nothing.
    """
    name = clean_line(name)
    lines = _Lines()
    text, removed = clean("\n".join(line for line in lines.of(rows) if line))
    if text.strip():
        place = replace(origin, locator=replace(origin.locator, sheet=name))
        title = f"{origin.title}, {name}" if name else origin.title
        item = place.document(text, hidden + removed, title=title, records=line_starts(text))
        yield replace(item, flags=tuple(dict.fromkeys(flags)))
    if lines.is_cut:
        yield sheet_cut(origin, name, lines.count)


def sheet_cut(origin: Origin, name: str, row: int) -> Read:
    """Return the skip of what lies beyond the last row of a sheet that is read."""
    remedy = "The sheet is too long to be read to its end; split it."
    return origin.skipped(Reason.TOO_LARGE, remedy, f"sheet {name} after row {row:,}")


def hidden_in(rows: Iterable[Row]) -> int:
    """Return the characters of a sheet that nobody sees, as far as they are counted."""
    lines = _Lines()
    return sum(len("".join(line.split())) for line in lines.of(rows))


def line_starts(text: str) -> tuple[int, ...]:
    """Return where each line begins, () when there are too many to be passages."""
    if text.count("\n") >= RECORDS:
        return ()
    return (0, *accumulate(len(line) + 1 for line in text.split("\n")[:-1]))


def nothing_in(origin: Origin) -> UnreadableError:
    """Return the error for a workbook in which no sheet holds text."""
    return UnreadableError(Reason.EMPTY, "Its sheets hold nothing.")


def _one_line(text: str) -> str:
    return _BREAKS.sub(" ", text)
