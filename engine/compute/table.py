"""What a plan comes to: a table of rows, each with the values of items that it was made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal

from engine.compute.units import CODES, Quantity
from engine.plan import Plan, Sought
from ingest.item import Item, Shelf

Key = str | date | datetime | Quantity


@dataclass(frozen=True, slots=True)
class ItemValue:
    """One value of one item, and where its text states it."""

    item: Item
    key: Key
    """What is compared."""
    text: str
    """For people."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Extracted:
    """The values of some items."""

    values: tuple[ItemValue, ...]
    in_part: tuple[Item, ...] = ()
    """Items of which not everything that may be the value was looked at."""


Extractor = Callable[[Sequence[Item], Sought], Extracted]
"""Reads a value that the texts state, from the items that state it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the result."""

    label: str
    """The group, or the value itself where nothing is grouped."""
    value: str
    """What was computed for it; empty in a plain list."""
    values: tuple[ItemValue, ...]
    """Its sources."""
    number: Decimal | None = None
    """For ordering, and for the bar of a chart."""
    key: Key = ""
    unit: str | None = None
    """What a measured number counts: only numbers of one unit are compared. None: not measured."""


@dataclass(frozen=True, slots=True)
class Lacking:
    """An item that passed and is in no row."""

    item: Item
    what: str
    """The value, group or date that it does not state."""


@dataclass(frozen=True, slots=True)
class Table:
    """What a plan comes to."""

    plan: Plan
    rows: tuple[Row, ...]
    value: str
    """The bare answer: a number, a date, a name; empty when there is nothing."""
    of: int
    """Items that passed the filters."""
    unread: tuple[Lacking, ...] = ()
    """Items that passed, and do not state what is computed or what they are grouped by."""
    shelved: Counter[Shelf] = field(default_factory=Counter)
    """Items left out because they lie there."""
    undated: tuple[Item, ...] = ()
    """Items left out because they have no date to compare."""
    cancelled: tuple[Item, ...] = ()
    """Items left out because they were called off."""
    in_part: tuple[Item, ...] = ()
    """Items whose text holds more amounts than were looked at."""

    @property
    def grouped(self) -> bool:
        """Whether each row is a group."""
        return self.plan.by is not None

    @property
    def counted(self) -> int:
        """Items that are in the rows."""
        return self.of - len(self.unread)

    @property
    def is_as_expected(self) -> bool:
        """Whether it was computed from as many items as the question says."""
        return self.plan.expected in (None, self.counted)

    @property
    def names_one(self) -> bool:
        """Whether it names one person for each mail, where a mail's main recipient is asked for."""
        named = Counter(id(one.item) for row in self.rows for one in row.values)
        return self.plan.value != "addressee" or all(count == 1 for count in named.values())

    @property
    def is_of_one_sort(self) -> bool:
        """Whether its rows are all money, or all in one unit: a rate is no part of a sum."""
        return len(self.units) < 2 or CODES.issuperset(self.units)

    @property
    def units(self) -> tuple[str, ...]:
        """The units of its rows, each once."""
        return units_of(self.rows)


def units_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the units of rows, each once."""
    return tuple(sorted({row.unit for row in rows if row.unit is not None}))
