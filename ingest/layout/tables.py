"""Tables whose rows are passages of their own: the sheets of a workbook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, islice

from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.layout.blocks import TEXT_LIMIT
from ingest.layout.rows import SAMPLE, Row, RowWriter, one_line
from ingest.origin import Origin
from ingest.sieve import Read
from ingest.text.clean import clean, clean_line

CELLS = 2_000_000
"""Cells of one table that are read."""
RECORDS = 200_000
"""Most rows of a table whose rows are passages of their own."""
HIDDEN_ROW = (-1, "[hidden row]")
"""Precedes the cells of a hidden row."""


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
        self.has_header = False
        """Whether rows name their columns; known with the first row."""
        self._limit = limit

    def of(self, rows: Iterable[Row]) -> Iterator[str]:
        source = iter(rows)
        sample = list(islice(source, SAMPLE))
        naming = RowWriter(sample)
        self.has_header = naming.header is not None
        size = cells = 0
        for row in chain(sample, source):
            line = naming.line(row)
            if "\n" in line or "\r" in line:
                line = one_line(line)
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
    """Yield an item for each sheet that is shown, and what was left out.

    Rows that name their columns are records. Others say little without the rows around them.
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
            records = line_starts(text) if lines.has_header else ()
            item = place.document(text, hidden + removed, title=title, records=records)
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
