"""Rows of cells to text: a line per row, which names its columns where the table has a header.

A row is a passage of its own: it is found and quoted without the rows around it. "Ana | 12" then
says nothing, so a row is written "Name: Ana | Amount: 12": a model can answer from it alone. The
words of the header are in every row, so they weigh next to nothing when passages are ranked. Where
a caption above the header names a year, each row begins with it: many sheets hold the same table
for this year and for the one before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, islice
from typing import Self

from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.layout.blocks import TEXT_LIMIT
from ingest.origin import Origin
from ingest.sieve import Read
from ingest.text.clean import clean, clean_line

Row = Sequence[tuple[int, str]]
"""Column and text of each cell that is not empty. A column below 0 holds notes, not cells."""

CELLS = 2_000_000
"""Cells of one table that are read."""
RECORDS = 200_000
"""Most rows of a table whose rows are passages of their own."""
SAMPLE = 30
"""Rows that decide whether there is a header."""
HIDDEN_ROW = (-1, "[hidden row]")
"""Precedes the cells of a hidden row."""

_HEADER_ROWS = 10
_NAME_LENGTH = 80
_GAP = 8
_WORDS = re.compile(r"[^\W\d_]")
_YEAR = re.compile(r"(?:19|20)\d\d")
_CAPTION_CELLS = 3
_CAPTION_LENGTH = 60
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
        names = {column: f"{_one_line(text)}: " for column, text in row if column >= 0}
        return cls(index, names, figures, next(filter(None, map(_caption_of, above)), ""))

    def is_repeated_in(self, row: Row) -> bool:
        """Say whether `row` repeats the header."""
        return all(self.names.get(column) == f"{_one_line(text)}: " for column, text in row)

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
        self._header = header_of(sample)
        self._next = 0
        self._before: Row = ()

    def line(self, row: Row) -> str:
        """Return the next row as a line; cells may still hold newlines."""
        number, header, before = self._next, self._header, self._before
        self._next, self._before = number + 1, row
        if header is None or number <= header.index:
            return line_of(row)
        if header.is_repeated_in(row):
            self._header = replace(header, caption=_caption_of(before) or header.caption)
            return line_of(row)
        if header.figures and header.ends_at(row):
            self._header = HeaderRow.at(number, row, header.figures, [before])
            return line_of(row)
        return line_of(row, header)


def _caption_of(row: Row) -> str:
    """Return a row of a few short cells, one of which names a year, with a bar; else nothing.

    A year alone does, and one among words; a day in figures says when the table was made. The other
    cells often name the unit.
    """
    cells = [_one_line(text) for column, text in row if column >= 0]
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
    filled, since two columns of words may as well be pairs from the first row on.
    """
    for index, row in enumerate(rows[:_HEADER_ROWS]):
        cells = [(column, text) for column, text in row if column >= 0]
        if len(cells) < 2:
            continue
        years = sum(_YEAR.fullmatch(text) is not None for _, text in cells)
        if sum(_WORDS.search(text) is not None for _, text in cells) + years < len(cells):
            return None
        below = [other for other in rows[index + 1 :] if other]
        under = [cell for other in below for cell in other if cell[0] >= 0]
        # One year may as well be a figure of the first row.
        if years != 1 and _names_columns(cells, under, len(below)):
            figures = Counter(column for column, text in under if not _WORDS.search(text))
            most = frozenset(column for column, count in figures.items() if count >= 2)
            above = rows[max(0, index - _CAPTION_ROWS) : index]
            return HeaderRow.at(index, cells, most, reversed(above))
    return None


def _names_columns(cells: Row, under: Row, rows: int) -> bool:
    texts = [text for _, text in cells]
    if len(set(texts)) < len(texts) or any(len(text) > _NAME_LENGTH for text in texts):
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


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet of a workbook, before its rows are read."""

    name: str
    rows: Iterable[Row]
    is_hidden: bool = False
    flags: list[str] = field(default_factory=list)
    """Flags of the sheet; complete once the rows are read."""
    is_whole: bool = True
    """Whether all rows are there."""


class _Lines:
    """The lines of a table as they come, up to the limits."""

    def __init__(self, limit: int) -> None:
        self.count = 0
        self.is_cut = False
        self._limit = limit

    def of(self, rows: Iterable[Row]) -> Iterator[str]:
        source = iter(rows)
        sample = list(islice(source, SAMPLE))
        naming = RowWriter(sample)
        size = cells = 0
        for row in chain(sample, source):
            line = naming.line(row)
            if "\n" in line or "\r" in line:
                line = _one_line(line)
            size += len(line) + 1
            cells += len(row)
            if size > self._limit or cells > CELLS:
                self.is_cut = True
                return
            self.count += 1
            yield line


def workbook_reads(
    origin: Origin, sheets: Iterable[Sheet], flags: Iterable[str] = ()
) -> Iterator[Read]:
    """Yield an item for each sheet that is shown, its rows as records, and what was left out.

    What hidden sheets hold is counted, and the first sheet that is shown says so. Raises
    UnreadableError when no sheet that is shown holds text.
    """
    about = dict.fromkeys(flags)
    left = TEXT_LIMIT
    hidden = 0
    is_empty = True
    for sheet in sorted(sheets, key=lambda sheet: not sheet.is_hidden):
        name = clean_line(sheet.name)
        lines = _Lines(left)
        rows = lines.of(sheet.rows)
        if sheet.is_hidden:
            hidden += sum(len("".join(line.split())) for line in rows)
            about["hidden sheet"] = None
            continue
        text, removed = clean("\n".join(line for line in rows if line))
        if text.strip():
            place = replace(origin, locator=replace(origin.locator, sheet=name))
            title = f"{origin.title}, {name}" if name else origin.title
            item = place.document(text, hidden + removed, title=title, records=line_starts(text))
            yield replace(item, flags=tuple(about | dict.fromkeys(sheet.flags)))
            left -= len(text)
            hidden = 0
            is_empty = False
        if lines.is_cut or not sheet.is_whole:
            remedy = "The sheet is too long to be read to its end; split it."
            place_of_cut = f"sheet {name} after row {lines.count:,}"
            yield origin.skipped(Reason.TOO_LARGE, remedy, place_of_cut)
            is_empty = False
    if is_empty:
        raise UnreadableError(Reason.EMPTY, "Its sheets hold nothing.")


def line_starts(text: str) -> tuple[int, ...]:
    """Return where each line begins; () when there are too many for passages."""
    if text.count("\n") >= RECORDS:
        return ()
    return (0, *accumulate(len(line) + 1 for line in text.split("\n")[:-1]))


def _one_line(text: str) -> str:
    return _BREAKS.sub(" ", text)
