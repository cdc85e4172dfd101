"""The table that a question most likely asks, where none accounts for all of its words.

People call things by other names than their tables do: a singer who has not handed over a penny is
a row of a sheet of subs whose cell "Pd" is empty. The table that has most of the rarer words is
asked by a query that a model writes. It may choose rows by what the question says alone, and the
words that the table lacks are told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from math import log

from engine.language.days import Span
from engine.sheets.asked import MEASURED
from engine.sheets.chosen import is_named
from engine.sheets.columns import (
    added_columns,
    column_of_amounts,
    money_columns,
)
from engine.sheets.completeness import KINDS, denies, is_sound, signs_of
from engine.sheets.days import is_of_days, is_of_months, rows_meant
from engine.sheets.offered import holds, shape_of
from engine.sheets.posed import TOTAL, Posed
from engine.sheets.proposal import (
    Candidate,
    described_query,
    is_fit,
)
from engine.sheets.query import Condition, RowsQuery
from engine.sheets.rows import WORD, NamedTable, stems_in, stems_of
from engine.values import Argument
from models.protocols import Generator

LEAST_SHARE = 0.4
"""Of the weight of its words that a table must have, 0 to 1."""
LEAST_ALONE = 0.25
"""The same where no other table has nearly as many, and a name of the table is said."""
LEAST_BARE = 0.6
"""The same where all rows are counted, and of the most or least in a table within a text."""
LEAST_UNSAID = 0.8
"""The same of "how much", which more often asks for one amount that is written somewhere."""
LAST_RANK = 40
"""Rank of an item's best passage up to which it may be meant."""
ALONE = 0.1
"""The most that another table may have of it."""
ALIKE = 0.9
"""Share of the best rating from which a table with rows of the days may be meant instead."""
OF_CELLS = 0.9
"""Weight of a word that only a cell has, to one that names the table or a column."""
_PLURAL = re.compile(r"(?:[^s]s|people|men|women|children)$", re.IGNORECASE)
_NUMBER_OF = re.compile(r"\bnumber of\b", re.IGNORECASE)
# "my tunings sheet", "the job list"
_SHEET = re.compile(
    r"\b(?:my|our|the|[\w-]+'s) ((?:[\w-]+ ){1,2})(?:sheet|spreadsheet|list|log|csv|table|statement"
    r"|ledger)\b",
    re.IGNORECASE,
)
# "wall A"
_LETTERED = re.compile(r"\b([^\W\d_]{2,}) ((?!I\b)[A-Z]|\d{1,3})\b(?![-'.])")


@dataclass(frozen=True, slots=True)
class Likely:
    """A table that may be meant, and what it has of the question."""

    found: Candidate
    asked: Posed
    share: float
    """Of the weight of the question's words, 0 to 1."""
    unknown: tuple[str, ...]
    """Words that it lacks."""


def likely(
    asked: Posed, tables: Iterable[NamedTable], ranks: Mapping[int, int], today: date
) -> Iterator[Likely]:
    """Yield the tables that a question most likely asks, best first; none where little speaks.

    `ranks` has the rank of the best passage of an item, from 1, by the item's `id`.
    """
    fit = [one for one in tables if is_fit(one) and (asked.form == "counted" or _adds(one))]
    named = _named(asked.text, fit)
    found = list(_best(asked, named, {id(one.item): 1 for one in named}, today)) if named else []
    yield from found or _best(asked, fit, ranks, today)


def _best(
    asked: Posed, tables: Sequence[NamedTable], ranks: Mapping[int, int], today: date
) -> Iterator[Likely]:
    shares = _shares(asked, tables)
    order = sorted(
        tables, key=lambda one: (-shares[id(one)] - _beside(asked, one), _rank(one, ranks))
    )
    best = max(shares.values(), default=0.0)
    for table in order:
        share = shares[id(table)]
        if not share or share < ALIKE * best:
            return
        others = (shares[id(one)] for one in tables if one.item is not table.item)
        alone = max(others, default=0.0) <= ALONE * share and _is_called(asked, table)
        if _rank(table, ranks) > LAST_RANK or not _is_enough(asked, share, alone=alone):
            continue
        if asked.form in ("foremost", "ended") and share < LEAST_BARE and _is_in_text(table):
            continue
        if (one := _of(asked, table, share, today)) is not None:
            yield one


def _shares(asked: Posed, tables: Sequence[NamedTable]) -> dict[int, float]:
    """Return the share of a question's words that each table has, by its `id`.

    A sheet that is named by the months of the question has one word more.
    """
    weights = _weights(asked, tables)
    named = {id(one) for one in tables if asked.days and is_of_months(one, asked.days)}
    days = _weight(tables, lambda one: id(one) in named) if named else 0.0
    whole = (sum(weights.values()) + days) or 1.0
    return {id(one): (_rating(weights, one) + days * (id(one) in named)) / whole for one in tables}


def _beside(asked: Posed, table: NamedTable) -> float:
    """Return what speaks for a table beside: verbs that are also nouns, "bill", "order"."""
    said = frozenset(stems_of(asked.text)).difference(*map(stems_of, asked.words))
    return 0.03 * len(said & table.called) + 0.01 * len(said & table.headed)


def _named(text: str, tables: Sequence[NamedTable]) -> list[NamedTable]:
    """Return the tables that a question calls by name: "my tunings sheet"."""
    called = stems_in(match[1] for match in _SHEET.finditer(text))
    return [one for one in tables if called & one.called]


def _is_in_text(table: NamedTable) -> bool:
    """Say whether a table is part of a text, and no sheet of its own."""
    place = table.item.locator
    return place.sheet is None and place.path.suffix.casefold() not in (".csv", ".tsv")


