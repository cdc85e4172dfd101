"""What lasts from one question to the next: reading processes, text in memory, passwords."""

from __future__ import annotations

import math
import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import partial
from pathlib import Path
from sys import getsizeof
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any

from ingest.item import Filters, Item, Locator, Reason, Skipped
from ingest.reading.dispatcher import Dispatcher
from ingest.reading.jobs import Job, Portion
from ingest.reading.pool import Pool
from ingest.reading.scope import scope_of
from ingest.reading.source_file import FileReads
from ingest.reading.stream import ItemStream
from ingest.reading.walk import ListedFile, list_files
from ingest.scans.tesseract import is_ready
from ingest.sieve import DrawnPage, PageWanted, Read, ReadingBudget, Scope

if TYPE_CHECKING:
    from ingest.reading.watch import Watch

_SHARE = 4
"""Share of the machine's memory that text may take by default: one part in so many."""
_SPARED = 2
"""What is read behind an answer fills one part in so many of that memory: it must not make room for
itself by what the next question needs."""
_OBJECTS = 1500
"""Bytes that an item takes beside its text, roughly."""


@dataclass(frozen=True, slots=True)
class _CachedFile:
    signature: tuple[int, ...]
    reads: FileReads
    size: int


@dataclass(frozen=True, slots=True)
class _Reading:
    stream: ItemStream
    scope: Scope


