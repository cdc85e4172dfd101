"""People of a question by the names that sheets have: "Becky" is Tarrant in a log of drives.

"I" is whoever the person's addresses belong to: "EW" in a time sheet.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from engine.sheets.columns import name_columns, names_people
from engine.sheets.rows import WORD, NamedTable, stems_of
from ingest.item import Item

LEAST_LETTERS = 2
"""Of a last name: "Becky T" tells none."""
# "my hours", "booked by me", and neither "give me the hours" nor "can I see them"
_ME = re.compile(
    r"(?<!\bcan )(?<!\bcould )(?<!\bmay )\bI\b|\b(?:my|mine)\b|(?<=\bby )me\b|(?<=\bfor )me\b",
    re.IGNORECASE,
)
_MYSELF = re.compile(r"(?<=\bI )myself\b ?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ByName:
    """A question that calls somebody as tables do."""

    text: str
    name: str
    """Who was taken to be meant: "Becky Tarrant"."""
    tables: tuple[NamedTable, ...]
    """Those that do."""


def by_last_name(
    question: str, items: Iterable[Item], tables: Sequence[NamedTable]
) -> Iterator[ByName]:
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
            yield ByName(re.sub(said, last, question, flags=re.IGNORECASE), name, fit)


def by_own_name(
    question: str, items: Iterable[Item], tables: Sequence[NamedTable], own: Set[str]
) -> Iterator[ByName]:
    """Yield a question that says "I" with each name that tables have of the person in its place.

    That is a whole name, a first or a last one, or initials. `own`: addresses, case-folded.
    """
    if not _ME.search(question):
        return
    for name in _own_names(items, own):
        parts = WORD.findall(name)
        called = {name, parts[0], parts[-1], "".join(one[0] for one in parts)}
        fit: defaultdict[str, list[NamedTable]] = defaultdict(list)
        for table in tables:
            cells = {row.cells.get(column) for row in table.rows for column in _people_of(table)}
            for one in called & cells:
                fit[one].append(table)
        for one, with_it in fit.items():
            yield ByName(_called(one, question), name, tuple(with_it))


def _called(name: str, question: str) -> str:
    """Return a question that says "I" with a name in its place, whatever characters that has."""
    return _ME.sub(lambda _: name, _MYSELF.sub("", question))


def _people_of(table: NamedTable) -> list[str]:
    return [name for name in table.columns if names_people(name)]


def _own_names(items: Iterable[Item], own: Set[str]) -> list[str]:
    """Return the names that the person's addresses bear in mails, of two words at least."""
    found: dict[str, str] = {}
    for item in items:
        for person in (*item.people.sender, *item.people.recipients):
            if person.address.casefold() in own and len(WORD.findall(person.spoken)) > 1:
                found.setdefault(person.spoken.casefold(), person.spoken)
    return list(found.values())


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
