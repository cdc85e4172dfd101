"""What the columns of a table hold, and which of them is added."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

from engine.compute.units import AMOUNT, CODES, SIGNS, Quantity, amounts
from engine.language.date_words import MONTH
from engine.language.dates import parse_span
from engine.language.days import Closed, month, one_day
from engine.sheets.rows import REMEMBERED, NamedTable, stems_of

MOSTLY = 0.8
"""Share of a column's cells that are numbers or days, from which it counts as one of them."""
LEAST_CHANGES = 3
"""Changes of a column from row to row that another column must tell, for it to be a running one."""
LONGEST_DAY = len("Wednesday 28 September 2026")

_PREFERRED = stems_of("amount total gross value sum paid spent received")
_WITH_TAX, _WITHOUT_TAX = stems_of("total gross"), stems_of("net")
_MONEY = frozenset(
    (
        *_PREFERRED,
        *_WITHOUT_TAX,
        *stems_of("cost fee takings claim charge due pounds euros dollars"),
        *stems_of(" ".join(CODES)),
    )
)
_NOT_ADDED = frozenset(
    stems_of("balance no nr number pos id year rate budgeted budget price vat tax net")
)
_PEOPLE = frozenset(stems_of("who person employee earner collector staff payer owner user driver"))
_FIRST = frozenset(stems_of("first given forename"))
_LAST = frozenset(stems_of("last family surname"))
_NAME = _FIRST | _LAST | frozenset(stems_of("name"))
_SEVERAL = frozenset(stems_of("quantity qty stock count pieces units copies bottles tickets"))
_STATES = frozenset(
    stems_of(
        "paid unpaid open outstanding overdue pending cancelled canceled refunded declined "
        "rejected void failed disputed"
    )
)
_MONTH_FIRST = re.compile(r"\d{1,2}[/.-](?:1[3-9]|2\d|3[01])[/.-]\d{2,4}")
# "2-Jun-26", "7 Aug 26", "02/Jun/2026", as sheets show days; "Jun-26" of a month
_SHORT_DAY = re.compile(r"(\d{1,2})[- /]([^\W\d_]{3,9})\.?[- /]'?(?:20)?(\d\d)")
_SHORT_MONTH = re.compile(r"([^\W\d_]{3,9})\.?[-'/](\d\d)")
_TO_COME = frozenset(stems_of("due next expires expiry expired renewal until"))
_EXPIRES = frozenset(stems_of("expire expires expired expiry expiring expiration"))
_MONTH_ALONE = re.compile(MONTH, re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_ISO = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ].*)?")


@lru_cache(maxsize=REMEMBERED)
def amount_of(cell: str) -> Quantity | None:
    """Return the amount that a cell is; nothing of one that says more."""
    return next(amounts(cell)).quantity if AMOUNT.fullmatch(cell) else None


def full_year(said: str) -> int:
    """Return 2026 of "26" and 1998 of "98": as `time.strptime`, up to 68 in this century."""
    year = int(said)
    return year if year > 99 else year + (2000 if year <= 68 else 1900)


def days_of(cell: str, today: date) -> Closed | None:
    """Return the day or the month that a cell is; nothing of one that says more."""
    if match := _ISO.fullmatch(cell):
        try:
            return one_day(date.fromisoformat(match[1]))
        except ValueError:
            return None
    if len(cell) > LONGEST_DAY or not any(map(str.isdigit, cell)):
        return None
    if match := _SHORT_DAY.fullmatch(cell) or _SHORT_MONTH.fullmatch(cell):
        *parts, year = match.groups()
        cell = " ".join([*parts, str(full_year(year))])
    span = parse_span(cell, today)
    if span is None or span.first is None or span.last is None:
        return None
    found = Closed(span.first, span.last)
    return found if found in (one_day(found.first), month(found.first)) else None


def dated_cell(table: NamedTable, name: str, cell: str) -> str:
    """Return a cell that is a month alone with the year of its column or table: "Jan" of 2026."""
    if not _MONTH_ALONE.fullmatch(cell):
        return cell
    for said in (stems_of(name), table.called):
        years = {one for one in said if _YEAR.fullmatch(one)}
        if years:
            return f"{cell.rstrip('.')} {years.pop()}" if len(years) == 1 else cell
    return cell


def _month_of(cell: str, today: date) -> Closed | None:
    """Return the month that a cell is."""
    found = days_of(cell, today)
    return found if found is not None and found.first < found.last else None


def column_of_days(table: NamedTable, said: Iterable[str], today: date) -> str | None:
    """Return the column of days: the only one, the one that these stems name, of months, or "Date".

    What is due or comes next is only meant where it is named. None where days have the month first,
    as they are not told from others.
    """
    words = set(said)
    words |= _EXPIRES if words & _EXPIRES else set()

    def is_mostly(name: str, read: Callable[[str, date], Closed | None]) -> bool:
        return mostly(table, name, lambda cell: read(dated_cell(table, name, cell), today))

    days = [one for one in table.columns if is_mostly(one, days_of)]
    days = [one for one in days if words & {*stems_of(one)} or not _TO_COME & {*stems_of(one)}]
    for fit in (
        days if len(days) == 1 else [],
        [one for one in days if words & {*stems_of(one)}],
        [one for one in days if is_mostly(one, _month_of)],
        [one for one in days if stems_of(one) == ("date",)],
    ):
        if len(fit) == 1:
            return None if any(map(_MONTH_FIRST.fullmatch, table.cells(fit[0]))) else fit[0]
    return None


