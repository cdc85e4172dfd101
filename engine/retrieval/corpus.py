"""Everything read for one question: passages, and the ledger of what was read and what was not."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from engine.errors import ReadingStopped
from engine.events import Reading, Steps
from engine.retrieval.memory import Cut, Memory
from engine.retrieval.passages import MAX_WORDS, split_item
from engine.retrieval.recall import Recall
from engine.values import Coverage, Passage, Query
from ingest.item import Item, Kind, Skipped
from ingest.reading.dispatcher import STILL, StandstillError
from ingest.reading.stream import ItemStream

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
    reading: ItemStream,
    query: Query,
    deadline: float | None,
    *,
    stemming: bool = True,
    memory: Memory | None = None,
) -> Steps[Corpus]:
    """Read until the end or until `deadline` (`time.monotonic`), yielding progress.

    Passages go to recall while reading goes on, which yields the best passage so far. With
    `memory`, items that are the same as for the last question are not cut and folded again. Raises
    `ReadingStopped` when nothing more would come.
    """
    skipped: list[Skipped] = []
    cutting = _Cutting(_recall((), stemming), memory.last if memory else None)
    began = ranked = time.monotonic()
    reported, best = 0.0, None
    try:
        for found in reading.ticks():
            if isinstance(found, Item):
                cutting.add(found)
            elif found is not None:
                skipped.append(found)
            now = time.monotonic()
            if now - reported >= PROGRESS_INTERVAL:
                reported = now
                if now - ranked >= RANKING_INTERVAL:
                    best = _best(cutting, query)
                    ranked = time.monotonic()
                yield _progress(reading, skipped, began, best)
            if deadline is not None and now > deadline:
                reading.stop()
        yield _progress(reading, skipped, began, best)
    except StandstillError as error:
        raise ReadingStopped(
            f"Reading came to a standstill: for {STILL:.0f} s no process was at {error.path}, "
            "which comes next.",
            remedy="Ask again. If it stops there again, leave that file out and report this.",
            path=error.path,
        ) from error
    finally:
        reading.close()
    cut = cutting.finished()
    if memory is not None:
        memory.last = cut
    return Corpus(cut.passages, _coverage(reading, query, cut.items, skipped), cut.recall)


class _Cutting:
    """Cuts items into passages, except for items that are the same as for the last question."""

    def __init__(self, recall: Recall, last: Cut | None) -> None:
        self._items: list[Item] = []
        self._passages: list[Passage] = []
        self._recall = recall
        same = last is not None and last.recall.stemming == recall.stemming
        self._last = last if same else None

    def add(self, item: Item) -> None:
        """Take in the next item."""
        self._items.append(item)
        if self._last is not None:
            place = len(self._items) - 1
            if place < len(self._last.items) and self._last.items[place] is item:
                return
            self._catch_up(self._items[:-1])
        self._cut(item)

    def _catch_up(self, items: Sequence[Item]) -> None:
        self._last = None
        for item in items:
            self._cut(item)

    def _cut(self, item: Item) -> None:
        passages = list(split_item(item))
        self._passages += passages
        self._recall.add(passage.searched for passage in passages)

    def so_far(self) -> tuple[Sequence[Passage], Recall]:
        """Return the passages cut so far; nothing while all items are the same as last time."""
        return self._passages, self._recall

    def finished(self) -> Cut:
        """Return all items, cut."""
        if self._last is not None:
            if len(self._items) == len(self._last.items):
                return self._last
            self._catch_up(self._items)
        return Cut(self._items, self._passages, self._recall)


def _best(cutting: _Cutting, query: Query) -> Passage | None:
    """Return the passage that scores most so far; its score may change as more is read."""
    passages, recall = cutting.so_far()
    scores = recall.scores([query.text])[0]
    return passages[int(scores.argmax())] if scores.any() else None


def _progress(
    reading: ItemStream, skipped: Sequence[Skipped], began: float, best: Passage | None
) -> Reading:
    tally = reading.tally
    return Reading(
        done=tally.files_done,
        total=tally.files_found,
        bytes=tally.bytes_done,
        total_bytes=tally.bytes_found,
        skipped=len(skipped),
        seconds=time.monotonic() - began,
        scans=tally.scans_found,
        scans_done=tally.scans_done,
        best=best,
    )


def _coverage(
    reading: ItemStream, query: Query, items: Sequence[Item], skipped: Sequence[Skipped]
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
        copies=tally.copies,
        is_full=tally.is_full,
        where=_places(items, frozenset(reading.sources)),
    )


def _places(items: Sequence[Item], sources: Set[Path]) -> dict[Path, int]:
    """Count items by mailbox or folder, as `Coverage.where` says."""
    places: dict[Path, int] = {}
    for path, count in Counter(item.locator.path for item in items).items():
        place = path if count > 1 or path in sources else path.parent
        places[place] = places.get(place, 0) + count
    return places


def only(corpus: Corpus, items: Sequence[Item]) -> Corpus:
    """Return the corpus of some of its items; N and lengths are then theirs alone."""
    kept = {id(item) for item in items}
    passages = [p for p in corpus.passages if id(p.item) in kept]
    return corpus_of(passages, corpus.coverage, stemming=corpus.recall.stemming)


def corpus_of(
    passages: Sequence[Passage], coverage: Coverage | None = None, *, stemming: bool = True
) -> Corpus:
    """Return the corpus of given passages."""
    recall = _recall((passage.searched for passage in passages), stemming)
    return Corpus(passages, coverage or Coverage(), recall)


def _recall(texts: Iterable[str], stemming: bool) -> Recall:
    """Return recall over passages; a whole one is no longer than the average."""
    return Recall(texts, stemming=stemming, least_average=MAX_WORDS)
