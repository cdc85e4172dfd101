"""Reads in this process, without its protection: for tests and measurements."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Sequence
from datetime import datetime, tzinfo
from pathlib import Path

from ingest.files import File, UnreadableError
from ingest.item import Filters, Skipped
from ingest.reading.jobs import Job, LargeMailbox, perform, ranges
from ingest.reading.scope import scope_of
from ingest.reading.stream import ItemStream
from ingest.sieve import Read, Scope


def read(
    sources: Sequence[Path],
    filters: Filters | None = None,
    *,
    zone: tzinfo | None = None,
    now: datetime | None = None,
) -> ItemStream:
    """Return a reading of `sources` in this process, without its protection (see `Session`).

    `zone` is the person's (default: the system's), `now` the moment of the question. Input that
    cannot be read is yielded as `Skipped`, never raised.
    """
    return ItemStream(sources, scope_of(sources, filters, zone, now), InProcess)


class InProcess:
    """Does each job in this process, when it is waited for."""

    def __init__(self, scope: Scope) -> None:
        """Take the scope of all jobs."""
        self._scope = scope
        self._begun: tuple[Job, Generator[Read]] | None = None
        self._read = 0

    def add(self, jobs: Iterable[Job]) -> None:
        """Do nothing yet."""
        deque(jobs, 0)

    def next(self, job: Job, timeout: float | None = None) -> list[Read] | None:
        """Return the next read of a job; None when it is over."""
        if self._begun is None or self._begun[0] is not job:
            if timeout == 0.0:
                raise TimeoutError
            self._begun = job, self._perform(job)
        try:
            return [next(self._begun[1])]
        except StopIteration:
            return None

    def _perform(self, job: Job) -> Generator[Read]:
        try:
            with File(job.found.path, job.found.target) as file:
                taken = 0
                for read in perform(job.portion, file, self._scope):
                    self._read, taken = self._read + file.taken - taken, file.taken
                    yield read
                self._read += file.taken - taken
        except LargeMailbox:
            job.parts = [
                Job(job.found, portion, portion.end - portion.begin)
                for portion in ranges(file.size)
            ]
        except UnreadableError as error:
            yield Skipped(job.found.path, error.reason, error.remedy)

    def progress(self) -> int:
        """Return the bytes read since this was last asked."""
        read, self._read = self._read, 0
        return read

    def close(self) -> None:
        """Close the file that is open."""
        if self._begun is not None:
            self._begun[1].close()
