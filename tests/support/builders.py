"""Items and passages for tests that care about their text, and about little else."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from engine.values import Passage
from ingest.item import Item, Kind, Locator, People


def document(
    text: str = "text",
    title: str = "",
    *,
    kind: Kind = Kind.DOCUMENT,
    when: datetime | None = None,
    path: str = "/note",
    line: int | None = None,
    message_id: str | None = None,
    records: tuple[int, ...] = (),
) -> Item:
    """Return an item whose sender and recipients do not matter."""
    place = Locator(Path(path), line=line, message_id=message_id)
    return Item(kind, title, when, People(), text, place, records=records)


def documents(texts: Iterable[str], title: str = "note") -> list[Item]:
    """Return a document for each text, each in a file of its own."""
    return [document(text, title, path=f"/{number}") for number, text in enumerate(texts)]


def passage(
    text: str = "text",
    title: str = "",
    *,
    kind: Kind = Kind.DOCUMENT,
    path: str = "/note",
    line: int | None = None,
    message_id: str | None = None,
) -> Passage:
    """Return a passage that is the whole of a document."""
    item = document(text, title, kind=kind, path=path, line=line, message_id=message_id)
    return Passage(item, 0, len(text))
