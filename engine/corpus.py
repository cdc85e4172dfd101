"""Everything read for one question: passages, and the ledger of what was read and was not."""

from __future__ import annotations

import time
from collections.abc import Generator as Steps
from collections.abc import Sequence
from dataclasses import dataclass

from engine.events import Event, Reading
from engine.passages import split_item
from engine.recall import Recall
from engine.values import Coverage, Passage, Query
from ingest.item import Item, Kind, Skipped
from ingest.read import Reading as ReadingOfSources

PROGRESS_INTERVAL = 0.1
"""Seconds between two `Reading` events."""
RANKING_INTERVAL = 1.0
"""Seconds between two rankings of what has been read so far."""


@dataclass(frozen=True)
class Corpus:
    """The passages of all items read, and what was read."""

    passages: Sequence[Passage]
    coverage: Coverage
    recall: Recall
    """BM25 over `passages`, in their order."""


def read_corpus(
    reading: ReadingOfSources, query: Query, deadline: float | None, *, stemming: bool = True
) -> Steps[Event, None, Corpus]:
    """Read until the end or until `deadline` (`time.monotonic`), yielding progress.

    Passages go to recall while reading goes on; their scores so far give the best one so far.
    """
    items: list[Item] = []
    skipped: list[Skipped] = []
    passages: list[Passage] = []
    recall = Recall(stemming=stemming)
    reported, ranked, best = 0.0, time.monotonic(), None
    try:
        for found in reading:
            if isinstance(found, Item):
                items.append(found)
                cut = list(split_item(found))
                passages += cut
                recall.add(passage.searched for passage in cut)
            else:
                skipped.append(found)
            now = time.monotonic()
            if now - reported >= PROGRESS_INTERVAL:
                reported = now
                if now - ranked >= RANKING_INTERVAL:
                    best = _best(recall, passages, query)
                    ranked = time.monotonic()
                yield _progress(reading, skipped, best)
            if deadline is not None and now > deadline:
                break
        yield _progress(reading, skipped, best)
    finally:
        reading.close()
    return Corpus(passages, _coverage(reading, query, items, skipped), recall)


def _best(recall: Recall, passages: Sequence[Passage], query: Query) -> Passage | None:
    """Return the passage that scores most so far; its score may change as more is read."""
    scores = recall.scores([query.text])[0]
    return passages[int(scores.argmax())] if scores.any() else None


def _progress(
    reading: ReadingOfSources, skipped: Sequence[Skipped], best: Passage | None
) -> Reading:
    tally = reading.tally
    return Reading(tally.files_done, tally.files_found, tally.bytes_done, len(skipped), best)


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
    passages = [p for p in corpus.passages if id(p.item) in kept]
    return corpus_of(passages, corpus.coverage, stemming=corpus.recall.stemming)


def corpus_of(
    passages: Sequence[Passage], coverage: Coverage | None = None, *, stemming: bool = True
) -> Corpus:
    """Return the corpus of given passages."""
    recall = Recall((passage.searched for passage in passages), stemming=stemming)
    return Corpus(passages, coverage or Coverage(), recall)
