"""The jobs of a reading that wait for a process, in the order in which they are wanted."""

from __future__ import annotations

from heapq import heappop, heappush

from ingest.reading.jobs import Job

_UNTAKEN = 64 << 20
"""Bytes of frames that may wait to be taken before no more is read than what is waited for."""
_FEW, _LITTLE = 8, 256 << 10
"""Jobs and bytes that one process does sooner than another has started."""


class JobQueue:
    """Jobs in the order in which they were added; the parts of a job take its place.

    When much is untaken, no job is open that comes after the wanted one. The wanted job always is:
    of the jobs that wait with it, only earlier ones go first. Callers hold a lock.
    """

    def __init__(self) -> None:
        """Begin empty."""
        self.wanted: Job | None = None
        """What the caller waits for."""
        self.is_held = False
        """Whether jobs wait until the caller has taken more, or wants them."""
        self.untaken = 0
        """Bytes that were read and not yet taken."""
        self._heap: list[Job] = []
        self._numbered = 0

    def add(self, job: Job, before: tuple[int, ...] = ()) -> None:
        """Have a job done, in its place behind `before`."""
        self._numbered += 1
        job.number = self._numbered
        job.place = (*before, job.number)
        heappush(self._heap, job)

    def put_back(self, job: Job) -> None:
        """Have a job done that was taken and not finished."""
        heappush(self._heap, job)

    def take(self) -> Job:
        """Return the next job."""
        return heappop(self._heap)

    def take_all(self) -> list[Job]:
        """Return all jobs, in no order."""
        jobs, self._heap = self._heap, []
        return jobs

    def is_open(self) -> bool:
        """Say whether the next job waits for nothing but a process."""
        is_ahead = bool(self._heap) and (self.wanted is None or self.wanted < self._heap[0])
        self.is_held = is_ahead and self.is_full()
        return bool(self._heap) and not self.is_held

    def is_full(self) -> bool:
        """Say whether much is untaken."""
        return self.untaken > _UNTAKEN

    def is_worth_a_process(self) -> bool:
        """Say whether so much waits that another process is of use."""
        return len(self._heap) > _FEW or sum(job.size for job in self._heap) > _LITTLE
