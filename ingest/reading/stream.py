"""Reads the sources of a question in order, and keeps the ledger.

Locked-down processes (`ingest.reading.pool`) do the jobs; tests have them done in this process.
Whichever ends first, items come out in one order: files as they are listed, a mailbox newest
first, attachments last.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from sys import getsizeof
from typing import Protocol

from ingest.item import Copy, Item, Reason, Skipped, Tally
from ingest.reading.jobs import Extent, Job, Portion
from ingest.reading.source_file import FileReads, ScannedPortion, SourceFile
from ingest.reading.walk import ListedFile, list_files
from ingest.recognise import DOCUMENT, name_says_document
from ingest.sieve import Later, LeftOut, Read, Scope

TICK = 0.1
"""Seconds after which a wait for the next item is interrupted."""
_TOGETHER = 32
_TOGETHER_BYTES = 4 << 20
"""Messages of one file, and bytes, whose attachments are one job."""


LATER = "Its scanned pages wait for the next question: --scans gives them more seconds."
"""The remedy of scans for which no time was left."""


class Runner(Protocol):
    """Does jobs, in the background or on demand."""

    def add(self, jobs: Iterable[Job]) -> None:
        """Have these jobs done, after those added before."""

    def next(self, job: Job, timeout: float | None = None) -> list[Read] | None:
        """Return more of a job; None when it is over. Raises TimeoutError."""

    def progress(self) -> int:
        """Return the bytes read since this was last asked."""

    def close(self) -> None:
        """Stop."""


class FileCache(Protocol):
    """Keeps what files held for the next question."""

    def get(self, found: ListedFile) -> FileReads | None:
        """Return what the file held, if it is unchanged."""

    def put(self, found: ListedFile, reads: FileReads) -> None:
        """Keep what a file held that was read to the end."""


class ItemStream(Iterator[Item | Skipped]):
    """Items and what was skipped, in order. Closing it stops the reading."""

    def __init__(
        self,
        sources: Sequence[Path],
        scope: Scope,
        start: Callable[[Scope], Runner],
        keeper: FileCache | None = None,
        memory: int | None = None,
    ) -> None:
        """List and open nothing before the first item is asked for.

        `memory` bounds the bytes of text; at the bound the reading stops as `stop` does.
        """
        self.tally = Tally()
        self.sources = tuple(sources)
        self._scope = scope
        self._keeper = keeper
        self._memory = memory
        self._stopped = False
        self._met: dict[tuple[str, str | None, int], Item] = {}
        self._copied: set[tuple[Path, int]] = set()
        self._groups: list[tuple[SourceFile, list[Later]]] = []
        self._scanned: dict[tuple[Path, Portion], ScannedPortion] = {}
        self._stream = self._read(sources, start)

    def __next__(self) -> Item | Skipped:
        """Return the next item, or what was found and not read."""
        for found in self._stream:
            if found is not None:
                return found
        raise StopIteration

    def ticks(self) -> Iterator[Item | Skipped | None]:
        """Return the same, with None for every tenth of a second without news."""
        return self._stream

    def stop(self) -> None:
        """Read no further. What has been read already still comes; the tally tells the rest."""
        self._stopped = True

    def close(self) -> None:
        """Stop at once."""
        self._stream.close()

    def _read(
        self, sources: Sequence[Path], start: Callable[[Scope], Runner]
    ) -> Generator[Item | Skipped | None]:
        listing = list_files(sources)
        self.tally.files_found = len(listing.files)
        self.tally.bytes_found = sum(found.size for found in listing.files)
        yield from (skip for skip in listing.skipped if self._scope.admits_path(skip.path))
        files = [self._source(found) for found in listing.files]
        runner = start(self._scope)
        try:
            runner.add(file.job for file in files if file.job)
            for file in files:
                yield from self._first(file, runner)
            yield from self._put_off(runner)
            yield from self._recognise(runner)
        finally:
            runner.close()

    def _source(self, found: ListedFile) -> SourceFile:
        """Return a file, with what is known of it without opening it."""
        name_is_enough = name_says_document(found.path) and not self._scope.wants_file(DOCUMENT)
        if name_is_enough or not self._scope.admits_path(found.path):
            return SourceFile(found, FileReads([LeftOut()]), None)
        kept = self._keeper.get(found) if self._keeper else None
        if kept is not None:
            return SourceFile(found, kept, None)
        return SourceFile(found, FileReads(), Job(found, Portion(), found.size))

    def _first(self, file: SourceFile, runner: Runner) -> Generator[Item | Skipped | None]:
        """Yield what a file holds, without what is put off."""
        if file.job is None:
            for read in file.reads.first:
                yield from self._pass(file, read, Portion())
        else:
            for reads in self._outcome(file, file.job, runner):
                if reads is None:
                    yield None
                    continue
                file.reads.first += reads
                for read in reads:
                    yield from self._pass(file, read, Portion())
        self._finish(file)

    def _put_off(self, runner: Runner) -> Generator[Item | Skipped | None]:
        """Yield what was put off: attachments, for some messages of a file at a time."""
        jobs: list[Job | None] = []
        for file, some in self._groups:
            offsets = tuple(later.offset for later in some)
            portion = Portion(Extent.ATTACHMENTS, offsets=offsets)
            size = sum(later.size for later in some)
            jobs.append(None if offsets in file.reads.later else Job(file.found, portion, size))
        runner.add(job for job in jobs if job)
        for job, (file, some) in zip(jobs, self._groups, strict=True):
            offsets = tuple(later.offset for later in some)
            portion = Portion(Extent.ATTACHMENTS, offsets=offsets)
            kept = file.reads.later.setdefault(offsets, [])
            if job is None:
                for read in kept:
                    yield from self._pass(file, read, portion)
            else:
                for reads in self._outcome(file, job, runner):
                    if reads is None:
                        yield None
                        continue
                    kept += reads
                    for read in reads:
                        yield from self._pass(file, read, portion)
            self.tally.put_off -= len(some)
            self._finish(file)

    def _outcome(self, file: SourceFile, job: Job, runner: Runner) -> Generator[list[Read] | None]:
        """Yield what a job reads, then its parts; None while there is nothing to take."""
        jobs = [job]
        while jobs:
            try:
                reads = runner.next(jobs[-1], 0.0 if self._stopped else TICK)
            except TimeoutError:
                if self._stopped:
                    file.is_cut = True
                    jobs.pop()
                else:
                    yield None
                continue
            finally:
                self._count(runner.progress())
            if reads is None:
                jobs += reversed(jobs.pop().parts)
            else:
                yield reads

    def _recognise(self, runner: Runner) -> Generator[Item | Skipped | None]:
        """Yield the words of scanned pages, likeliest first, for as many seconds as were given."""
        wanted = self._scope.recognition
        if wanted is None or not self._scanned:
            return
        waiting = sorted(self._scanned.values(), key=lambda one: one.unlikely(wanted.words))
        self.tally.scans_found = len(waiting)
        jobs = [scanned.job() for scanned in waiting]
        runner.add(job for job in jobs if job)
        until = time.monotonic() + wanted.seconds
        for job, scanned in zip(jobs, waiting, strict=True):
            kept = scanned.file.reads.scans.setdefault(scanned.portion, [])
            for read in kept:
                yield from self._pass(scanned.file, read)
            if job is not None:
                yield from self._recognised(scanned, job, kept, runner, until)
            self.tally.scans_done += 1

    def _recognised(
        self, scanned: ScannedPortion, job: Job, kept: list[Read], runner: Runner, until: float
    ) -> Generator[Item | Skipped | None]:
        """Yield what a job recognises until that moment, and what waits for the next question."""
        file, was_cut = scanned.file, scanned.file.is_cut
        file.is_cut = False
        for reads in self._outcome(file, job, runner):
            for read in reads or ():
                kept.append(read)
                yield from self._pass(file, read)
            if reads is None:
                yield None
            self._stopped = self._stopped or time.monotonic() > until
        if file.is_cut:
            yield from (replace(skip, remedy=LATER) for skip in scanned.skips)
        elif not kept:  # nothing came of it, not even a word why
            yield from scanned.skips
        else:
            file.reads.recognised.add(scanned.portion)
        file.is_cut = was_cut
        if self._keeper is not None and not was_cut:
            self._keeper.put(file.found, file.reads)

    def _pass(
        self, file: SourceFile, read: Read, portion: Portion | None = None
    ) -> Iterator[Item | Skipped]:
        """Yield what the caller gets of a read, and count the rest.

        Scanned pages of a portion are put off, where they are recognised at all.
        """
        match read:
            case Skipped(reason=Reason.SCANNED) if portion and self._scope.recognition:
                scanned = self._scanned.setdefault(
                    (file.found.path, portion), ScannedPortion(file, portion)
                )
                scanned.skips.append(read)
            case LeftOut():
                self.tally.pruned += read.count
            case Later():
                if (file.found.path, read.offset) not in self._copied:
                    self._postpone(file, read)
            case Item() if self._is_copy(file, read):
                pass
            case Item():
                self.tally.items[read.kind] = self.tally.items.get(read.kind, 0) + 1
                self._weigh(read)
                yield read
            case _:
                yield read

    def _is_copy(self, file: SourceFile, item: Item) -> bool:
        """Say whether the same mail was found elsewhere, and note its other place.

        Two mails are the same if Message-ID (else the header block) and text are the same.
        """
        at = item.locator
        if at.message_id is None:
            return False
        known = self._met.setdefault((at.message_id, at.part, hash(item.text)), item)
        if known is item:
            item.copies.clear()
            return False
        known.copies.append(Copy(at, item.owners, item.shelf))
        if at.part is None:
            self._copied.add((file.found.path, at.offset or 0))
        self.tally.copies += 1
        return True

    def _postpone(self, file: SourceFile, later: Later) -> None:
        self.tally.put_off += 1
        if self._groups and self._groups[-1][0] is file:
            some = self._groups[-1][1]
            size = sum(one.size for one in some)
            if len(some) < _TOGETHER and size + later.size <= _TOGETHER_BYTES:
                some.append(later)
                return
        self._groups.append((file, [later]))
        file.put_off += 1

    def _weigh(self, item: Item) -> None:
        self.tally.text += getsizeof(item.text)
        if self._memory is not None and self.tally.text > self._memory and not self._stopped:
            self.tally.is_full = True
            self.stop()

    def _count(self, read: int) -> None:
        self.tally.bytes_done = min(self.tally.bytes_done + read, self.tally.bytes_found)

    def _finish(self, file: SourceFile) -> None:
        """Note that one job of a file is done; after the last one the file is done."""
        file.put_off -= 1
        if file.put_off or file.is_cut:
            return
        self.tally.files_done += 1
        if file.job is None:
            self._count(file.found.size)
        elif self._keeper is not None:
            self._keeper.put(file.found, file.reads)
        if self.tally.files_done == self.tally.files_found:
            self.tally.bytes_done = self.tally.bytes_found
