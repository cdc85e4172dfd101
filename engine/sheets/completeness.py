"""Whether a query that a model wrote says all that its question says, and no more.

Each word of the question must be one of the table's name, of a column or of a condition; what it
denies must be denied; what is measured must be named, or be the table's one column of money.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.sheets.asked import DO
from engine.sheets.chosen import is_named, is_total
from engine.sheets.columns import (
    added_columns,
    amount_of,
    column_of_amounts,
    column_of_states,
    has_quantities,
    has_several_people,
    mostly,
    name_columns,
    names_people,
    newest_of_running,
)
from engine.sheets.execution import passing
from engine.sheets.months import MONTH
from engine.sheets.posed import Posed
from engine.sheets.query import Condition, RowsQuery
from engine.sheets.rows import WORD, NamedTable, stems_of

_OPEN = frozenset(stems_of("unpaid open outstanding overdue pending missing out"))
_OWED = frozenset(stems_of("owing owed outstanding overdue unpaid arrears"))
_DENIALS = _OPEN | frozenset(stems_of("no n false 0 none never"))
_LACKING = {
    "paid": "unpaid outstanding owe owes owed owing pay overdue",
    "payment": "unpaid outstanding owe owes owed owing pay paid overdue",
    "returned": "out back return unreturned bring brought",
    "done": "open do finished",
}
"""Columns whose empty cells are meant by other words than their names."""
_PERSONS = frozenset(
    stems_of(
        "student pupil child kid member guest tenant client customer patient employee colleague "
        "volunteer player participant parent applicant candidate resident neighbour household"
    )
)
"""What a row of a table with a column of names may be: "which student"."""
KINDS = frozenset(
    stems_of(
        "appointments attachments calendar chats conversations diary emails events letters mails "
        "meetings messages newsletters texts threads"
    )
)
"""What is read beside tables: where a table has no such word, those are meant."""
_PAID = stems_of("paid")
_INCOME = frozenset(stems_of("income earnings revenue takings"))
_SPENDING = frozenset(stems_of("expense expenditure outgoings outlay spending"))
_ROWS = frozenset(stems_of("bill invoice payment purchase receipt")) | _INCOME | _SPENDING
_NAMES = frozenset(stems_of("name names full first last family surname"))
_LINES = re.compile(r"\b(?:lines?|rows?|entries|items?|positions?|different)\b", re.IGNORECASE)
_MINE = re.compile(r"\b(?:I|me|my|mine)\b")


def accounts(query: RowsQuery, asked: Posed, table: NamedTable, rows: Sequence[int]) -> bool:
    """Say whether a query has a part for each word of its question, and no condition beside."""
    said = frozenset(stems_of(asked.text))
    values = [stem for one in query.conditions for stem in stems_of(one.value)]
    columns = query.columns if query.measured else table.columns
    if table.amounts:
        columns = (*columns, MONTH)  # "the average monthly bill", of months
    used = (*table.called, *values, *(stem for one in columns for stem in stems_of(one)))
    left = [one for one in asked.words if not is_named(one, used) and one.casefold() not in DO]
    chooses = bool(query.conditions or asked.days)
    if not may_be_rows(left, asked, by_name=chooses, table=table):
        return False
    if not _numbers_columns(query, asked, table):
        return False
    if not all(_is_stated(one, said, asked) for one in query.conditions):
        return False
    if query.operation == "list" and not _lists_what_is_asked(query, asked, table):
        return False
    return denies(query, asked) == asked.denies and _measures(query, asked, table, rows)


def _lists_what_is_asked(query: RowsQuery, asked: Posed, table: NamedTable) -> bool:
    """Say whether the listed column is the one that the question begins with."""
    listed = query.by or query.column or ""
    if asked.of_people and mostly(table, listed, amount_of):
        return False
    named = listed_columns(asked, table)
    return not named or listed in named


def listed_columns(asked: Posed, table: NamedTable) -> list[str]:
    """Return the columns that a question begins with, "which class"; those of names for people."""
    said = asked.listed
    if said is None:
        return [] if not asked.of_people or _names_another(asked, table) else _of_names(table)
    named = [name for name in table.columns if is_named(said, stems_of(name))]
    return named or (_of_names(table) if _is_person(said) else [])


def _names_another(asked: Posed, table: NamedTable) -> bool:
    """Say whether a question means another column of words: "who supplied", of "Supplier"."""
    words = (one for one in WORD.findall(asked.text) if not is_named(one, table.called))
    names = {*_of_names(table)}
    others = [
        stems_of(name)
        for name in table.columns
        if name not in names and not mostly(table, name, amount_of)
    ]
    return any(is_named(word, stems) for word in words for stems in others)


def _is_person(word: str) -> bool:
    return not _PERSONS.isdisjoint(stems_of(word))


def _of_names(table: NamedTable) -> list[str]:
    """Return the columns of people's names: "Full name", "Driver"; not "File name"."""
    return [one for one in table.columns if _NAMES.issuperset(stems_of(one)) or names_people(one)]


def _numbers_columns(query: RowsQuery, asked: Posed, table: NamedTable) -> bool:
    """Say whether a number that tells columns apart is in a column of the query: "task 2"."""
    used = frozenset(stem for one in query.columns for stem in stems_of(one))
    held = frozenset(stem for one in table.columns for stem in stems_of(one))
    return asked.compares or held.intersection(asked.numbers) <= used


