"""Tables with a column for each month, turned so that each row is one month.

Rotas, bills and readings are kept so: "Name | Jul | Aug | Sep". Who asks for October, for the year
or for the lowest month asks for some of these cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

from engine.language.date_words import MONTH as MONTHS
from engine.language.date_words import month_number
from engine.language.days import Span
from engine.sheets.chosen import is_named
from engine.sheets.columns import amount_of, full_year, mostly
from engine.sheets.query import Form
from engine.sheets.rows import NamedRow, NamedTable, stems_of

MONTH, AMOUNT = "Month", "Amount"
LEAST_MONTHS = 3
# "Jul", "Sept.", "Nov*", "Oct 26", "October 2026"
_COLUMN = re.compile(r"([^\W\d_]{3,9})\.?(?:[ '/-]*(\d{4}|\d\d))?\W*")
_MONTH = re.compile(MONTHS)
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class _MonthColumn:
    name: str
    month: int
    year: int | None


def as_asked(
    tables: Iterable[NamedTable],
    form: Form,
    days: Span | None,
    words: Iterable[str],
    heads: Iterable[str],
) -> Iterator[NamedTable]:
    """Yield tables as a question needs them: those of months turned where it asks for amounts.

    Rows are counted or listed as they are, unless the question names days or counts what the table
    is of: "how many hours", of a rota of hours. So is a table that has a column of other amounts
    which the question names. `heads` are those of its `words` that say what is counted.
    """
    said, counted = tuple(words), tuple(heads)
    for table in tables:
        turned = by_month(table)
        if turned is not None and days is None:
            left_out = [
                one
                for one in table.columns
                if one not in turned.columns and _month_column(one) is None
            ]
            by_rows = form == "listed" or (
                form == "counted" and not any(is_named(one, table.called) for one in counted)
            )
            if by_rows or any(is_named(one, stems_of(name)) for one in said for name in left_out):
                turned = None
        yield turned or table


def by_month(table: NamedTable) -> NamedTable | None:
    """Return a table of months with a row for each cell of a month; None of another table.

    Columns of other amounts, such as totals of a row, are left out.
    """
    months = [one for name in table.columns if (one := _month_column(name)) is not None]
    dated = _with_years(months, table)
    if len(months) < LEAST_MONTHS or dated is None:
        return None
    if not any(mostly(table, one.name, amount_of) for one in months):
        return None  # who is on duty
    named = {one.name for one in months}
    others = [one for one in table.columns if one not in named]
    kept = [one for one in others if not mostly(table, one, amount_of)]
    if not kept or {MONTH, AMOUNT} & {*kept}:
        return None
    rows = tuple(_rows(table, kept, dated))
    return replace(table, columns=(*kept, MONTH, AMOUNT), rows=rows, amounts=AMOUNT)


def _rows(
    table: NamedTable, kept: Sequence[str], months: Sequence[tuple[str, date]]
) -> Iterator[NamedRow]:
    for row in table.rows:
        own = {name: row.cells[name] for name in kept if name in row.cells}
        for name, day in months:
            if cell := row.cells.get(name):
                told = {**own, MONTH: f"{day:%B %Y}", AMOUNT: cell}
                yield NamedRow(row.start, row.end, told)


def _month_column(name: str) -> _MonthColumn | None:
    match = _COLUMN.fullmatch(name)
    if match is None:
        return None
    said, year = match[1].casefold(), match[2]
    if not _MONTH.fullmatch(said):
        return None
    return _MonthColumn(name, month_number(said), full_year(year) if year else None)


def _with_years(months: Sequence[_MonthColumn], table: NamedTable) -> list[tuple[str, date]] | None:
    """Return the first day of each month; None where the year is not known.

    The year is the column's own or the table's, which a season or a tax year goes on from: "Sep"
    to "Aug" of 2025/26.
    """
    if all(one.year is not None for one in months):
        return [(one.name, date(one.year or 1, one.month, 1)) for one in months]
    years = sorted(int(one) for one in table.called if _YEAR.fullmatch(one))
    if any(one.year is not None for one in months) or not years:
        return None
    turns = [later.month < earlier.month for earlier, later in pairwise(months)]
    if sum(turns) > 1 or years not in ([years[0]], [years[0], years[0] + 1]):
        return None
    ends = f"{(years[0] + 1) % 100:02}" in table.called or len(years) == 2
    if ends != any(turns):
        return None
    found, year = list[tuple[str, date]](), years[0]
    for one, turned in zip(months, [False, *turns], strict=True):
        year += turned
        found.append((one.name, date(year, one.month, 1)))
    return found
