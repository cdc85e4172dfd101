"""The rows that a question names: by cells, by the name of the table, by days."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from engine.language.days import Closed, Span
from engine.sheets.asked import RowsAsked
from engine.sheets.columns import column_of_days, dated_cell, days_of
from engine.sheets.rows import NamedTable, spellings_of, stems_of

LEAST_BEGUN = 4
"""Letters of "member" for "membership" at least."""
LEAST_SHARE = 1 / 3
"""Mean share of cells that words must be to choose them."""
LEAST_SHORTENED = 3
"""Letters of "pos" for "position" at least."""
_GROUPS = (
    "bill invoice",
    "contribution fee subscription dues",
    "child kid pupil",
    "client customer",
    "cost expense spending",
    "employee staff",
    "mobile phone telephone",
    "salary wage",
)
_ALIKE = tuple(frozenset(stems_of(group)) for group in _GROUPS)
"""Names of columns and tables that mean the same."""
_TOTALS = frozenset(stems_of("total totals subtotal grand sum overall"))


@dataclass(frozen=True, slots=True)
class ChosenRows:
    """Rows of one table."""

    numbers: tuple[int, ...]
    """In order; at least one."""
    by_cells: int
    """Words of the question that cells hold: how closely they were chosen."""
    conditions: tuple[str, ...]
    """What chose them, for people."""
    undated: int = 0
    """Rows left out because they have no day that is read."""


def chosen_rows(asked: RowsAsked, table: NamedTable, today: date) -> ChosenRows | None:
    """Return the rows that the words choose; None where a word is none of the table's.

    A word that names the file, its folder, the sheet or a column chooses no row, unless it is all
    of a cell. Any other one chooses the cells that have it, together with the words next to it
    where a cell has them in a row.
    """
    if not asked.words or not all(may_have(table, word) for word in asked.words):
        return None
    rows = {i for i, cells in enumerate(table.stems) if not is_total(cells)}
    names = (*table.called, *(word for name in table.columns for word in stems_of(name)))
    conditions, by_cells, left = list[str](), 0, asked.words
    while left:
        size, held = _phrase(left, table)
        is_name = size == 1 and not _is_cell(left[0], table) and is_named(left[0], names)
        if not (held or is_name):
            return None
        if not is_name:
            rows &= held
            by_cells += size
            conditions.append(f'a cell has "{" ".join(left[:size])}"')
        left = left[size:]
    for word in asked.doing:
        if _is_cell(word, table):
            rows &= _phrase([word], table)[1]
            conditions.append(f'a cell is "{word}"')
    undated = 0
    if asked.days is not None:
        said = stems_of(" ".join((*asked.words, *asked.doing)))
        column = column_of_days(table, said, today)
        if column is None:
            return None
        held_then = rows_of_days(table, rows, column, asked.days, today)
        if held_then is None:
            return None
        rows, undated = {*held_then[0]}, held_then[1]
        conditions.append(f"{column} is {shown_days(asked.days)}")
    if not all(any(_has_word(table.stems[i], one) for i in rows) for one in asked.included):
        return None  # "calls included", of rows without a call
    return ChosenRows(tuple(sorted(rows)), by_cells, tuple(conditions), undated) if rows else None


def rows_of_days(
    table: NamedTable, rows: Iterable[int], column: str, days: Span, today: date
) -> tuple[list[int], int] | None:
    """Return the rows whose cells lie in some days, and how many rows have no day.

    None where a cell is a month of which only a part is meant.
    """
    cells = {i: dated_cell(table, column, table.rows[i].cells.get(column, "")) for i in rows}
    read = {i: days_of(cell, today) for i, cell in cells.items()}
    dated = {i: own for i, own in read.items() if own is not None}
    if any(_meets(own, days) and not _lies_in(own, days) for own in dated.values()):
        return None
    held = [i for i, own in dated.items() if _lies_in(own, days)]
    return held, len(read) - len(dated)


def counts_by_name(asked: RowsAsked, table: NamedTable) -> bool:
    """Say whether a question names what numbers the rows: "positions", of the column "Pos"."""
    first = stems_of(table.columns[0])
    return any(is_named(word, first) for word in asked.words)


def may_have(table: NamedTable, word: str) -> bool:
    """Say whether a table may have a word, without a look at each cell.

    A name that means the same counts as the word.
    """
    (begin,) = stems_of(word)
    groups = (group for group in _ALIKE if begin in group)
    alike = spellings_of(begin).union(*groups)
    return any(one[:LEAST_SHORTENED] in table.text for one in alike)


def _phrase(words: Sequence[str], table: NamedTable) -> tuple[int, set[int]]:
    """Return how many of the first words one cell has in a row, the most, and the rows of it.

    The rows are those of one column, the one whose cells say hardly more than these words: "food
    bank" is a fund, and no note that names it. None where all say much more.
    """
    for size in range(len(words), 0, -1):
        phrase = stems_of(" ".join(words[:size]))
        held = {name: _held(table, name, phrase) for name in table.columns}
        fit = {name: _share(table, name, rows, size) for name, rows in held.items() if rows}
        best = max(fit, key=lambda name: fit[name], default=None)
        if best is not None:
            return size, held[best] if fit[best] >= LEAST_SHARE else set()
    return 1, set()


def _held(table: NamedTable, name: str, phrase: tuple[str, ...]) -> set[int]:
    cells = table.holders.get(name, {})
    return {i for cell, rows in cells.items() if _has(cell, phrase) for i in rows}


def _share(table: NamedTable, name: str, rows: set[int], size: int) -> float:
    """Return how much of the cells, 0 to 1, so many words are."""
    return sum(size / len(table.stems[i][name]) for i in rows) / len(rows)


def _has(cell: Sequence[str], phrase: Sequence[str]) -> bool:
    size = len(phrase)
    return any(cell[i : i + size] == phrase for i in range(len(cell) - size + 1))


def _has_word(cells: Mapping[str, tuple[str, ...]], word: str) -> bool:
    return any(_has(cell, stems_of(word)) for cell in cells.values())


def _is_cell(word: str, table: NamedTable) -> bool:
    """Say whether a word is all that some cell says."""
    return stems_of(word) in table.whole


def is_named(word: str, names: Iterable[str]) -> bool:
    """Say whether a word is one of these stems or means it, begins one, or is shortened by one."""
    (asked,) = stems_of(word)
    alike = frozenset[str]().union(*(group for group in _ALIKE if asked in group))
    return any(
        asked == name
        or name in alike
        or (len(name) >= LEAST_SHORTENED and asked.startswith(name))
        or (len(asked) >= LEAST_BEGUN and name.startswith(asked))
        for name in names
    )


def is_total(cells: Mapping[str, tuple[str, ...]]) -> bool:
    """Say whether the first cell of a row that is filled says "total": not a shop of that name."""
    first = next(iter(cells.values()), ())
    return bool(first) and _TOTALS.issuperset(first)


def _lies_in(own: Closed, days: Span) -> bool:
    begins = days.first is None or days.first <= own.first
    return begins and (days.last is None or own.last <= days.last)


def _meets(own: Closed, days: Span) -> bool:
    begins = days.last is None or own.first <= days.last
    return begins and (days.first is None or days.first <= own.last)


def shown_days(days: Span) -> str:
    """Return `2026-10-01 to 2026-10-31`."""
    first, last = days.first, days.last
    if first is None or last is None:
        return f"from {first} on" if first else f"{last} at the latest"
    return f"{first}" if first == last else f"{first} to {last}"