def _is_owed(column: str | None) -> bool:
    """Say whether a column has what is still to be paid: "Owing", "Outstanding"."""
    return column is not None and not _OWED.isdisjoint(stems_of(column))


def denies(query: RowsQuery, asked: Posed) -> bool:
    """Say whether a query denies something, or measures what is owed where the question denies."""
    denied = any(_denies(one) for one in query.conditions)
    return denied or (asked.denies and _is_owed(query.measured))


def _denies(one: Condition) -> bool:
    return one.is_denial or (one.operator == "=" and _is_denial(one.value))


def _is_denial(cell: str) -> bool:
    """Say whether a cell says that something is not so: "no", "not yet"."""
    stems = stems_of(cell)
    return _DENIALS.issuperset(stems) or stems[:1] == ("not",)


def _is_stated(one: Condition, said: frozenset[str], asked: Posed) -> bool:
    """Say whether a question states a condition, or denies what its column says."""
    if one.operator in (">", "<", ">=", "<="):
        return asked.compares
    if asked.denies and one.operator == "=" and {*stems_of(one.value)} <= _OPEN:
        return True
    return bool(said & ({*stems_of(one.value)} | meant_by(one.column)))


def _measures(query: RowsQuery, asked: Posed, table: NamedTable, rows: Sequence[int]) -> bool:
    """Say whether what is measured is what the question names, and rows are fit to be counted."""
    said, measured = frozenset(stems_of(asked.text)), query.measured
    if measured:
        named = bool(said & {*stems_of(measured)}) and measured in added_columns(table)
        every = range(len(table.rows))
        # a balance is what the other column comes to
        is_only = [measured] == [
            one for one in added_columns(table) if newest_of_running(table, one, every) is None
        ]
        if not (named or is_only) and measured != column_of_amounts(table, taxed=None):
            return False
    if asked.compares != any(one.operator[0] in "<>" for one in query.conditions):
        return False
    return is_sound(query, asked, table, rows)


def is_sound(query: RowsQuery, asked: Posed, table: NamedTable, rows: Sequence[int]) -> bool:
    """Say whether rows may be added or counted: none is cancelled, spent or another person's."""
    said, measured = frozenset(stems_of(asked.text)), query.measured
    operation = query.ordered[0] if query.ordered else query.operation
    kept = passing(query, table, rows)
    state = column_of_states(table, rows)
    stated = state in {one.column for one in query.conditions}
    if operation == "sum" and state and not stated:
        paid = [table.stems[i].get(state, ()) == _PAID for i in kept]
        if not all(paid):
            return False  # some are cancelled, or open
    if operation == "sum" and said & (_INCOME | _SPENDING) and measured:
        # What came in and what went out stand in one column.
        signs = signs_of(query, table, rows)
        if len(signs) > 1 or (said & _INCOME and False in signs):
            return False
    if operation == "count" and has_quantities(table) and not _LINES.search(asked.text):
        return False
    by_person = any(names_people(one.column) for one in query.conditions)
    mine = _MINE.search(asked.text) and not by_person and asked.form != "foremost"
    return not (mine and has_several_people(table, rows))


def signs_of(query: RowsQuery, table: NamedTable, rows: Sequence[int]) -> set[bool]:
    """Return whether what is measured is above 0: both where a bank's sums go in and out."""
    kept = passing(query, table, rows)
    cells = (table.rows[i].cells.get(query.measured or "", "") for i in kept)
    return {one.amount > 0 for cell in cells if (one := amount_of(cell)) and one.amount}


def may_be_rows(unknown: Sequence[str], asked: Posed, *, by_name: bool, table: NamedTable) -> bool:
    """Say whether no word is unknown, or only what a row of the table is.

    That is what is counted in a named table, "chess games", who is listed: "which student", of a
    table of names, and what a row with an amount is: "the gas bill".
    """
    if len(unknown) != 1:
        return not unknown
    one = unknown[0]
    if not KINDS.isdisjoint(stems_of(one)):
        return False
    if by_name and _ROWS.issuperset(stems_of(one)) and added_columns(table):
        return True
    is_form = asked.form in ("listed", "foremost")
    is_listed = is_form and one == asked.listed and len(asked.words) > 1
    people = is_listed and _is_person(one) and bool(_of_names(table))
    if one.casefold() == "people" and not _has_each_once(table):
        return False  # a time sheet has a row for each day of somebody
    return people or (by_name and one in asked.heads)


def _has_each_once(table: NamedTable) -> bool:
    """Say whether a table is of people, each in one row."""
    names = name_columns(table) or tuple(_of_names(table))
    each = [tuple(row.cells.get(name) for name in names) for row in table.rows]
    return bool(names) and len(set(each)) == len(each)


def lacks_cells(table: NamedTable, column: str) -> bool:
    """Say whether empty cells of a column say that something is not so.

    They do not where other cells say it, "no" or "not yet", nor in rows of totals.
    """
    if any(map(_is_denial, set(table.cells(column)))):
        return False
    return any(
        column not in row.cells and not is_total(cells)
        for row, cells in zip(table.rows, table.stems, strict=True)
    )


def meant_by(column: str) -> frozenset[str]:
    """Return the stems by which a question means a column, and those that say that it is empty."""
    own = stems_of(column)
    other = (words for name, words in _LACKING.items() if stems_of(name)[0] in own)
    return frozenset((*own, *(stem for words in other for stem in stems_of(words))))