def named_column(table: NamedTable, said: Iterable[str]) -> str | None:
    """Return the one column of numbers that these stems name: "how many hours"."""
    words = set(said)
    named = [one for one in added_columns(table) if words & {*stems_of(one)}]
    return named[0] if len(named) == 1 else None


def column_of_amounts(table: NamedTable, *, taxed: bool | None) -> str | None:
    """Return the column of amounts, where it is plain which one is meant."""
    left_out = _NOT_ADDED.difference(_WITHOUT_TAX) if taxed is False else _NOT_ADDED
    may_be = [one for one in added_columns(table) if not left_out & {*stems_of(one)}]
    preferred = {True: _WITH_TAX, False: _WITHOUT_TAX, None: _PREFERRED}[taxed]
    if taxed is not None:
        may_be = [one for one in may_be if {*preferred} & {*stems_of(one)}]
    may_be = [one for one in may_be if _is_money(one)]
    for word in preferred if len(may_be) > 1 else ():
        told = [one for one in may_be if word in stems_of(one)]
        if told:
            may_be = told
            break
    return may_be[0] if len(may_be) == 1 else None


def money_columns(table: NamedTable) -> list[str]:
    """Return the columns of numbers that are amounts of money by their names."""
    return [one for one in added_columns(table) if _is_money(one)]


def has_quantities(table: NamedTable) -> bool:
    """Say whether a row may be of several things."""
    return any(_SEVERAL & {*stems_of(one)} for one in added_columns(table))


def name_columns(table: NamedTable) -> tuple[str, ...]:
    """Return the columns of first and last names; none where a table has not one of each."""
    found = [
        [name for name in table.columns if {*stems_of(name)} & part and {*stems_of(name)} <= _NAME]
        for part in (_FIRST, _LAST)
    ]
    first, last = found
    return (first[0], last[0]) if len(first) == len(last) == 1 else ()


def names_people(column: str) -> bool:
    """Say whether a column is of people of the house: "Driver", "Paid by"."""
    stems = stems_of(column)
    return bool(_PEOPLE & {*stems}) or stems[-1:] == ("by",)


def has_several_people(table: NamedTable, rows: Sequence[int]) -> bool:
    """Say whether these rows are of several people, so that "I" is one of them."""
    for name in table.columns:
        if names_people(name) and not mostly(table, name, amount_of):
            return len({table.rows[i].cells.get(name) for i in rows}) > 1
    return False


def column_of_states(table: NamedTable, rows: Sequence[int]) -> str | None:
    """Return the column by which these rows differ in a state, such as paid and cancelled."""
    for name in table.columns:
        states = {table.stems[i].get(name, ()) for i in rows}
        if len(states) > 1 and any(len(one) == 1 and one[0] in _STATES for one in states):
            return name
    return None


def _is_money(name: str) -> bool:
    """Say whether a column is of amounts, by its name: "Qty" and "Lead time" are not."""
    return bool(_MONEY & {*stems_of(name)} or set(SIGNS) & set(name))


def added_columns(table: NamedTable) -> list[str]:
    """Return the columns of numbers that do not number the rows."""
    return [
        name
        for name in table.columns
        if mostly(table, name, amount_of) and not _is_numbering(table.cells(name))
    ]


def _is_numbering(cells: Sequence[str]) -> bool:
    numbers = [one.amount for cell in cells if (one := amount_of(cell)) is not None]
    return len(numbers) > 1 and all(after == before + 1 for before, after in pairwise(numbers))


def newest_of_running(table: NamedTable, name: str, rows: Sequence[int]) -> int | None:
    """Return the newest of some rows by a running column: a balance, what is still owed.

    Each of its cells is the one before it, more or less by what one other column says. So the last
    one tells what the rows come to. Where the newest row stands first, it is the first. None where
    a column does not run, and where it goes up or down by one alone: that may be chance.
    """
    read = ((i, amount_of(row.cells.get(name, ""))) for i, row in enumerate(table.rows))
    held = [(i, one.amount) for i, one in read if one is not None]
    wanted = set(rows)
    kept = [i for i, _ in held if i in wanted]
    others = [one for one in added_columns(table) if one != name]
    for order, newest in ((held, kept[-1:]), (held[::-1], kept[:1])):
        steps = ((i, abs(number - before)) for (_, before), (i, number) in pairwise(order))
        changes = [(i, change) for i, change in steps if change]
        if len(changes) < LEAST_CHANGES or all(change == 1 for _, change in changes):
            continue
        if any(_tells(table, other, changes) for other in others):
            return newest[0] if newest else None
    return None


def _tells(table: NamedTable, name: str, changes: Sequence[tuple[int, Decimal]]) -> bool:
    """Say whether a column has most of these changes, in their rows."""
    may_lack = len(changes) * (1 - MOSTLY)
    for i, change in changes:
        amount = amount_of(table.rows[i].cells.get(name, ""))
        may_lack -= amount is None or abs(amount.amount) != change
        if may_lack < 0:
            return False
    return True


def mostly(table: NamedTable, name: str, read: Callable[[str], object]) -> bool:
    """Say whether most cells of a column are read: as amounts, or as days."""
    cells = table.cells(name)
    return bool(cells) and sum(read(cell) is not None for cell in cells) >= MOSTLY * len(cells)
