"""The result of a plan as an answer: its text, its citations, its table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.compute.extract import CANDIDATES
from engine.compute.fields import line_of
from engine.compute.plan_text import written
from engine.compute.table import ItemValue, Lacking, Row, Table
from engine.generation.draft import Draft
from engine.plan import Plan, Sought
from engine.values import Citation, Passage, TableRow, TableShown, TableUnread
from ingest.item import Item, Kind, Shelf

CITED = 20
"""Citations of one answer; the table names every source."""
CITED_OF_A_ROW = 3
ROWS_SHOWN = 40
"""Lines of an answer; the table has all."""
NAMED = 5
PLURALS = {
    Kind.MAIL: "mails",
    Kind.EVENT: "events",
    Kind.DOCUMENT: "documents",
    Kind.TASK: "tasks",
    Kind.CONTACT: "contacts",
    Kind.MESSAGE: "messages",
}
SHELVES = {Shelf.TRASH: "Trash", Shelf.SPAM: "Spam", Shelf.DRAFTS: "Drafts"}


def draft(table: Table) -> Draft:
    """Return the answer with its citations; nothing of nothing."""
    if not table.rows:
        return Draft("", (), table=shown(table))
    marks = _Marks()
    text = "\n".join(_lines(table, marks))
    return Draft(
        text,
        tuple(one.passage for one in marks.citations),
        citations=tuple(marks.citations),
        table=shown(table),
    )


class _Marks:
    """Numbers the citations in the order in which they are named."""

    def __init__(self) -> None:
        self.citations: list[Citation] = []

    def of(self, values: Sequence[ItemValue], at_most: int) -> str:
        """Return markers for some sources, as far as there is room."""
        ids = [self._number(one) for one in values[:at_most] if len(self.citations) < CITED]
        marks = "".join(f"[{number}]" for number in dict.fromkeys(ids))
        return f" {marks}" if marks else ""

    def _number(self, value: ItemValue) -> int:
        for known in self.citations:
            if known.passage.item is value.item and known.start == value.start:
                return known.id
        passage = Passage(value.item, value.start, value.end)
        number = len(self.citations) + 1
        self.citations.append(
            Citation(number, passage, value.start, value.end, "matched", support=True)
        )
        return number


def _lines(table: Table, marks: _Marks) -> Iterator[str]:
    plan, rows = table.plan, table.rows
    if table.grouped:
        for row in rows[:ROWS_SHOWN]:
            yield f"{row.label}: {_with_noun(plan, row.value)}{marks.of(row.values, 1)}"
    elif plan.operation in ("between", "shared"):
        noun = (plan.unit or "days") if plan.operation == "between" else "dates"
        yield _sentence(table.value, noun, rows, marks)
        yield from (row.label for row in rows[:ROWS_SHOWN])
    elif plan.operation in ("count", "distinct"):
        yield f"{_with_noun(plan, rows[0].value)}{marks.of(rows[0].values, CITED)}"
    else:
        for row in rows[:ROWS_SHOWN]:
            several = len(rows) > 1
            yield f"{row.label}{marks.of(row.values, CITED_OF_A_ROW if several else CITED)}"
    if len(rows) > ROWS_SHOWN:
        yield f"and {len(rows) - ROWS_SHOWN:,} more"


def _sentence(value: str, noun: str, rows: Sequence[Row], marks: _Marks) -> str:
    values = [one for row in rows for one in row.values]
    return f"{value} {_one(noun) if value == '1' else noun}{marks.of(values, CITED)}"


def _with_noun(plan: Plan, value: str) -> str:
    """Return `10 mails`; what was summed has its unit already."""
    if plan.operation == "count":
        kind = plan.sources[0].kind
        noun = PLURALS[kind] if kind else "items"
    elif plan.operation == "distinct" and not isinstance(plan.value, Sought):
        noun = f"{plan.value}s"
    else:
        return value
    return f"{value} {_one(noun) if value == '1' else noun}"


def _one(noun: str) -> str:
    return noun.removesuffix("s")


def shown(table: Table) -> TableShown:
    """Return the table for the app: strings and the places they come from."""
    return TableShown(
        plan=written(table.plan),
        value=table.value,
        columns=(table.plan.by or table.plan.value_name, table.plan.operation),
        rows=tuple(
            TableRow(
                row.label,
                row.value,
                float(row.number) if row.number is not None else None,
                _sources(row),
            )
            for row in table.rows
        ),
        of=table.of,
        unread=tuple(_unread(table)),
        remarks=tuple(remarks(table)),
        kinds=frozenset().union(*({one.kind} if one.kind else Kind for one in table.plan.sources)),
        is_chart=table.grouped and len(table.rows) > 2 and len(table.units) < 2,
    )


def _sources(row: Row) -> tuple[Passage, ...]:
    places = {(id(one.item), one.start): one for one in row.values}
    return tuple(Passage(one.item, one.start, one.end) for one in places.values())


def _unread(table: Table) -> Iterator[TableUnread]:
    undated = (Lacking(item, "date") for item in table.undated)
    for one in (*table.unread, *undated):
        yield TableUnread(one.what, Passage(one.item, *line_of(one.item, "title")))


def _named(items: Sequence[Item]) -> str:
    """Return how many they are, and the titles of the first; the table has all."""
    titles = [f'"{item.title}"' for item in items[:NAMED]]
    more = f" and {len(items) - NAMED:,} more" if len(items) > NAMED else ""
    return f"{len(items):,} ({', '.join(titles)}{more})"


def remarks(table: Table) -> Iterator[str]:
    """Yield what to know of the result: what was left out, and what could not be read."""
    for shelf, count in sorted(table.shelved.items()):
        asked = f"shelf:{shelf.value}, with the rest by shelf:any"
        yield f"left out, in {SHELVES[shelf]}: {count:,}; ask for them with {asked}"
    if table.cancelled:
        yield f"left out, cancelled: {_named(table.cancelled)}; ask for them with status:any"
    if table.undated:
        yield f"left out, without date: {_named(table.undated)}"
    for what in dict.fromkeys(one.what for one in table.unread):
        lacking = [one.item for one in table.unread if one.what == what]
        yield f"do not state the {what}: {_named(lacking)}"
    if table.plan.operation == "between" and len(table.plan.sources) == 2 and table.of > 2:
        yield f"from the first of each side to the other: {table.of:,} items pass the plan"
    if table.in_part:
        yield (
            f"hold more amounts than were looked at, one passage and {CANDIDATES} at most: "
            f"{_named(table.in_part)}"
        )
    if not table.is_as_expected:
        yield f"expected {table.plan.expected:,}, computed from {table.counted:,}"
    if not table.of:
        kinds = (one.kind.value if one.kind else "item" for one in table.plan.sources)
        ahead = " ahead" if table.plan.operation == "next" else ""
        yield f"there is no such {' or '.join(dict.fromkeys(kinds))}{ahead} in what was read"
    elif not table.rows:
        yield f"nothing to compute: {table.of:,} items pass the plan"
    if len(table.units) > 1:
        is_ranked = table.plan.top is not None or table.plan.operation in ("min", "max")
        named = ", ".join(unit or "without unit" for unit in table.units)
        yield f"different units are not {'compared' if is_ranked else 'added'}: {named}"
