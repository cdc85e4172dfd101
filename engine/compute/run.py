"""Runs a plan over items. All arithmetic is done here, with decimals; no model takes part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal

from engine.compute.fields import (
    IN_MINUTES,
    duration_text,
    lies_ahead,
    line_of,
    minutes_of,
    values_of,
)
from engine.compute.item_filter import Passed, each_once, oldest_first, passing
from engine.compute.table import Extracted, Extractor, ItemValue, Key, Lacking, Row, Table, units_of
from engine.compute.units import Quantity, by_unit, mean, shown
from engine.plan import AT_AN_END, MEASURED, Plan, Sought
from engine.question.acquaintances import Acquaintances
from ingest.item import Item, Shelf


def run(
    plan: Plan,
    items: Sequence[Item],
    known: Acquaintances,
    now: datetime,
    extract: Extractor | None = None,
) -> Table:
    """Return the table of a plan at an aware moment; `extract` reads what only texts state."""
    counted = each_once(items)
    passed = [passing(counted, source, known) for source in plan.sources]
    if plan.operation == "between":
        return _between(plan, passed)
    if plan.operation == "shared":
        return _shared(plan, passed)
    ids = {id(item) for some in passed for item in some.items}
    chosen = sorted((item for item in counted if id(item) in ids), key=oldest_first)
    if plan.operation == "next":
        chosen = [item for item in chosen if lies_ahead(item, now)]
    found = _values(plan, chosen, extract)
    rows = (_grouped if plan.by else _computed)(plan, found.values)
    unread = tuple(_unread(plan, chosen, found.values))
    return Table(
        *(plan, tuple(rows), _value(plan, rows), len(chosen), unread),
        *_left_out(passed),
        found.in_part,
    )


def _value(plan: Plan, rows: Sequence[Row]) -> str:
    """Return the bare answer: the groups asked for, or what was computed, without its unit."""
    labelled = plan.top or (plan.operation == "list" and not plan.by)
    values = dict.fromkeys(row.label if labelled else row.value for row in rows)
    if (
        plan.value == "duration"
        and plan.unit in IN_MINUTES
        and plan.operation not in ("min", "max")
    ):
        return ", ".join(value.split(" ")[0] for value in values)
    return ", ".join(values)


def _left_out(
    passed: Sequence[Passed],
) -> tuple[Counter[Shelf], tuple[Item, ...], tuple[Item, ...]]:
    """Return what lies on which shelf, what has no date, and what was called off."""
    shelved: Counter[Shelf] = Counter()
    for one in passed:
        shelved += one.shelved
    undated = {id(item): item for one in passed for item in one.undated}
    cancelled = {id(item): item for one in passed for item in one.cancelled}
    return shelved, tuple(undated.values()), tuple(cancelled.values())


def _values(plan: Plan, items: Sequence[Item], extract: Extractor | None) -> Extracted:
    """Return the values of all items."""
    if isinstance(plan.value, Sought):
        return extract(items, plan.value) if extract else Extracted(())
    return Extracted(tuple(one for item in items for one in _stated(item, plan)))


def _unread(plan: Plan, items: Sequence[Item], values: Sequence[ItemValue]) -> Iterator[Lacking]:
    """Yield the items that are in no row, each with the first thing that it lacks."""
    stated = {id(one.item) for one in values}
    at_the_end = plan.operation in AT_AN_END
    for item in items:
        if id(item) not in stated:
            yield Lacking(item, plan.value_name)
        elif plan.by and not values_of(item, plan.by):
            yield Lacking(item, plan.by)
        elif at_the_end and item.when is None:
            yield Lacking(item, "date")


def _stated(item: Item, plan: Plan) -> list[ItemValue]:
    value = plan.value
    if value == "item" or isinstance(value, Sought):
        return [ItemValue(item, item.title, item.title, *line_of(item, plan.by or "title"))]
    place = line_of(item, value)
    if value == "duration":
        minutes = minutes_of(item)
        if minutes is None:
            return []
        amount = Quantity(Decimal(minutes), "min")
        return [ItemValue(item, amount, duration_text(minutes, plan.unit), *place)]
    return [ItemValue(item, one.key, one.text, *place) for one in values_of(item, value, plan.unit)]


def _grouped(plan: Plan, values: Sequence[ItemValue]) -> list[Row]:
    """Return a row for each group and unit: in order of time, else the largest of a unit first."""
    groups: dict[Key, tuple[str, list[ItemValue]]] = {}
    for value in values:
        for one in values_of(value.item, plan.by or "title"):
            groups.setdefault(one.key, (one.text, []))[1].append(value)
    rows = []
    for key, (label, members) in groups.items():
        for row in _computed(plan, members):
            rows.append(replace(row, label=label, key=key))
    if plan.by in ("date", "week", "month", "year", "weekday") and not plan.top:
        return sorted(rows, key=lambda row: str(row.key))
    down = plan.top is None or plan.top > 0
    rows.sort(key=lambda row: (-_number(row) if down else _number(row), row.label))
    of_units = [[row for row in rows if row.unit == unit] for unit in units_of(rows) or (None,)]
    return [row for some in of_units for row in (_first(some, abs(plan.top)) if plan.top else some)]


def _number(row: Row) -> Decimal:
    return row.number if row.number is not None else Decimal(len(row.values))


def _first(rows: Sequence[Row], count: int) -> list[Row]:
    """Return the first rows, and those that are level with the last of them."""
    if len(rows) <= count:
        return list(rows)
    limit = _number(rows[count - 1])
    return [row for at, row in enumerate(rows) if at < count or _number(row) == limit]


def _computed(plan: Plan, values: Sequence[ItemValue]) -> list[Row]:
    """Return what the operation makes of some values, nothing of nothing."""
    if not values:
        return []
    if plan.operation == "count":
        items = list({id(one.item): one for one in values}.values())
        return [_row(str(len(items)), items, Decimal(len(items)))]
    if plan.operation == "distinct":
        distinct = list({one.key: one for one in values}.values())
        return [_row(str(len(distinct)), distinct, Decimal(len(distinct)))]
    if plan.operation in MEASURED:
        return _measured(plan, values)
    if plan.operation == "list":
        return _listed(values)
    return _at_the_end(plan, values)


def _row(value: str, values: Sequence[ItemValue], number: Decimal | None = None) -> Row:
    return Row(value, value, tuple(values), number)


def _listed(values: Sequence[ItemValue]) -> list[Row]:
    """Return a row for each value, in order of its first item."""
    by_key: dict[Key, list[ItemValue]] = {}
    for value in values:
        by_key.setdefault(value.key, []).append(value)
    return [Row(found[0].text, "", tuple(found), key=key) for key, found in by_key.items()]


def _at_the_end(plan: Plan, values: Sequence[ItemValue]) -> list[Row]:
    """Return the values of the first or last items, and of those of the same moment."""
    dated = [one for one in values if one.item.when is not None]
    if not dated:
        return []
    if plan.top and not plan.by:
        from_end = dated[::-1] if plan.operation == "last" else dated
        nearest = list(dict.fromkeys(id(one.item) for one in from_end))[: plan.top]
        chosen = (one for number in nearest for one in dated if id(one.item) == number)
        return [Row(row.label, row.label, row.values) for row in _listed(list(chosen))]
    moments = [_moment(one.item) for one in dated]
    end = max(moments) if plan.operation == "last" else min(moments)
    rows = _listed([one for one, moment in zip(dated, moments, strict=True) if moment == end])
    return [Row(row.label, row.label, row.values) for row in rows]


def _moment(item: Item) -> float:
    return item.when.timestamp() if item.when else 0.0


def _measured(plan: Plan, values: Sequence[ItemValue]) -> list[Row]:
    """Return a row for each unit; amounts of different units are never added."""
    units = by_unit(_quantity(one) for one in values)
    return [_of_unit(plan, unit, numbers, values) for unit, numbers in units.items()]


def _quantity(value: ItemValue) -> Quantity:
    return value.key if isinstance(value.key, Quantity) else Quantity(Decimal(0), "?")


def _of_unit(plan: Plan, unit: str, numbers: list[Decimal], values: Sequence[ItemValue]) -> Row:
    members = [one for one in values if _quantity(one).unit == unit]
    if plan.operation in ("min", "max"):
        number = min(numbers) if plan.operation == "min" else max(numbers)
        members = [one for one in members if _quantity(one).amount == number]
        titles = dict.fromkeys(one.item.title for one in members)
        value = f"{', '.join(titles)} ({_amount_text(plan, number, unit)})"
        return Row(value, value, tuple(members), number, unit=unit)
    number = sum(numbers, Decimal(0)) if plan.operation == "sum" else mean(numbers)
    return replace(_row(_amount_text(plan, number, unit), members, number), unit=unit)


def _amount_text(plan: Plan, number: Decimal, unit: str) -> str:
    if plan.value == "duration":
        return duration_text(number, plan.unit or ("minutes" if number % 1 else None))
    return f"{shown(number)} {unit}".strip()


def _between(plan: Plan, passed: Sequence[Passed]) -> Table:
    """Return the days from one date to the other; of one source, from its first to its last."""
    values = _of_each(plan, passed)
    ends = _ends(values)
    of, unread = _of_all(plan, passed, values)
    if len(ends) < 2:
        return Table(plan, (), "", of, unread, *_left_out(passed))
    first, last = ends
    days = abs((_day(last.key) - _day(first.key)).days)
    minutes = IN_MINUTES.get(plan.unit or "days", IN_MINUTES["days"])
    amount = Decimal(days) * IN_MINUTES["days"] / minutes
    text = f"{amount.quantize(Decimal('0.01')).normalize():f}"
    rows = [Row(f"{one.item.title}: {one.text}", "", (one,), key=one.key) for one in ends]
    return Table(plan, tuple(rows), text, of, unread, *_left_out(passed))


def _of_each(plan: Plan, passed: Sequence[Passed]) -> list[tuple[ItemValue, ...]]:
    """Return the values of the items of each source."""
    return [_values(plan, some.items, None).values for some in passed]


def _of_all(
    plan: Plan, passed: Sequence[Passed], values: Sequence[Sequence[ItemValue]]
) -> tuple[int, tuple[Lacking, ...]]:
    """Return how many items both sources have, and those without a value."""
    items = {id(item): item for some in passed for item in some.items}
    flat = [one for some in values for one in some]
    return len(items), tuple(_unread(plan, list(items.values()), flat))


def _ends(found: Sequence[Sequence[ItemValue]]) -> list[ItemValue]:
    if len(found) == 1:
        return [found[0][0], found[0][-1]] if len(found[0]) > 1 else []
    return [values[0] for values in found if values]


def _day(key: Key) -> date:
    if isinstance(key, datetime):
        return key.date()
    if isinstance(key, date):
        return key
    raise TypeError(f"{key!r} is no date")


def _shared(plan: Plan, passed: Sequence[Passed]) -> Table:
    """Return the dates on which both sources have something."""
    values = _of_each(plan, passed)
    both = set.intersection(*({one.key for one in some} for some in values))
    rows = sorted(
        _listed([one for some in values for one in some if one.key in both]),
        key=lambda row: str(row.key),
    )
    of, unread = _of_all(plan, passed, values)
    return Table(plan, tuple(rows), str(len(rows)), of, unread, *_left_out(passed))
