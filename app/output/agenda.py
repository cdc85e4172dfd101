"""What of an answer has a day in a calendar."""

from __future__ import annotations

from datetime import UTC, datetime

from engine.values import Answer, Passage
from ingest.item import Kind


def dated(answer: Answer) -> list[Passage]:
    """Return the events and tasks of an answer, cited or computed with, each once, by time."""
    cited = [one.passage for one in answer.citations]
    rows = answer.table.rows if answer.table else ()
    computed = [source for row in rows for source in row.sources]
    found = {
        (one.item.locator.path, one.item.locator.uid, one.item.locator.occurrence): one
        for one in [*cited, *computed]
        if one.item.kind in (Kind.EVENT, Kind.TASK) and one.item.when is not None
    }
    return sorted(found.values(), key=lambda one: one.item.when or datetime.min.replace(tzinfo=UTC))
