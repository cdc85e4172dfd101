"""What a model may ask of a table that lacks some of a question's words.

A condition names cells and words that the question says, codes that begin one of its words, and
what is empty where it denies something.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from engine.sheets.chosen import LEAST_BEGUN, is_named
from engine.sheets.columns import amount_of, column_of_amounts, mostly
from engine.sheets.completeness import lacks_cells, meant_by
from engine.sheets.posed import Posed
from engine.sheets.proposal import LONGEST_CELL, STATES
from engine.sheets.query import Shape, short_names
from engine.sheets.rows import WORD, NamedTable, stems_in, stems_of

FEW_KINDS = 8
"""Different cells of a column that is of kinds: "C" for the concession rate."""
_NOTES = frozenset(stems_of("note notes remark remarks comment comments rmk"))
"""Columns whose empty cells say nothing."""


def shape_of(asked: Posed, table: NamedTable) -> Shape:
    """Return what a query may say: cells and phrases of the question, codes of its words."""
    names = short_names(table.columns)
    numbers = tuple(one for one, name in names.items() if mostly(table, name, amount_of))
    cells, parts = dict[str, tuple[str, ...]](), dict[str, tuple[str, ...]]()
    for short, name in names.items():
        if short not in numbers:
            cells[short], parts[short] = _conditions(asked, table, name)
    said = frozenset(stems_of(asked.text))
    lacking = [
        one
        for one, name in names.items()
        if _NOTES.isdisjoint(stems_of(name)) and lacks_cells(table, name)
    ]
    compared = asked.numbers if asked.compares else ()
    return Shape(
        names,
        _measured(asked, table, names, numbers),
        cells,
        parts,
        (*compared, *(("0",) if asked.denies else ())),
        denies=asked.denies,
        empty=tuple(lacking) if asked.denies else (),
        filled=() if asked.denies else tuple(one for one in lacking if said & meant_by(names[one])),
    )


def _measured(
    asked: Posed, table: NamedTable, names: Mapping[str, str], numbers: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the columns that may be added: with or without tax, else those that are named."""
    if asked.taxed is not None:
        amounts = column_of_amounts(table, taxed=asked.taxed)
        return tuple(one for one in numbers if names[one] == amounts)
    said = [one for word in asked.words for one in stems_of(word)]
    named = tuple(
        one for one in numbers if any(is_named(stem, stems_of(names[one])) for stem in said)
    )
    return named or numbers


def _conditions(
    asked: Posed, table: NamedTable, name: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the whole cells of a column that a condition may name, and the parts of cells."""
    distinct = [one for one in dict.fromkeys(table.cells(name)) if len(one) <= LONGEST_CELL]
    said = frozenset(stems_of(asked.text))
    stems = {one: stems_of(one) for one in distinct}
    few = len(distinct) <= FEW_KINDS
    cells = tuple(
        one
        for one in distinct
        if stems[one] and (said.issuperset(stems[one]) or (few and _is_kind(one, asked)))
    )
    whole = stems_in(cells)
    phrases = tuple(_phrases(asked, stems.values()))
    within = frozenset(word for one in phrases for word in one.split())
    held = frozenset(stem for one in stems.values() for stem in one) - whole
    words = (one for one in asked.words if one not in within and held.issuperset(stems_of(one)))
    return cells, (*phrases, *dict.fromkeys(words))


def _is_kind(cell: str, asked: Posed) -> bool:
    """Say whether a cell is the first letters of a word, or a state where the question denies."""
    if asked.denies and STATES.issuperset(stems_of(cell)):
        return True
    begun = (word.casefold().startswith(cell.casefold()) for word in asked.words)
    return len(cell) < LEAST_BEGUN - 1 and cell.isalpha() and any(begun)


def _phrases(asked: Posed, cells: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Yield two words of the question that stand side by side in a cell too: "wall A"."""
    held, words = [*cells], WORD.findall(asked.text)
    asked_for = frozenset(asked.words)
    for i, first in enumerate(words[:-1]):
        both = f"{first} {words[i + 1]}"
        if asked_for.intersection(both.split()) and any(
            holds(cell, stems_of(both)) for cell in held
        ):
            yield both


def holds(cell: Sequence[str], said: tuple[str, ...]) -> bool:
    """Say whether a cell has these stems in a row."""
    return any(tuple(cell[i : i + len(said)]) == said for i in range(len(cell)))
