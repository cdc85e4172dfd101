"""Everything read for one question: passages, and the ledger of what was read and was not."""

from __future__ import annotations

import time
from collections.abc import Generator as Steps
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from engine import passages
from engine.events import Event, Reading
from engine.recall import Recall
from engine.values import Coverage, Passage, Query
from ingest.item import Item, Kind, Skipped
from ingest.read import Reading as ReadingOfSources

PROGRESS_INTERVAL = 0.1
"""Seconds between two `Reading` events."""


@dataclass(frozen=True)
class Corpus:
    """The passages of all items read, and what was read."""

    passages: Sequence[Passage]
    coverage: Coverage

    @cached_property
    def recall(self) -> Recall:
        """BM25 over the passages; tokenised when first asked."""
        return Recall([passage.searched for passage in self.passages])


def read_corpus(
    reading: ReadingOfSources, query: Query, deadline: float | None
) -> Steps[Event, None, Corpus]:
    """Read until the end or until `deadline` (`time.monotonic`), yielding progress."""
    items: list[Item] = []
    skipped: list[Skipped] = []
    reported = 0.0
    try:
        for found in reading:
            if isinstance(found, Item):
                items.append(found)
            else:
                skipped.append(found)
            now = time.monotonic()
            if now - reported >= PROGRESS_INTERVAL:
                reported = now
                yield _progress(reading, skipped)
            if deadline is not None and now > deadline:
                break
        yield _progress(reading, skipped)
    finally:
        reading.close()
    return Corpus(passages.split(items), _coverage(reading, query, items, skipped))


def _progress(reading: ReadingOfSources, skipped: Sequence[Skipped]) -> Reading:
    tally = reading.tally
    return Reading(tally.files_done, tally.files_found, tally.bytes_done, len(skipped))


def _coverage(
    reading: ReadingOfSources, query: Query, items: Sequence[Item], skipped: Sequence[Skipped]
) -> Coverage:
    tally = reading.tally
    read: dict[Kind, int] = {}
    for item in items:
        read[item.kind] = read.get(item.kind, 0) + 1
    unread = max(0, tally.files_found - tally.files_done)
    wanted = query.filters.kinds or frozenset(Kind)
    missed = any(skip.kinds & wanted for skip in skipped)
    return Coverage(
        read=read,
        files=tally.files_done,
        bytes=tally.bytes_done,
        pruned=tally.pruned,
        unread=unread,
        skipped=tuple(skipped),
        complete=not unread and not missed,
    )


def only(corpus: Corpus, items: Sequence[Item]) -> Corpus:
    """Return the corpus of some of its items; N and lengths are then theirs alone."""
    kept = {id(item) for item in items}
    return Corpus([p for p in corpus.passages if id(p.item) in kept], corpus.coverage)