def _adds(table: NamedTable) -> bool:
    return bool(added_columns(table))


def _rank(table: NamedTable, ranks: Mapping[int, int]) -> int:
    return ranks.get(id(table.item), LAST_RANK + 1)


def _weights(asked: Posed, tables: Sequence[NamedTable]) -> dict[tuple[str, ...], float]:
    """Return how much each word weighs, by its stems: more where fewer tables have it."""
    said = [stems_of(one) for one in asked.words]
    said += [stems_of(match[0]) for match in _LETTERED.finditer(asked.text)]
    return {one: _weight(tables, partial(_has, said=one)) for one in dict.fromkeys(said)}


def _weight(tables: Sequence[NamedTable], has: Callable[[NamedTable], float]) -> float:
    return log(1 + len(tables) / (1 + sum(has(table) > 0 for table in tables)))


def _rating(weights: Mapping[tuple[str, ...], float], table: NamedTable) -> float:
    return sum(weight * _has(table, one) for one, weight in weights.items())


def _has(table: NamedTable, said: tuple[str, ...]) -> float:
    """Return 1 where a name has these stems, less where a cell has, 0 where nothing does."""
    if len(said) == 1:
        if _is_name(said[0], table):
            return 1.0
        return OF_CELLS if said[0] in table.said else 0.0
    return OF_CELLS if any(holds(cell, said) for cell in table.whole) else 0.0


def _is_name(stem: str, table: NamedTable) -> bool:
    return stem in table.called or is_named(stem, table.headed)


def _is_called(asked: Posed, table: NamedTable) -> bool:
    return any(_is_name(stem, table) for stem in stems_in(asked.words))


def _is_enough(asked: Posed, share: float, *, alone: bool) -> bool:
    """Say whether a table has enough of a question's words, by what is asked."""
    totals = bool(TOTAL.search(asked.text))
    if asked.form == "summed" and not totals and not MEASURED.search(asked.text):
        return share >= LEAST_UNSAID
    if (match := _NUMBER_OF.search(asked.text)) and not any(
        map(_PLURAL.search, WORD.findall(asked.text[match.end() :])[:3])
    ):
        return False  # "the number of the certificate"
    return share >= LEAST_SHARE or (share >= LEAST_ALONE and alone and (asked.denies or totals))


def _of(asked: Posed, table: NamedTable, share: float, today: date) -> Likely | None:
    """Return the rows of the days; None where there are none, and where a name is unknown."""
    unknown = tuple(one for one in asked.words if not _has(table, stems_of(one)))
    names = re.findall(r"(?<=[^\W.?!:] )[A-Z][\w-]*", asked.text)
    lettered = [stems_of(match[0]) for match in _LETTERED.finditer(asked.text)]
    if {*unknown}.intersection(names) or not KINDS.isdisjoint(stems_in(unknown)):
        return None
    if not all(_has(table, one) for one in lettered):
        return None
    if asked.taxed is not None and column_of_amounts(table, taxed=asked.taxed) is None:
        return None  # "before VAT", of amounts that do not say
    chosen = rows_meant(asked, table, today)
    if chosen is None and asked.days is not None and _names_days(table, asked.days):
        asked = replace(asked, text=f"{asked.text} ({asked.days_said})")
        chosen = rows_meant(replace(asked, days=None), table, today)
    if chosen is None:
        return None
    rows, days = chosen
    found = Candidate(table, tuple(rows), shape_of(asked, table), days)
    return Likely(found, asked, share, unknown) if rows else None


def _names_days(table: NamedTable, days: Span) -> bool:
    """Say whether cells name the month that is asked about, without a year."""
    first = days.first
    return first is not None and any(
        cell == stems_of(f"{first:{name}}") for cell in table.whole for name in ("%B", "%b")
    )


def likely_query(model: Generator, one: Likely) -> RowsQuery | None:
    """Return the query that a model writes, where it says what the question does."""
    asked, found = one.asked, one.found
    query = described_query(model, asked, found)
    if query is None:
        return None
    by_days = asked.days is None or found.days or is_of_days(found.table, asked.days)
    said = frozenset(stems_of(asked.days_said))
    if not by_days and not any(said & {*stems_of(each.value)} for each in query.conditions):
        return None
    bare = not query.conditions and not found.days
    if (query.operation == "count" and bare and one.share < LEAST_BARE) or (
        query.operation == "list" and query.ordered is None
    ):
        return None
    if denies(query, asked) != asked.denies and not any(map(_is_nothing, query.conditions)):
        return None
    if not _is_meant(query, asked, found.table):
        return None
    if query.operation == "sum" and len(signs_of(query, found.table, found.rows)) > 1:
        return None
    return query if is_sound(query, asked, found.table, found.rows) else None


def _is_meant(query: RowsQuery, asked: Posed, table: NamedTable) -> bool:
    """Say whether what is added is named, where the question names it or says nothing of a sum."""
    measured = query.measured
    if measured is None:
        return True
    own = stems_of(measured)
    if stems_in([asked.text]).intersection(own) or any(is_named(one, own) for one in asked.words):
        return True
    if asked.form != "summed":
        return asked.form != "counted"
    # What is added has a name, or is money.
    if TOTAL.search(asked.text):
        return measured in money_columns(table)
    return measured == column_of_amounts(table, taxed=asked.taxed)


def _is_nothing(one: Condition) -> bool:
    """Say whether a condition says that a number is 0."""
    return one.operator == "=" and one.value == "0"


def lacks(one: Likely) -> tuple[Argument, ...]:
    """Return which words a table lacks, as what speaks against an answer from it."""
    if not one.unknown:
        return ()
    words = ", ".join(f'"{word}"' for word in one.unknown)
    return (Argument(f"the table does not have {words}", False),)
