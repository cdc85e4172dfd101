"""Counts or adds the rows that a question names, where a table accounts for each of its words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from engine.compute.units import shown
from engine.generation.draft import Draft
from engine.sheets.asked import RowsAsked
from engine.sheets.chosen import ChosenRows, chosen_rows, counts_by_name
from engine.sheets.columns import (
    amount_of,
    column_of_amounts,
    column_of_states,
    has_quantities,
    has_several_people,
    named_column,
    newest_of_running,
)
from engine.sheets.rows import NamedTable, stems_in, stems_of
from engine.values import Argument, Citation, Passage

CITED = 20
"""Citations of one answer."""
BY_WORDS = Argument("its rows were chosen by the question's words", False)


@dataclass(frozen=True, slots=True)
class RowsComputed:
    """What the rows of one table come to."""

    table: NamedTable
    chosen: ChosenRows
    number: Decimal
    column: str | None
    """The column that was added; None: rows were counted."""
    empty: int = 0
    """Rows that have no number in it."""
    runs: bool = False
    """Whether the column runs: the newest row alone tells what the rows come to."""


def computed(asked: RowsAsked, tables: Iterable[NamedTable], today: date) -> RowsComputed | None:
    """Return the count or sum of the table that accounts for the question.

    None where no table does, or two that come to different numbers.
    """
    found = [one for table in tables if (one := _of(asked, table, today)) is not None]
    most = max((one.chosen.by_cells for one in found), default=0)
    best = [one for one in found if one.chosen.by_cells == most]
    if len({one.number for one in best}) != 1:
        return None
    return max(best, key=lambda one: len(one.chosen.numbers))


def draft_of(found: RowsComputed) -> Draft:
    """Return the number with its rows as citations, and how it was computed below."""
    item, chosen = found.table.item, found.chosen
    citations = []
    spans = dict.fromkeys(
        (found.table.rows[i].start, found.table.rows[i].end) for i in chosen.numbers
    )
    for number, (start, end) in enumerate([*spans][:CITED], start=1):
        passage = Passage(item, start, end)
        citations.append(Citation(number, passage, start, end, "matched", support=True))
    marks = "".join(f"[{one.id}]" for one in citations)
    return Draft(
        f"{shown(found.number)} {marks}\n({_how(found)})",
        tuple(one.passage for one in citations),
        citations=tuple(citations),
        reasons=(BY_WORDS,),
    )


def with_person(draft: Draft, name: str) -> Draft:
    """Return what was computed, with whom the question was taken to mean."""
    return replace(draft, text=f"{draft.text}\n({name} is taken to be meant.)")


def _how(found: RowsComputed) -> str:
    """Return how it was computed, and what was left out."""
    chosen, table = found.chosen, found.table
    rows = f"{table.counted(len(chosen.numbers))} of {table.item.title}"
    column = "" if found.column == table.amounts else f"{found.column} in "
    what = "the newest of" if found.runs else "the sum of"
    how = f"{what} {column}{rows}" if found.column else f"counted: {rows}"
    how += f", where {' and '.join(chosen.conditions)}" if chosen.conditions else ""
    how += f"; {table.counted(found.empty)} without a number" if found.empty else ""
    return how + (
        f"; left out, without a day: {table.counted(chosen.undated)}" if chosen.undated else ""
    )


def _of(asked: RowsAsked, table: NamedTable, today: date) -> RowsComputed | None:
    chosen = chosen_rows(asked, table, today)
    if chosen is None or (asked.mine and has_several_people(table, chosen.numbers)):
        return None
    if asked.pays and column_of_states(table, chosen.numbers):
        return None  # what is cancelled or open may not be meant
    named = asked.heads if asked.operation == "count" else asked.words
    column = named_column(table, stems_in(named))
    by_verb = named_column(table, stems_of(" ".join(asked.doing)))
    if asked.operation == "count" and column is None and not table.amounts:
        if by_verb or (has_quantities(table) and not counts_by_name(asked, table)):
            return None  # "how many have paid", of amounts paid
        return RowsComputed(table, chosen, Decimal(len(chosen.numbers)), None)
    column = column or by_verb or table.amounts or column_of_amounts(table, taxed=asked.taxed)
    return None if column is None else _sum(table, chosen, column)


def _sum(table: NamedTable, chosen: ChosenRows, column: str) -> RowsComputed | None:
    """Return the sum of a column; None without a number, and where units differ.

    Of a running column it is the newest number.
    """
    newest = newest_of_running(table, column, chosen.numbers)
    if newest is not None:
        chosen = replace(chosen, numbers=(newest,))
    cells = [table.rows[i].cells.get(column, "") for i in chosen.numbers]
    amounts = [amount for cell in cells if (amount := amount_of(cell)) is not None]
    if len({one.unit for one in amounts}) != 1:
        return None
    numbers = [one.amount for one in amounts]
    total = sum(numbers, Decimal(0))
    if newest is None and total < 0 and all(number <= 0 for number in numbers):
        total = -total  # as a bank shows what left an account
    empty = len(cells) - len(numbers)
    return RowsComputed(table, chosen, total, column, empty, newest is not None)
