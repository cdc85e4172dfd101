"""Reads the sources of a question in order, and keeps the ledger.

Locked-down processes (`ingest.reading.pool`) do the jobs; tests have them done in this process.
Whichever ends first, items come out in one order: files as they are listed, a mailbox newest
first, attachments last.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Protocol

from ingest.item import Item, Kind, Reason, Skipped
from ingest.reading.jobs import Job, Portion
from ingest.reading.ledger import FileCache, Ledger
from ingest.reading.source_file import FileReads, LaterGroup, ScannedPortion, SourceFile, in_turn
from ingest.reading.walk import ListedFile, list_files
from ingest.recognise import DOCUMENT, name_says_document
from ingest.sieve import LeftOut, Read, Scope

TICK = 0.1
"""Seconds after which a wait for the next item is interrupted."""
_AHEAD = 2 * (os.cpu_count() or 4)
"""Jobs that processes are given before the first is done: what is not waited for in the end is
read in vain."""


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
        self._ledger = Ledger(scope.budget, keeper, memory)
        self.tally = self._ledger.tally
        self.sources = tuple(sources)
        self._scope = scope
        self._keeper = keeper
        self._is_stopped = False
        self._recognised_any = False
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
        self._is_stopped = True

    @property
    def _stopped(self) -> bool:
        return self._is_stopped or self.tally.is_full

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
                yield from self._ledger.take(file, read, Portion())
        else:
            for reads in self._outcome(file, file.job, runner):
                if reads is None:
                    yield None
                    continue
                file.reads.first += reads
                file.grew = True
                for read in reads:
                    yield from self._ledger.take(file, read, Portion())
        self._ledger.finish(file)

    def _put_off(self, runner: Runner) -> Generator[Item | Skipped | None]:
        """Yield what was put off: attachments, for as many seconds as were given."""
        groups = in_turn(self._ledger.groups)
        jobs = {id(group): group.job() for group in groups if not group.is_kept}
        coming = iter(jobs.values())
        runner.add(islice(coming, _AHEAD))
        began, done, seconds = time.monotonic(), 0, self._scope.budget.attachments
        left: list[LaterGroup] = []
        for group in groups:
            job = jobs.get(id(group))
            if job is None:
                for read in group.file.reads.later[group.portion]:
                    yield from self._ledger.take(group.file, read, group.portion)
            elif left or not seconds or (done and time.monotonic() - began > seconds):
                left.append(group)
                continue
            else:
                yield from self._attached(group, job, runner)
                runner.add(islice(coming, 1))
                done += group.size
            self.tally.put_off -= len(group.some)
            self._ledger.finish(group.file)
        yield from self._left(left, done / max(1e-3, time.monotonic() - began))

    def _attached(
        self, group: LaterGroup, job: Job, runner: Runner
    ) -> Generator[Item | Skipped | None]:
        """Yield what a group of messages has attached."""
        kept = group.file.reads.later.setdefault(group.portion, [])
        for reads in self._outcome(group.file, job, runner):
            if reads is None:
                yield None
                continue
            kept += reads
            group.file.grew = True
            for read in reads:
                yield from self._ledger.take(group.file, read, group.portion)
        if group.file.is_cut:
            del group.file.reads.later[group.portion]

    def _left(self, groups: Sequence[LaterGroup], rate: float) -> Iterator[Skipped]:
        """Yield for each file what is left of its attachments; the next question goes on there.

        `rate` is in bytes a second.
        """
        by_file: dict[int, list[LaterGroup]] = {}
        for group in groups:
            by_file.setdefault(id(group.file), []).append(group)
        for left in by_file.values():
            file, size = left[0].file, sum(group.size for group in left)
            count = sum(len(group.some) for group in left)
            seconds = f", about {size / rate:.0f} s" if rate else ""
            self.tally.put_off -= count
            self.tally.left += count
            yield Skipped(
                file.found.path,
                Reason.LATER,
                f"{size / 1e6:,.0f} MB{seconds}: ask again, or give --attachments more seconds.",
                f"attachments of {count:,} mails",
                frozenset({Kind.DOCUMENT}),
            )
            file.put_off -= len(left) - 1
            self._ledger.finish(file)

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
                self._ledger.count(runner.progress())
            if reads is None:
                jobs += reversed(jobs.pop().parts)
            else:
                yield reads

    def _recognise(self, runner: Runner) -> Generator[Item | Skipped | None]:
        """Yield the words of scanned pages, likeliest first, for as many seconds as were given."""
        wanted = self._scope.budget
        if not (wanted.scans and self._ledger.scanned):
            return
        waiting = sorted(self._ledger.scanned.values(), key=lambda one: one.unlikely(wanted.words))
        self.tally.scans_found = len(waiting)
        jobs = [scanned.job() for scanned in waiting]
        runner.add(job for job in jobs if job)
        until = time.monotonic() + wanted.scans
        for job, scanned in zip(jobs, waiting, strict=True):
            kept = scanned.file.reads.scans.setdefault(scanned.portion, [])
            for read in kept:
                yield from self._ledger.take(scanned.file, read)
            if job is not None:
                yield from self._recognised(scanned, job, kept, runner, until)
            self.tally.scans_done += 1
            self.tally.left += scanned.portion not in scanned.file.reads.recognised

    def _recognised(
        self, scanned: ScannedPortion, job: Job, kept: list[Read], runner: Runner, until: float
    ) -> Generator[Item | Skipped | None]:
        """Yield what a job recognises until that moment, and what waits for the next question."""
        file, was_cut = scanned.file, scanned.file.is_cut
        file.is_cut = False
        for reads in self._outcome(file, job, runner):
            for read in reads or ():
                kept.append(read)
                file.grew = True
                self._recognised_any = True
                yield from self._ledger.take(file, read)
            if reads is None:
                yield None
            late = self._recognised_any and time.monotonic() > until  # each question goes further
            self._is_stopped = self._is_stopped or late
        if file.is_cut:
            # A picture may be a page too, until somebody has looked.
            yield from (replace(skip, remedy=LATER, kinds=DOCUMENT) for skip in scanned.skips)
        elif not kept:  # nothing came of it, not even a word why
            yield from scanned.skips
        else:
            file.reads.recognised.add(scanned.portion)
        file.is_cut = was_cut
        if not was_cut:
            self._ledger.keep(file)
