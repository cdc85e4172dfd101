"""By how much something went over its budget: two columns of one row, subtracted.

The comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from engine.compute.units import shown
from engine.generation.draft import Draft
from engine.sheets.asked import words_asked
from engine.sheets.chosen import is_total
from engine.sheets.columns import amount_of, mostly
from engine.sheets.computed import BY_WORDS
from engine.sheets.rows import NamedTable, stems_in, stems_of
from engine.values import Citation, Passage

_BEGIN = r"^(?:and |so )?(?:by )?how (?:much|far)(?: (?:money|more))?"
_BE = r"(?:are|did|do|does|had|has|have|is|was|were)"
_GO = r"(?:been|came|come|end up|ended up|go|goes|gone|ran|run|went)"
_PLAN = r"(?: (?:its|my|our|the|their))? (?:budget|estimate|plan|quote)"
# "by how much did the kitchen go over", "how far are we over budget on the roof"
_OVER = re.compile(
    rf"{_BEGIN} {_BE} (?P<what>.+?)(?: {_GO})?(?: so far)? (?:over|under)(?:{_PLAN})?(?: by)?"
    r"(?: (?:on|with|for) (?P<on>.+))?$",
    re.IGNORECASE,
)
# "how much over budget was the roof", "how far under did the kitchen come"
_OVER_FIRST = re.compile(
    rf"{_BEGIN} (?:over|under)(?:{_PLAN})? {_BE} (?P<what>.+?)(?: {_GO})?"
    r"(?: (?:on|with|for) (?P<on>.+))?$",
    re.IGNORECASE,
)
_PLANNED = stems_in(["budget", "budgeted", "plan", "planned", "estimate", "estimated", "quote"])
_SPENT = stems_in(["actual", "actually", "spent", "cost", "paid", "final", "invoiced", "real"])


@dataclass(frozen=True, slots=True)
class OverrunAsked:
    """Something that was to cost so much, and cost another amount."""

    words: frozenset[str]
    """Stems that a cell of its row has."""


def overrun_asked(question: str) -> OverrunAsked | None:
    """Return what a question asks the overrun of; None for another question."""
    plain = " ".join(question.replace("\u2019", "'").split()).rstrip("?.! ")
    found = _OVER.match(plain) or _OVER_FIRST.match(plain)
    if found is None:
        return None
    words = stems_in(words_asked(found["on"] or found["what"])[0])
    return OverrunAsked(words) if words else None


def overrun(asked: OverrunAsked, tables: Iterable[NamedTable]) -> Draft | None:
    """Return what the spent amount is over the planned one in the one row that has the words.

    None where no table has one column of each, where no row or several have the words, and where
    two tables say different things.
    """
    found = [one for table in tables for one in _rows(asked, table)]
    if len({one.difference for one in found}) != 1:
        return None
    one = found[0]
    row = one.table.rows[one.number]
    citation = Citation(
        1, Passage(one.table.item, row.start, row.end), row.start, row.end, "matched", support=True
    )
    way = "over" if one.difference >= 0 else "under"
    told = f"{one.spent}: {row.cells[one.spent]}, {one.planned}: {row.cells[one.planned]}"
    return Draft(
        f"{shown(abs(one.difference))} {way} [1]\n({told}; one row of {one.table.item.title})",
        (citation.passage,),
        citations=(citation,),
        reasons=(BY_WORDS,),
    )


@dataclass(frozen=True, slots=True)
class _OverrunRow:
    table: NamedTable
    number: int
    spent: str
    planned: str
    difference: Decimal


def _rows(asked: OverrunAsked, table: NamedTable) -> Iterator[_OverrunRow]:
    """Yield the one row of a table that has the words, where it has both amounts."""
    numbers = [name for name in table.columns if mostly(table, name, amount_of)]
    planned = [name for name in numbers if _PLANNED & {*stems_of(name)}]
    spent = [name for name in numbers if _SPENT & {*stems_of(name)} and name not in planned]
    if len(planned) != 1 or len(spent) != 1:
        return
    bearing = [
        i
        for i, cells in enumerate(table.stems)
        if not is_total(cells) and any(asked.words <= {*cell} for cell in cells.values())
    ]
    for i in bearing if len(bearing) == 1 else ():
        cells = table.rows[i].cells
        was, is_to_be = (amount_of(cells.get(name, "")) for name in (spent[0], planned[0]))
        if was is not None and is_to_be is not None and was.unit == is_to_be.unit:
            yield _OverrunRow(table, i, spent[0], planned[0], was.amount - is_to_be.amount)
