"""Rows of which one number is below or above another one: stock below its reorder level.

The comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from engine.generation.draft import Draft
from engine.sheets.asked import words_asked
from engine.sheets.chosen import is_named, is_total
from engine.sheets.columns import amount_of, mostly
from engine.sheets.computed import BY_WORDS, CITED
from engine.sheets.rows import NamedTable, stems_in, stems_of
from engine.values import Citation, Passage

_WAY = (
    r"(?P<less>below|under|beneath|(?:lower|less|fewer) than|short of)"
    r"|(?P<more>above|over|exceed\w*|(?:higher|greater|more) than)"
)
# "how many stock items are below their reorder level", "what's under its minimum stock"
_ASKED = re.compile(
    r"^(?:and |so )?(?:(?P<count>how many)|which|what(?:'s)?|list|show(?: me)?|anything|any)\b"
    rf"(?P<what>.*?)(?:\b(?:{_WAY}))(?P<also> or at)? (?:its |their |the |our |my )?"
    r"(?P<column>[^\W\d_][\w -]*?)(?: (?:now|yet|already|right now|at the moment))?$",
    re.IGNORECASE,
)
_AT_LEVEL = re.compile(r"\bat or\s*$", re.IGNORECASE)
_HELD = stems_in(["hand", "stock", "stocked", "quantity", "qty", "count", "have", "left", "level"])
_HELD_TOO = stems_in(["actual", "actually", "spent", "current", "now", "used", "total"])
_PRICES = stems_in(["cost", "price", "amount", "value", "rate", "fee", "gbp", "eur", "usd", "cad"])
_ANY = frozenset(
    stems_of(
        "item thing product line row entry anything currently gone fallen running went got piece"
    )
)
LISTED = 40
"""Rows that an answer names."""


@dataclass(frozen=True, slots=True)
class LevelAsked:
    """What is to be below or above a column, and which rows are meant."""

    column: frozenset[str]
    """Stems that the column's name has."""
    words: tuple[str, ...]
    is_below: bool
    is_also_level: bool
    """Whether what is level counts too."""
    counts: bool
    """Whether rows are counted, and not named."""


def level_asked(question: str) -> LevelAsked | None:
    """Return what a question compares with a column; None for another question."""
    plain = " ".join(question.replace("\u2019", "'").split()).rstrip("?.! ")
    match = _ASKED.match(plain)
    if match is None:
        return None
    what = _AT_LEVEL.sub("", match["what"])
    is_level = what != match["what"] or match["also"] is not None
    words = tuple(one for one in words_asked(what)[0] if stems_of(one)[0] not in _ANY)
    column = stems_in(words_asked(match["column"])[0])
    if not column:
        return None
    return LevelAsked(column, words, match["less"] is not None, is_level, bool(match["count"]))


def level(asked: LevelAsked, tables: Iterable[NamedTable]) -> Draft | None:
    """Return the rows whose number is below or above the one in the named column.

    Where there are none, the rows that were compared are cited. None where no table, or more than
    one, has that column and one other to compare with it, or where a word of the question is none
    of the table's.
    """
    found = [one for table in tables if (one := _compared(asked, table)) is not None]
    if len(found) != 1:
        return None
    (one,) = found
    item, citations = one.table.item, list[Citation]()
    for number in (one.rows or one.compared)[:CITED]:
        row, place = one.table.rows[number], len(citations) + 1
        passage = Passage(item, row.start, row.end)
        citations.append(Citation(place, passage, row.start, row.end, "matched", support=True))
    marks = [f"[{place}]" for place in range(1, len(citations) + 1)]
    count = len(one.rows)
    if asked.counts:
        lines = [f"{count:,} {''.join(marks)}".strip()]
    else:
        lines = list(_named(one, marks)) or [f"None {''.join(marks)}"]
    way = "less" if asked.is_below else "more"
    told = f"{one.column} is {way} than {one.limit}{' or level' if asked.is_also_level else ''}"
    told = " and ".join([told, *one.conditions])
    lacking = f"; left out, without two numbers of one unit: {one.table.counted(one.lacking)}"
    lacking = lacking if one.lacking else ""
    rows = f"{count:,} of {one.table.counted(len(one.compared))}"
    lines.append(f"({rows} of {item.title}, where {told}{lacking})")
    passages = tuple(one.passage for one in citations)
    return Draft("\n".join(lines), passages, citations=tuple(citations), reasons=(BY_WORDS,))


@dataclass(frozen=True, slots=True)
class _Compared:
    table: NamedTable
    rows: tuple[int, ...]
    compared: tuple[int, ...]
    """Those and all others that have both numbers: what is cited where none is below."""
    column: str
    limit: str
    conditions: tuple[str, ...]
    lacking: int


def _named(one: _Compared, marks: list[str]) -> Iterator[str]:
    first = one.table.columns[0]
    for place, number in enumerate(one.rows[:LISTED]):
        cells = one.table.rows[number].cells
        mark = f" {marks[place]}" if place < len(marks) else ""
        yield f"{cells.get(first, '(no name)')}: {cells[one.column]} of {cells[one.limit]}{mark}"
    if len(one.rows) > LISTED:
        yield f"and {len(one.rows) - LISTED:,} more"


def _compared(asked: LevelAsked, table: NamedTable) -> _Compared | None:
    numbers = [name for name in table.columns if mostly(table, name, amount_of)]
    limits = [name for name in numbers if asked.column <= {*stems_of(name)}]
    if len(limits) != 1:
        return None
    (limit,) = limits
    column = _other(limit, numbers)
    if column is None:
        return None
    rows = [i for i, cells in enumerate(table.stems) if not is_total(cells)]
    conditions = list[str]()
    for word in asked.words:
        if is_named(word, (*table.called, *stems_of(column), *stems_of(limit))):
            continue
        stems = {*stems_of(word)}
        held = [i for i in rows if any(stems <= {*cell} for cell in table.stems[i].values())]
        if not held:
            return None
        rows = held
        conditions.append(f'a cell has "{word}"')
    over = {i: _over(table, i, column, limit) for i in rows}
    kept = [i for i, by in over.items() if by is not None and _fits(by, asked)]
    compared = tuple(i for i, by in over.items() if by is not None)
    if not compared:
        return None
    lacking = len(rows) - len(compared)
    return _Compared(table, tuple(kept), compared, column, limit, tuple(conditions), lacking)


def _other(limit: str, numbers: Iterable[str]) -> str | None:
    """Return the column that is compared with a limit: what is held or spent, or the only other."""
    others = [one for one in numbers if one != limit]
    for fit in (
        [one for one in others if _HELD & {*stems_of(one)} and not _PRICES & {*stems_of(one)}],
        [one for one in others if _HELD_TOO & {*stems_of(one)}],
        [one for one in others if not _PRICES & {*stems_of(one)}],
    ):
        if len(fit) == 1:
            return fit[0]
    return None


def _over(table: NamedTable, i: int, column: str, limit: str) -> Decimal | None:
    """Return by how much a cell is over its limit; None where one lacks, or has another unit."""
    cells = table.rows[i].cells
    own, other = (amount_of(cells.get(name, "")) for name in (column, limit))
    if own is None or other is None or own.unit != other.unit:
        return None
    return own.amount - other.amount


def _fits(over: Decimal, asked: LevelAsked) -> bool:
    return asked.is_also_level if not over else (over < 0) == asked.is_below
