"""From a scanned page to a document."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from ingest.item import Item, Reason, Skipped
from ingest.origin import Origin
from ingest.scans.tesseract import Picture, words_in
from ingest.sieve import Read, ScanCount
from ingest.text.clean import clean

RECOGNISED = "recognised"
"""The flag of an item whose words a program read from a picture."""


def scanned_page(
    scans: ScanCount,
    origin: Origin,
    draw: Callable[[], Picture | None],
    *,
    title: str = "",
    number: int = 0,
) -> Iterator[Read]:
    """Yield a page as a document, or why it is none; nothing of one that was done before.

    `number` counts from 1; 0 is a picture without pages.
    """
    if not scans.wants_next():
        return
    picture = draw()
    text, hidden = clean(words_in(picture)) if picture else ("", 0)
    if text.strip():
        item = origin.document(text, hidden, title=title, pages=(0,) * number)
        yield replace(item, flags=(RECOGNISED,))
    else:
        page = f"page {number}" if number else None
        yield origin.skipped(Reason.SCANNED, "No words were recognised.", page, kinds=frozenset())


def is_of_scan(read: Read) -> bool:
    """Say whether a read came of a page that was recognised, or could not be."""
    match read:
        case Item():
            return RECOGNISED in read.flags
        case Skipped():
            return read.reason is Reason.SCANNED
    return False
