"""The tables of documents, as rows of named cells.

Readers write the header of a table on a line, "Date | Shop | Amount", and each row below it with
the names of its columns, "Date: 2026-01-02 | Shop: Market | Amount: 12". Empty cells are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from engine.language.stemming import stem_of
from ingest.item import Item, Kind

BAR = " | "
MOST_ABOVE = 6
"""Lines above the rows of a table that may be its titles, its header among them."""
WORD = re.compile(r"[^\W_]+")
REMEMBERED = 1 << 16
"""Different cells whose stems and amounts are kept: the cells of a column repeat."""
_FULL = {
    **dict.fromkeys(("km", "kilomet"), "kilometr"),
    **dict.fromkeys(("kg", "kilo"), "kilogram"),
    **dict.fromkeys(("ltr", "ltrs", "liter"), "litr"),
    **dict.fromkeys(("hr", "hrs"), "hour"),
    "meter": "metr",
    "mi": "mile",
    "qty": "quantiti",
}
"""What the stems of units stand for."""
# "StBarnabas"
_CAPITAL_WITHIN = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
# "co-op"
_HYPHEN_WITHIN = re.compile(r"\b([^\W\d_]{1,2})-([^\W\d_]{2,4})\b")


@dataclass(frozen=True, slots=True)
class NamedRow:
    """One row, and where the text of its item has it."""

    start: int
    """Code point offset into the item's text, inclusive."""
    end: int
    """Exclusive."""
    cells: Mapping[str, str]
    """By column; none is empty."""


@dataclass(frozen=True)
class NamedTable:
    """One table of an item."""

    item: Item
    columns: tuple[str, ...]
    rows: tuple[NamedRow, ...]
    caption: str = ""
    """The line that readers repeat before each row, else the one above its header."""
    amounts: str = ""
    """The column of what the table is of, where each row is a month (`engine.sheets.months`)."""

    @cached_property
    def stems(self) -> tuple[dict[str, tuple[str, ...]], ...]:
        """The stems of each row's cells, by column."""
        return tuple(
            {name: stems_of(cell) for name, cell in row.cells.items()} for row in self.rows
        )

    @cached_property
    def holders(self) -> dict[str, dict[tuple[str, ...], list[int]]]:
        """The rows that have a cell, by column and by the stems of all that it says."""
        found: dict[str, dict[tuple[str, ...], list[int]]] = {}
        for i, cells in enumerate(self.stems):
            for name, cell in cells.items():
                found.setdefault(name, {}).setdefault(cell, []).append(i)
        return found

    @cached_property
    def whole(self) -> frozenset[tuple[str, ...]]:
        """The stems of each cell, all that it says."""
        return frozenset(cell for cells in self.holders.values() for cell in cells)

    @cached_property
    def said(self) -> frozenset[str]:
        """The stems of all words of its cells."""
        return frozenset(word for cell in self.whole for word in cell)

    @cached_property
    def headed(self) -> frozenset[str]:
        """The stems of its columns' names."""
        return stems_in(self.columns)

    @cached_property
    def text(self) -> str:
        """All that it may be found by, without case."""
        return "\n".join((*self.called, self.item.text.casefold()))

    def counted(self, number: int) -> str:
        """Return `1 row`, `1,200 rows`; where a row is a month, a cell is one."""
        return f"{number:,} {'cell' if self.amounts else 'row'}{'s' * (number != 1)}"

    def cells(self, column: str) -> list[str]:
        """Return the cells of a column that are not empty, in order."""
        return [row.cells[column] for row in self.rows if column in row.cells]

    @cached_property
    def called(self) -> frozenset[str]:
        """The stems of its file, folder, archive member, sheet, title and caption."""
        place = self.item.locator
        path = place.path
        names = (
            self.item.title,
            path.parent.name,
            path.stem,
            place.member,
            place.sheet,
            self.caption,
        )
        parted = (_CAPITAL_WITHIN.sub(" ", name) for name in names if name)
        return frozenset(word for name in parted for word in stems_of(name))


def whole_words(text: str) -> str:
    """Return a text whose short words with a hyphen are one: "co-op", "e-mail"."""
    return _HYPHEN_WITHIN.sub(r"\1\2", text)


@lru_cache(maxsize=REMEMBERED)
def stems_of(text: str) -> tuple[str, ...]:
    """Return the stems of the words of a text, in order; "_" parts words, "kg" is "kilogram"."""
    stems = (stem_of(word.casefold()) for word in WORD.findall(whole_words(text)))
    return tuple(_FULL.get(stem, stem) for stem in stems)


def spellings_of(stem: str) -> frozenset[str]:
    """Return the stems that `stems_of` takes for one, that itself too."""
    return frozenset((stem, *(short for short, whole in _FULL.items() if whole == stem)))


def stems_in(words: Iterable[str]) -> frozenset[str]:
    """Return the stems of several words."""
    return frozenset(stem for word in words for stem in stems_of(word))


def tables_of(items: Iterable[Item]) -> Iterator[NamedTable]:
    """Yield the tables of documents that have a header and a row at least."""
    for item in items:
        if item.kind is Kind.DOCUMENT and BAR in item.text:
            yield from _tables(item)


def _tables(item: Item) -> Iterator[NamedTable]:
    columns, rows, caption, position = tuple[str, ...](), list[NamedRow](), "", 0
    above = list[str]()  # the lines since the last table; the last one may be a header
    for line in item.text.splitlines(keepends=True):
        start, position = position, position + len(line)
        said = line.rstrip()
        begun = next((one for one in above[:-1] if said.startswith(f"{one}{BAR}")), None)
        cells = _cells(said if begun is None else said[len(begun) + len(BAR) :], columns)
        if cells:
            caption = begun or caption or "".join(above[-2:-1])
            rows.append(NamedRow(start, start + len(said), cells))
        elif said and not _is_rule(said):
            if rows:
                yield NamedTable(item, columns, tuple(rows), caption)
                above.clear()
            columns, rows, caption = _header(said), [], ""
            above = [*above[1 - MOST_ABOVE :], said]
    if rows:
        yield NamedTable(item, columns, tuple(rows), caption)


def _is_rule(line: str) -> bool:
    """Say whether a line is the rule below the header of a Markdown table."""
    return not line.strip("|-: ")


def _header(line: str) -> tuple[str, ...]:
    """Return the columns that a line names, none twice; nothing of another line."""
    names = tuple(name.strip() for name in line.strip("| ").split(BAR))
    return names if len(names) == len(set(names)) > 1 and all(names) else ()


def _cells(line: str, columns: Sequence[str]) -> dict[str, str]:
    """Return the cells of a row; nothing of a line that begins with none of the columns."""
    cells, name = dict[str, str](), ""
    left = iter(columns)
    for piece in line.split(BAR):
        told = next((one for one in (*left,) if piece.startswith(f"{one}: ")), None)
        if told is not None:
            left = iter(columns[columns.index(told) + 1 :])
            name = told
            cells[name] = piece[len(told) + 2 :].strip()
        elif not name:
            return {}
        else:  # a cell that has a bar in it
            left = iter(columns[columns.index(name) + 1 :])
            cells[name] += BAR + piece
    return cells
