"""The table of a computed answer: for people with bars where they help, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from app.output.plain import one_line

if TYPE_CHECKING:
    from engine.values import Passage, TableRow, TableShown

BAR = 30
"""Characters of the longest bar."""
BARS_SHOWN = 40
LABEL_SHOWN = 32


def table_lines(table: TableShown, *, bars: bool = True) -> Iterator[str]:
    """Yield the plan, a bar chart of the groups, and what was left out.

    Without `bars` where lines are read aloud: the answer says the same figures.
    """
    yield f"Computed by the plan: {one_line(table.plan)}"
    if table.is_chart and bars:
        yield from _bars(table)
    for remark in table.remarks:
        yield f"  {one_line(remark)}"


def _bars(table: TableShown) -> Iterator[str]:
    rows = table.rows[:BARS_SHOWN]
    labels = [_cut(row.label) for row in rows]
    width = max(map(len, labels))
    most = max((abs(row.number or 0) for row in rows), default=0) or 1
    for label, row in zip(labels, rows, strict=True):
        bar = "█" * round(BAR * abs(row.number or 0) / most)
        yield f"  {label:<{width}}  {bar or '▏':<{BAR}}  {one_line(row.value)}"
    if len(table.rows) > BARS_SHOWN:
        yield f"  … and {len(table.rows) - BARS_SHOWN:,} more; --json lists all"


def _cut(label: str) -> str:
    line = one_line(label)
    return line if len(line) <= LABEL_SHOWN else f"{line[: LABEL_SHOWN - 1]}…"


def table_object(table: TableShown | None) -> dict[str, object] | None:
    """Return the `table` member of `ask --json`; null where a model wrote the answer."""
    if table is None:
        return None
    return {
        "plan": table.plan,
        "value": table.value,
        "columns": list(table.columns),
        "of": table.of,
        "rows": [_row_object(row) for row in table.rows],
        "remarks": list(table.remarks),
        "unread": [{"lacks": one.lacks, **_source_object(one.source)} for one in table.unread],
    }


def _row_object(row: TableRow) -> dict[str, object]:
    return {
        "label": row.label,
        "value": row.value,
        "sources": [_source_object(source) for source in row.sources],
    }


def _source_object(source: Passage) -> dict[str, object]:
    return {
        "kind": source.item.kind.value,
        "title": source.item.title,
        "path": str(source.item.locator.path),
        "start": source.start,
        "end": source.end,
    }
