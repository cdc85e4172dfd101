"""Counts or adds the rows that a question names, where a table accounts for each of its words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from engine.compute.units import AMOUNT, amounts, shown
from engine.generation.draft import Draft
from engine.language.dates import parse_span
from engine.language.days import Span
from engine.sheets.asked import RowsAsked
from engine.sheets.rows import Sheet, stems_of
from engine.values import Argument, Citation, Passage

CITED = 20
"""Citations of one answer."""
MOSTLY = 0.8
"""Share of a column's cells that are numbers or days, from which it counts as one of them."""
LEAST_PREFIX = 4
"""Letters of "member" for "membership" at least."""
LEAST_SHORTENED = 3
"""Letters of "pos" for "position" at least."""
_TOTALS = frozenset(stems_of("total subtotal sum"))
_PREFERRED = stems_of("amount total gross value sum paid spent")
_NOT_ADDED = frozenset(
    stems_of("balance no nr number pos id year rate budgeted budget price vat tax net")
)
_PEOPLE = frozenset(
    stems_of(
        "who name person employee member earner collector staff paid owner user customer client "
        "tenant donor driver"
    )
)
_SEVERAL = frozenset(stems_of("quantity qty stock count pieces units copies bottles tickets"))
_SAME = {"km": "kilometr", "hrs": "hour", "qty": "quantiti", "mi": "mile"}


@dataclass(frozen=True, slots=True)
class Computed:
    """What the rows of one table come to."""

    sheet: Sheet
    rows: tuple[int, ...]
    """Those that were counted or added, in order."""
    number: Decimal
    column: str | None
    """The column that was added; None: rows were counted."""
    by_cells: int
    """Words of the question that cells hold: how closely they were chosen."""
    conditions: tuple[str, ...]
    """What chose them, for people."""


def computed(asked: RowsAsked, sheets: Iterable[Sheet], today: date) -> Computed | None:
    """Return the count or sum of the table that accounts for the question.

    None where no table does, or two that come to different numbers.
    """
    found = [one for sheet in sheets if (one := _of(asked, sheet, today)) is not None]
    if not found:
        return None
    most = max(one.by_cells for one in found)
    best = [one for one in found if one.by_cells == most]
    if len({one.number for one in best}) > 1:
        return None
    return max(best, key=lambda one: len(one.rows))


def draft_of(found: Computed) -> Draft:
    """Return the number with its rows as citations, and how it was computed below."""
    item = found.sheet.item
    citations = []
    for number, i in enumerate(found.rows[:CITED], start=1):
        row = found.sheet.rows[i]
        passage = Passage(item, row.start, row.end)
        citations.append(Citation(number, passage, row.start, row.end, "matched", support=True))
    marks = "".join(f"[{one.id}]" for one in citations)
    count = len(found.rows)
    rows = f"{count:,} row{'s' * (count != 1)} of {item.title}"
    how = f"the sum of {found.column} in {rows}" if found.column else f"counted: {rows}"
    how += f", where {' and '.join(found.conditions)}" if found.conditions else ""
    return Draft(
        f"{shown(found.number)} {marks}\n({how})",
        tuple(one.passage for one in citations),
        citations=tuple(citations),
        reasons=(
            Argument(how, True),
            Argument("the rows were chosen by the question's words", False),
        ),
    )


def _of(asked: RowsAsked, sheet: Sheet, today: date) -> Computed | None:
    chosen = _chosen(asked, sheet, today)
    if chosen is None:
        return None
    rows, by_cells, conditions = chosen
    if asked.mine and _is_of_people(sheet, rows):
        return None
    column = _counted_in(asked, sheet, rows)
    if asked.operation == "count" and column is None:
        if _holds_several(asked, sheet, rows):
            return None
        return Computed(sheet, rows, Decimal(len(rows)), None, by_cells, conditions)
    column = column or _added(asked, sheet, rows)
    if column is None:
        return None
    numbers = {
        i: n for i in rows if (n := _number(sheet.rows[i].cells.get(column, ""))) is not None
    }
    total = sum(numbers.values(), Decimal(0))
    if not numbers:
        return None
    if all(number <= 0 for number in numbers.values()):
        total = -total
    return Computed(sheet, tuple(numbers), total, column, by_cells, conditions)


def _chosen(
    asked: RowsAsked, sheet: Sheet, today: date
) -> tuple[tuple[int, ...], int, tuple[str, ...]] | None:
    """Return the rows that the words choose, how many words cells hold, and what chose them."""
    rows = {i for i, cells in enumerate(sheet.stems) if not _is_total(cells)}
    names = (*sheet.called, *(word for name in sheet.columns for word in stems_of(name)))
    conditions, by_cells, left = list[str](), 0, asked.words
    while left:
        size, held = _phrase(left, sheet)
        is_name = size == 1 and not _is_cell(left[0], sheet) and _names(left[0], names)
        if not (held or is_name):
            return None
        if not is_name:
            rows &= held
            by_cells += size
            conditions.append(f'a cell has "{" ".join(left[:size])}"')
        left = left[size:]
    for word in asked.doing:
        if _is_cell(word, sheet):
            rows &= _phrase([word], sheet)[1]
            conditions.append(f'a cell is "{word}"')
    if asked.days is not None:
        column = _days_column(sheet, today)
        if column is None:
            return None
        cells = {i: sheet.rows[i].cells.get(column, "") for i in rows}
        rows = {i for i, cell in cells.items() if _is_within(cell, asked.days, today)}
        conditions.append(f"{column} is {_days_shown(asked.days)}")
    return (tuple(sorted(rows)), by_cells, tuple(conditions)) if rows and asked.words else None


