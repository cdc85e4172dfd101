"""Runs a query over the rows of a table. All arithmetic is done here, with decimals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from engine.compute.units import mean, shown
from engine.sheets.columns import amount_of, name_columns, newest_of_running
from engine.sheets.query import Condition, Operation, RowsQuery
from engine.sheets.rows import NamedTable, stems_of

_NAMED: Mapping[Operation, str] = {
    "sum": "the sum of",
    "avg": "the average of",
    "max": "the largest",
    "min": "the smallest",
    "distinct": "different values of",
}


@dataclass(frozen=True, slots=True)
class Result:
    """What a query comes to."""

    values: tuple[tuple[str, tuple[int, ...]], ...]
    """Each value of the answer with the numbers of the rows that it is from."""
    how: str
    """How it was computed, for people."""


def run(query: RowsQuery, table: NamedTable, rows: Iterable[int]) -> Result | None:
    """Return what a query makes of some rows; None of no rows, and where units differ."""
    kept = passing(query, table, rows)
    if not kept:
        return None
    if query.measured is not None and len(_units(table, kept, query.measured)) != 1:
        return None
    if query.ordered is not None:
        return _foremost(query, table, kept)
    if query.operation == "list":
        return _listed(query, table, kept)
    if query.operation == "sum" and query.column:
        newest = newest_of_running(table, query.column, kept)
        if newest is not None and (number := _number(table, newest, query.column)) is not None:
            return Result(((shown(number), (newest,)),), f"the newest {query.column} in")
    number = _measure(query.operation, query.column, table, kept)
    if number is None:
        return None
    if query.operation in ("max", "min"):
        column = query.column or ""
        kept = [i for i in kept if _number(table, i, column) == number]
    column = "" if query.column == table.amounts else f" {query.column} in"
    how = f"{_NAMED[query.operation]}{column}" if query.column else "counted:"
    return Result(((shown(number), tuple(kept)),), how)


def passing(query: RowsQuery, table: NamedTable, rows: Iterable[int]) -> list[int]:
    """Return the rows that meet each condition of a query."""
    return [i for i in rows if all(_passes(table, i, one) for one in query.conditions)]


def _passes(table: NamedTable, i: int, condition: Condition) -> bool:
    cell = table.rows[i].cells.get(condition.column, "")
    match condition.operator:
        case "is null":
            return not cell
        case "is not null":
            return bool(cell)
        case "like":
            return set(stems_of(condition.value)) <= set(stems_of(cell))
        case "not like":
            return not set(stems_of(condition.value)) <= set(stems_of(cell))
        case "=" | "!=" if amount_of(condition.value) is None:
            is_same = cell.casefold() == condition.value.casefold()
            return is_same == (condition.operator == "=")
    number, told = amount_of(cell), amount_of(condition.value)
    if number is None or told is None:
        return False
    limit = told.amount
    return {
        "=": number.amount == limit,
        "!=": number.amount != limit,
        ">": number.amount > limit,
        "<": number.amount < limit,
        ">=": number.amount >= limit,
        "<=": number.amount <= limit,
    }[condition.operator]


def _units(table: NamedTable, rows: Iterable[int], column: str) -> set[str]:
    """Return the units of a column's amounts: those of two are not added or compared."""
    cells = (table.rows[i].cells.get(column, "") for i in rows)
    return {one.unit for cell in cells if (one := amount_of(cell)) is not None}


def left_out(query: RowsQuery, table: NamedTable, rows: Iterable[int]) -> tuple[str, ...]:
    """Return what rows lack that a query measures, lists or compares, for people."""
    given = list(rows)
    compared = [one.column for one in query.conditions if one.operator[0] in "<>"]
    others = [one for one in query.conditions if one.operator[0] not in "<>"]
    passed = [i for i in given if all(_passes(table, i, one) for one in others)]
    found = list[str]()
    for column in dict.fromkeys((query.measured, *compared)):
        if column is not None:
            lacking = sum(_number(table, i, column) is None for i in passed)
            found += [f"{table.counted(lacking)} without a number in {column}"] if lacking else []
    listed = query.by or (query.column if query.operation in ("list", "distinct") else None)
    if listed is not None:
        kept = [i for i in passed if all(_passes(table, i, one) for one in query.conditions)]
        lacking = sum(not table.rows[i].cells.get(listed) for i in kept)
        found += [f"{table.counted(lacking)} without {listed}"] if lacking else []
    return tuple(found)


def _number(table: NamedTable, i: int, column: str) -> Decimal | None:
    amount = amount_of(table.rows[i].cells.get(column, ""))
    return None if amount is None else amount.amount


def _measure(
    operation: Operation, column: str | None, table: NamedTable, rows: Sequence[int]
) -> Decimal | None:
    """Return a number of rows, or what an operation makes of their cells."""
    if column is None:
        return Decimal(len(rows))
    cells = [cell for i in rows if (cell := table.rows[i].cells.get(column))]
    if operation == "distinct":
        return Decimal(len({cell.casefold() for cell in cells}))
    amounts = [one for cell in cells if (one := amount_of(cell)) is not None]
    if len({one.unit for one in amounts}) != 1:
        return None
    numbers = [one.amount for one in amounts]
    if operation in ("max", "min"):
        return max(numbers) if operation == "max" else min(numbers)
    # Where all are negative, a bank shows what left an account.
    sign = -1 if any(numbers) and all(number <= 0 for number in numbers) else 1
    return sign * (mean(numbers) if operation == "avg" else sum(numbers, Decimal(0)))


def _listed(query: RowsQuery, table: NamedTable, rows: Sequence[int]) -> Result | None:
    groups = _groups(table, rows, query.column or "")
    values = tuple((value, tuple(numbers)) for value, numbers in groups.items())
    return Result(values, f"{query.column} of") if values else None


def _groups(table: NamedTable, rows: Sequence[int], column: str) -> dict[str, list[int]]:
    """Return the rows of each value; of a first name with the last one, as two may share it."""
    found: dict[str, list[int]] = {}
    columns = name_columns(table) if column in name_columns(table) else (column,)
    for i in rows:
        cells = table.rows[i].cells
        if cells.get(column):
            value = " ".join(cell for one in columns if (cell := cells.get(one)))
            found.setdefault(value, []).append(i)
    return found


def _foremost(query: RowsQuery, table: NamedTable, rows: Sequence[int]) -> Result | None:
    """Return the value with the most or least; several that are level with each other."""
    if query.ordered is None:
        return None
    operation, column = query.ordered
    by_sum: Operation = "sum" if operation == "list" else operation
    if query.single and column is not None:
        numbers = {i: number for i in rows if (number := _number(table, i, column)) is not None}
        best = (max if query.largest else min)(numbers.values(), default=None)
        rows = [i for i, number in numbers.items() if number == best]
    groups = _groups(table, rows, query.by or query.column or "")
    measured = {
        value: number
        for value, numbers in groups.items()
        if (number := _measure(by_sum, column, table, numbers)) is not None
    }
    if not measured:
        return None
    best = (max if query.largest else min)(measured.values())
    values = tuple(
        (value, tuple(groups[value])) for value, number in measured.items() if number == best
    )
    what = f"{_NAMED.get(by_sum, by_sum)} {column}" if column else "the number of rows"
    most = "most" if query.largest else "least"
    return Result(values, f"the {most}, {shown(best)}, by {what}; {query.by or query.column} of")
