"""People of a question by the names that sheets have: "Becky" is Tarrant in a log of drives."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.sheets.columns import name_columns
from engine.sheets.rows import WORD, NamedTable, stems_of
from ingest.item import Item

LEAST_LETTERS = 2
"""Of a last name: "Becky T" tells none."""


@dataclass(frozen=True, slots=True)
class ByLastName:
    """A question that calls somebody by the last name in place of the first one."""

    text: str
    name: str
    """Who was taken to be meant: "Becky Tarrant"."""
    tables: tuple[NamedTable, ...]
    """Those that have only the last name."""


def by_last_name(
    question: str, items: Iterable[Item], tables: Sequence[NamedTable]
) -> Iterator[ByLastName]:
    """Yield a question by the last name of each person that it calls by the first one.

    That is somebody whose first name nobody else has who wrote, was written to or is a contact.
    """
    words = dict.fromkeys(one.casefold() for one in WORD.findall(question))
    known = _last_names(items)
    for word in words:
        names = known.get(word, {})
        if len(names) != 1:
            continue
        ((last, name),) = names.items()
        fit = tuple(one for one in tables if _calls_by_last_name(one, last, word))
        if fit:
            said = rf"\b{re.escape(word)}\b(?:'s\b)?"
            yield ByLastName(re.sub(said, last, question, flags=re.IGNORECASE), name, fit)


def _calls_by_last_name(table: NamedTable, last: str, first: str) -> bool:
    """Say whether a table has no more of a name than the last one.

    "Lovell, Harriet" is not the Pat Lovell who is known.
    """
    has_first = re.search(rf"\b{re.escape(first)}\b", table.text) is not None
    return stems_of(last) in table.whole and not has_first and not name_columns(table)


def _last_names(items: Iterable[Item]) -> dict[str, dict[str, str]]:
    """Return, by first name without case, the last names with it and the full name of each."""
    found: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for item in items:
        for person in (*item.people.sender, *item.people.recipients):
            first, *others = WORD.findall(person.spoken) or [""]
            if others and len(others[-1]) >= LEAST_LETTERS and "@" not in person.name:
                found[first.casefold()][others[-1].casefold()] = person.spoken
    return found