def _phrase(words: Sequence[str], sheet: Sheet) -> tuple[int, set[int]]:
    """Return how many of the first words one cell has in a row, the most, and the rows of it.

    A word alone that is all of a cell chooses no cell that only has it among others.
    """
    for size in range(len(words), 0, -1):
        phrase = stems_of(" ".join(words[:size]))
        whole = size == 1 and _is_cell(words[0], sheet)
        held = {
            i
            for i, cells in enumerate(sheet.stems)
            if any(cell == phrase if whole else _has(cell, phrase) for cell in cells.values())
        }
        if held:
            return size, held
    return 1, set()


def _has(cell: Sequence[str], phrase: Sequence[str]) -> bool:
    size = len(phrase)
    return any(tuple(cell[i : i + size]) == tuple(phrase) for i in range(len(cell) - size + 1))


def _is_cell(word: str, sheet: Sheet) -> bool:
    """Say whether a word is all that some cell says."""
    return any(stems_of(word) in cells.values() for cells in sheet.stems)


def _names(word: str, names: Iterable[str]) -> bool:
    """Say whether a word is one of these stems, is shortened by one, or begins one."""
    (asked,) = stems_of(word)
    return any(
        asked == _SAME.get(name, name)
        or (len(name) >= LEAST_SHORTENED and asked.startswith(name))
        or (len(asked) >= LEAST_PREFIX and name.startswith(asked))
        for name in names
    )


def _is_total(cells: dict[str, tuple[str, ...]]) -> bool:
    return any(cell and cell[0] in _TOTALS for cell in cells.values())


def _is_of_people(sheet: Sheet, rows: Sequence[int]) -> bool:
    """Say whether the rows are of several people, so that "I" is one of them."""
    for name in sheet.columns:
        if _PEOPLE & set(stems_of(name)) and not _is_numbers(sheet, name):
            return len({sheet.rows[i].cells.get(name) for i in rows}) > 1
    return False


def _counted_in(asked: RowsAsked, sheet: Sheet, rows: Sequence[int]) -> str | None:
    """Return the column of numbers that a question names: "how many hours"."""
    said = {*stems_of(" ".join((*asked.words, *asked.doing)))}
    named = [
        name
        for name in sheet.columns
        if said & {_SAME.get(word, word) for word in stems_of(name)}
        and _is_added(sheet, name, rows)
    ]
    return named[0] if len(named) == 1 else None


def _holds_several(asked: RowsAsked, sheet: Sheet, rows: Sequence[int]) -> bool:
    """Say whether a row is of several things, where the question does not count rows by a name."""
    several = [
        name
        for name in sheet.columns
        if _SEVERAL & set(stems_of(name)) and _is_added(sheet, name, rows)
    ]
    first = stems_of(sheet.columns[0])
    return bool(several) and not any(_names(word, first) for word in asked.words)


def _added(asked: RowsAsked, sheet: Sheet, rows: Sequence[int]) -> str | None:
    """Return the column of amounts, where it is plain which one is meant."""
    may_be = [
        name
        for name in sheet.columns
        if _is_added(sheet, name, rows) and not _NOT_ADDED & set(stems_of(name))
    ]
    if len(may_be) > 1:
        for word in _PREFERRED:
            told = [name for name in may_be if word in stems_of(name)]
            if told:
                return told[0] if len(told) == 1 else None
    return may_be[0] if len(may_be) == 1 else None


def _is_added(sheet: Sheet, name: str, rows: Sequence[int]) -> bool:
    """Say whether a column holds numbers that are no numbers of the rows."""
    if not _is_numbers(sheet, name):
        return False
    every = [_number(row.cells[name]) for row in sheet.rows if name in row.cells]
    counted = [number for number in every if number is not None]
    return [*range(1, len(counted) + 1)] != [number - counted[0] + 1 for number in counted]


def _is_numbers(sheet: Sheet, name: str) -> bool:
    cells = [row.cells[name] for row in sheet.rows if name in row.cells]
    return bool(cells) and sum(_number(cell) is not None for cell in cells) >= MOSTLY * len(cells)


def _number(cell: str) -> Decimal | None:
    """Return the amount that a cell is; nothing of one that says more."""
    if not AMOUNT.fullmatch(cell.strip()):
        return None
    return next(amounts(cell.strip())).quantity.amount


_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ].*)?")


def _day(cell: str, today: date) -> date | None:
    if match := _ISO.fullmatch(cell):
        try:
            return date(int(match[1]), int(match[2]), int(match[3]))
        except ValueError:
            return None
    if not any(map(str.isdigit, cell)) or len(cell) > len("Wednesday 28 September 2026"):
        return None
    span = parse_span(cell, today)
    return span.first if span is not None and span.first == span.last else None


def _days_column(sheet: Sheet, today: date) -> str | None:
    """Return the first column of days."""
    for name in sheet.columns:
        cells = [row.cells[name] for row in sheet.rows if name in row.cells]
        if cells and sum(_day(cell, today) is not None for cell in cells) >= MOSTLY * len(cells):
            return name
    return None


def _is_within(cell: str, days: Span, today: date) -> bool:
    day = _day(cell, today)
    if day is None:
        return False
    return (days.first is None or days.first <= day) and (days.last is None or day <= days.last)


def _days_shown(days: Span) -> str:
    first, last = days.first, days.last
    if first is None or last is None:
        return f"from {first} on" if first else f"{last} at the latest"
    return f"{first}" if first == last else f"{first} to {last}"
