"""Has a model write what a question asks of one table, and checks that nothing is left out.

The model sees the columns and a few cells. What it writes is only run where it accounts for each
word of the question, and adds no condition that the question does not state.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from engine.generation.draft import Draft
from engine.prompts.templates import render
from engine.sheets.asked import DO
from engine.sheets.chosen import is_named, may_have
from engine.sheets.columns import (
    added_columns,
    amount_of,
    money_columns,
    mostly,
    named_column,
)
from engine.sheets.completeness import (
    accounts,
    lacks_cells,
    listed_columns,
    may_be_rows,
    meant_by,
)
from engine.sheets.computed import BY_WORDS, CITED
from engine.sheets.days import is_of_days, rows_meant
from engine.sheets.execution import Result, left_out, run
from engine.sheets.posed import Posed
from engine.sheets.query import Condition, RowsQuery, Shape, short_names
from engine.sheets.rows import WORD, NamedTable, stems_in, stems_of
from engine.values import Argument, Citation, Passage
from models.protocols import GenerationRequest, Generator, Grammar

QUERY_TOKENS = 100
LEAST_ROWS = 3
MOST_COLUMNS = 30
"""Of a table that a model is shown."""
FEW = 8
"""Different cells of a column that are all shown to the model: states, kinds."""
SHOWN = 3
"""Cells of another column that are shown."""
LONGEST_CELL = 60
LISTED = 40
"""Values that an answer shows."""
BY_MODEL = Argument("a model wrote what was asked of the table", False)
STATES = frozenset(stems_of("yes no y n x true false paid unpaid open closed done pending out"))
"""Cells that a condition may name though the question has other words for them."""
_NUMBER = re.compile(r"\d{1,3}")
_PRICE = re.compile(r"\b(?:cheapest|dearest|priciest|(?:most|least) expensive)\b", re.IGNORECASE)
# "the biggest invoice"
_LARGEST = re.compile(
    r"\b(?:biggest|largest|highest|smallest|lowest|dearest|cheapest|(?:most|least) expensive)"
    r" ([^\W\d_]+)(?=\W*$|[?,]| (?:in|on|of|for|from|to|with|at|by|so|ever|this|last|we|i|did|was"
    r"|is|had|has|have|and)\b)",
    re.IGNORECASE,
)
_LEAST = re.compile(r"\b(?:least|lowest|smallest|shortest|cheapest|min(?:imum)?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """The table that a question is about, and the rows of its days."""

    table: NamedTable
    rows: tuple[int, ...]
    shape: Shape
    days: str
    """How its days chose them, for people; empty where all count."""


def candidate(asked: Posed, tables: Iterable[NamedTable], today: date) -> Candidate | None:
    """Return the one table that may account for each word; None where none may, or two alike."""
    rated = [
        (rating, table) for table in tables if is_fit(table) and (rating := _rating(asked, table))
    ]
    best = max((rating for rating, _ in rated), default=0.0)
    alike = (_of_days(asked, table, today) for rating, table in rated if rating == best)
    chosen = [one for one in alike if one is not None]
    return chosen[0] if len(chosen) == 1 else None


def is_fit(table: NamedTable) -> bool:
    """Say whether a table has enough rows to be asked, and no more columns than are shown."""
    return len(table.rows) >= LEAST_ROWS and len(table.columns) <= MOST_COLUMNS


def _rating(asked: Posed, table: NamedTable) -> float:
    """Return how well a table has the words of a question; 0 where it cannot account for all."""
    if sum(not may_have(table, word) for word in asked.words) > 1:
        return 0.0
    rating, unknown, by_name = 0.0, list[str](), False
    for word in asked.words:
        (begin,) = stems_of(word)
        if is_named(word, table.called):
            rating, by_name = rating + 1.5, True
        elif begin in table.said or is_named(word, table.headed):
            rating += 1.2
        elif word.casefold() not in DO:
            unknown.append(word)
    if not asked.words or not may_be_rows(unknown, asked, by_name=by_name, table=table):
        return 0.0
    # Verbs that are also nouns tell tables apart: "rent", "order".
    said = frozenset(stems_of(asked.text))
    beside = said.difference(*map(stems_of, asked.words))
    rating += 0.3 * len(beside & table.called) + 0.1 * len(beside & table.headed)
    if asked.denies and any(said & meant_by(name) for name in table.columns):
        rating += 0.2
    # A list without numbers has none that is largest, and one without money none that is dearest.
    if asked.form not in ("counted", "listed"):
        wanted = money_columns if _PRICE.search(asked.text) else added_columns
        rating += 0.2 * bool(wanted(table))
    if asked.days is not None and is_of_days(table, asked.days):
        rating += 0.2
    # A sheet of a file is nearer than the file.
    sheet = table.item.locator.sheet
    return rating + 0.3 * bool(sheet and {*stems_of(sheet)} & {*stems_of(asked.text)})


def _of_days(asked: Posed, table: NamedTable, today: date) -> Candidate | None:
    chosen = rows_meant(asked, table, today)
    if chosen is None or not chosen[0]:
        return None
    rows, days = chosen
    return Candidate(table, tuple(rows), _shape(asked, table), days)


def _shape(asked: Posed, table: NamedTable) -> Shape:
    names = short_names(table.columns)
    numbers = tuple(one for one, name in names.items() if mostly(table, name, amount_of))
    said = frozenset(stems_of(asked.text))
    words = [one for one in WORD.findall(asked.text) if one in asked.words]
    cells, parts = dict[str, tuple[str, ...]](), dict[str, tuple[str, ...]]()
    for short, name in names.items():
        if short in numbers:
            continue
        distinct = [one for one in dict.fromkeys(table.cells(name)) if len(one) <= LONGEST_CELL]
        stems = {cell: frozenset(stems_of(cell)) for cell in distinct}
        cells[short] = tuple(
            cell for cell in distinct if stems[cell] and stems[cell] <= said | STATES
        )
        # Words that name the table choose no row, and those of a whole cell choose that cell.
        whole = frozenset[str](table.called).union(*(stems[cell] for cell in cells[short]))
        parts_of = frozenset[str]().union(*stems.values()) - whole
        parts[short] = tuple(
            one for one in dict.fromkeys(words) if parts_of.issuperset(stems_of(one))
        )
    lacking = [
        short for short, name in names.items() if said & meant_by(name) and lacks_cells(table, name)
    ]
    filled = tuple(lacking) if not asked.denies else ()
    is_list = asked.form in ("listed", "foremost")
    begun = listed_columns(asked, table) if is_list else []
    return Shape(
        *(names, numbers, cells, parts),
        # "term 4" is a sheet
        tuple(one for one in asked.numbers if asked.compares or one not in table.called),
        empty=tuple(lacking) if asked.denies else (),
        filled=filled,
        listed=tuple(short for short, name in names.items() if name in begun),
    )


def query_by(model: Generator, asked: Posed, found: Candidate) -> RowsQuery | None:
    """Return the query that a model writes, as far as it is whole and accounts for the question."""
    query = described_query(model, asked, found)
    if query is None or not accounts(query, asked, found.table, found.rows):
        return None
    return query


def described_query(model: Generator, asked: Posed, found: Candidate) -> RowsQuery | None:
    """Return the query that a model writes of a table that it is told of; None of one cut off."""
    prompt = render(
        model,
        "rows",
        columns="\n".join(_described(found, asked)),
        title=found.table.item.title,
        rows=str(len(found.table.rows)),
        question=asked.text,
    )
    # "how many bottles", of a column of bottles
    named = found.table.amounts or named_column(found.table, stems_in(asked.heads))
    is_sum = asked.form == "counted" and named
    constraint = Grammar(found.shape.grammar("summed" if is_sum else asked.form))
    request = GenerationRequest((prompt,), max_tokens=QUERY_TOKENS, constraint=constraint)
    query = found.shape.parsed("".join(piece.text for piece in model.sample(request)))
    if query is None:
        return None
    query = replace(query, conditions=_each_once(query.conditions))
    if not asked.denies:
        query = replace(query, conditions=_without_contrary(query.conditions))
    least = bool(_LEAST.search(asked.text))
    if query.operation in ("max", "min"):
        query = replace(query, operation="min" if least else "max")
    return replace(query, largest=not least, single=asked.single or _is_of_row(asked, found.table))


def _is_of_row(asked: Posed, table: NamedTable) -> bool:
    """Say whether the largest row is meant, and not a sum of rows: "the biggest invoice"."""
    match = _LARGEST.search(asked.text)
    if match is None or match[1].endswith("s"):
        return False
    (own,) = stems_of(match[1])
    return own in table.called


def _each_once(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """Return conditions without those whose words a whole cell has already: "Bolt" of a firm."""
    whole = stems_in(one.value for one in conditions if one.operator == "=")
    kept = (one for one in conditions if one.operator != "like" or stems_in([one.value]) - whole)
    return tuple(dict.fromkeys(kept))


def _without_contrary(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """Return conditions without those that deny another one: small models add "and not Rory"."""
    stated = {(one.column, one.value) for one in conditions if one.operator == "="}
    return tuple(
        one for one in conditions if one.operator != "!=" or (one.column, one.value) not in stated
    )


def _described(found: Candidate, asked: Posed) -> Iterable[str]:
    """Yield a line for each column: its short name, its type, some cells, how many are empty."""
    table, said = found.table, frozenset(stems_of(asked.text))
    for short, name in found.shape.names.items():
        cells = table.cells(name)
        distinct = list(dict.fromkeys(cells))
        if len(distinct) > FEW:
            meant = [one for one in distinct if said & {*stems_of(one)}][:SHOWN]
            distinct = list(dict.fromkeys((*meant, *distinct[: SHOWN - 1])))
        kind = "REAL" if short in found.shape.numbers else "TEXT"
        told = ", ".join(repr(one[:LONGEST_CELL]) for one in distinct)
        empty = len(table.rows) - len(cells)
        yield f"{short} {kind}, -- {told}{f'; empty in {empty} rows' if empty else ''}"


def computed_by(query: RowsQuery, found: Candidate) -> Draft | None:
    """Return what a query comes to, with its rows as citations; None of no rows."""
    result = run(query, found.table, found.rows)
    return None if result is None else _draft(result, query, found)


def _draft(result: Result, query: RowsQuery, found: Candidate) -> Draft:
    item, citations, lines = found.table.item, list[Citation](), list[str]()
    for value, rows in result.values[:LISTED]:
        most = CITED if len(result.values) == 1 else 1
        marks = ""
        for i in rows[: min(most, CITED - len(citations))]:
            row, number = found.table.rows[i], len(citations) + 1
            passage = Passage(item, row.start, row.end)
            citations.append(Citation(number, passage, row.start, row.end, "matched", support=True))
            marks += f"[{number}]"
        if query.ordered is not None and _NUMBER.fullmatch(value):
            value = f"{query.by or query.column}: {value}"  # "Rack: 1"
        lines.append(f"{value} {marks}".strip())
    if len(result.values) > LISTED:
        lines.append(f"and {len(result.values) - LISTED:,} more")
    count = sum(len(rows) for _, rows in result.values)
    where = [str(one) for one in query.conditions] + ([found.days] if found.days else [])
    how = f"{result.how} {found.table.counted(count)} of {item.title}"
    told = ", where ".join([how, *filter(None, [" and ".join(where)])])
    lines.append(f"({'; '.join([told, *left_out(query, found.table, found.rows)])})")
    return Draft(
        "\n".join(lines),
        tuple(one.passage for one in citations),
        citations=tuple(citations),
        reasons=(BY_WORDS, BY_MODEL),
    )