class Session:
    """Reads sources in locked-down processes, and keeps what they held while it is unchanged.

    What is kept is in memory only, bounded, and gone with the session.
    """

    def __init__(
        self, workers: int | None = None, memory: int | None = None, pool: Pool | None = None
    ) -> None:
        """Use so many processes (default: one a core) and bytes of text (a quarter of memory)."""
        self.memory = memory or _memory() // _SHARE
        self._pool = pool or Pool(workers)
        self._kept: OrderedDict[tuple[Any, ...], _CachedFile] = OrderedDict()
        self.passwords: tuple[str, ...] = ()
        """Tried for encrypted files."""
        self.size = 0
        """Bytes kept."""
        self._lock = RLock()
        self._last: _Reading | None = None
        self._drawers = Pool(1)
        self._drawing = Lock()
        self._watch: Watch | None = None

    def read(
        self,
        sources: Sequence[Path],
        filters: Filters | None = None,
        *,
        zone: tzinfo | None = None,
        now: datetime | None = None,
        budget: ReadingBudget | None = None,
    ) -> ItemStream:
        """Return the items of `sources`, as `in_process.read` does. One reading at a time.

        Without `budget` all attachments are read and no scanned pages are recognised; they are
        never where Tesseract is not installed.
        """
        if self._watch is not None:
            self._watch.add(sources)
        scope = scope_of(sources, filters, zone, now, self.passwords)
        if budget is not None:
            scans = budget.scans if is_ready() else 0
            scope = replace(scope, budget=replace(budget, scans=scans))
        stream = self._stream(sources, scope, self.memory)
        self._last = _Reading(stream, scope)
        return stream

    def _stream(self, sources: Sequence[Path], scope: Scope, memory: int) -> ItemStream:
        start = partial(Dispatcher, self._pool)
        return ItemStream(sources, scope, start, _ScopedCache(self, scope), memory)

    def go_on(self) -> ItemStream | None:
        """Return a reading of what the last one had no time for: attachments, scanned pages.

        What it reads is kept for the next question, so its items need not be taken. None where
        nothing was left, or where it would not be kept for lack of memory. Only once: after it
        nothing is left.
        """
        last, self._last = self._last, None
        if last is None or not last.stream.tally.left or last.stream.tally.is_full:
            return None
        wanted = last.scope.budget
        scans = math.inf if wanted.scans else 0.0
        budget = replace(wanted, attachments=math.inf, scans=scans)
        scope = replace(last.scope, budget=budget)
        return self._stream(last.stream.sources, scope, self.memory // _SPARED)

    def drawn(self, locator: Locator, number: int, quote: str = "") -> DrawnPage | Skipped | None:
        """Return a page of a PDF or picture, counted from 1, with a quote marked on it.

        A locked-down process of its own draws it, so that a reading may go on meanwhile. A skip
        says why there is none; None: it has no such page, or nothing here can draw it.
        """
        listing = list_files([locator.path])
        if not listing.files:
            return next(iter(listing.skipped), None)
        wanted = PageWanted(number, quote, locator.part, locator.member, locator.offset or 0)
        found, portion = listing.files[0], Portion(page=wanted)
        scope = scope_of([locator.path], None, None, None, self.passwords)
        scope = replace(scope, budget=ReadingBudget(scans=1))
        job = Job(found, portion, found.size)
        with self._drawing:
            runner = Dispatcher(self._drawers, scope)
            try:
                runner.add([job])
                came: list[Read] = []
                while (some := runner.next(job)) is not None:
                    came += some
            finally:
                runner.close()
        pages = [read for read in came if isinstance(read, DrawnPage | Skipped)]
        return min(pages, key=lambda read: isinstance(read, Skipped), default=None)

    @property
    def protection(self) -> tuple[str, ...] | None:
        """What locks the reading processes down; None before the first has started."""
        return self._pool.protection

    def unlock(self, password: str) -> None:
        """Try this password too for encrypted files, until the session ends."""
        if password not in self.passwords:
            self.passwords += (password,)

    def forget(self) -> None:
        """Drop all text and passwords."""
        with self._lock:
            self._kept.clear()
            self.size = 0
        self._last = None
        self.passwords = ()

    def close(self) -> None:
        """End the reading processes and forget."""
        if self._watch is not None:
            self._watch.stop()
        self._pool.close()
        self._drawers.close()
        self.forget()

    def __enter__(self) -> Session:
        """Return the session."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the session."""
        self.close()

    def watch(self, changed: Callable[[Path], object]) -> None:
        """Drop the text of a file as soon as the file changes, and call `changed` with its path.

        Covers the sources of readings from now on. `changed` is called in another thread.
        """
        from ingest.reading.watch import Watch

        def drop(path: Path) -> None:
            with self._lock:
                for key in [key for key in self._kept if key[0] == path]:
                    self._drop(key)
            changed(path)

        self._watch = Watch(drop)

    def kept(self, key: tuple[Any, ...], signature: tuple[int, ...]) -> FileReads | None:
        """Return what is kept under `key`, unless the file has changed since."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is None:
                return None
            if kept.signature != signature:
                self._drop(key)
                return None
            self._kept.move_to_end(key)
            return kept.reads

    def keep(self, key: tuple[Any, ...], signature: tuple[int, ...], reads: FileReads) -> None:
        """Keep what a file held; the least recently used files make room for it."""
        size = _size(reads)
        with self._lock:
            self._drop(key)
            if size > self.memory:
                return
            self._kept[key] = _CachedFile(signature, reads, size)
            self.size += size
            while self.size > self.memory:
                self._drop(next(iter(self._kept)))

    def _drop(self, key: tuple[Any, ...]) -> None:
        kept = self._kept.pop(key, None)
        self.size -= kept.size if kept else 0


class _ScopedCache:
    """The cached files of a session, as one scope sees them."""

    def __init__(self, session: Session, scope: Scope) -> None:
        self._session = session
        filters = scope.filters
        # Folders are sought below the sources; calendars are expanded around today.
        sources = scope.sources if filters.folders or filters.without.folders else ()
        scans = scope.budget.scans > 0
        self._seen = (filters, str(scope.zone), scope.now.date(), sources, scope.passwords, scans)

    def get(self, found: ListedFile) -> FileReads | None:
        """Return what the file held, when it is unchanged."""
        return self._session.kept((found.path, *self._seen), found.signature)

    def put(self, found: ListedFile, reads: FileReads) -> None:
        """Keep what the file held, unless it cost a reader: then the next question reads it again.

        A reader may die of the file, but a person or the system, short of memory, may also end it.
        """
        if not any(_is_lost(read) for read in reads.first):
            self._session.keep((found.path, *self._seen), found.signature, reads)


def _is_lost(read: Read) -> bool:
    """Say whether a whole file was lost with its reader; of a mailbox the rest is kept."""
    match read:
        case Skipped(reason=Reason.WORKER_DIED, member=None):
            return True
    return False


def _size(reads: FileReads) -> int:
    """Return the bytes of memory that reads take, roughly."""
    later = (*reads.later.values(), *reads.scans.values())
    everything = [*reads.first, *(read for some in later for read in some)]
    text = sum(getsizeof(read.text) for read in everything if isinstance(read, Item))
    return text + _OBJECTS * len(everything)


def _memory() -> int:
    """Return the bytes of memory of this machine, 4 GB where it does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):  # Windows has no sysconf
        return 4 << 30
