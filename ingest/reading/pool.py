"""Reading processes: a pool that keeps them, and the group that one reading uses."""

from __future__ import annotations

import os
import selectors
import socket  # noqa: TID251 - a pair of sockets wakes the thread that waits for processes
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress

from ingest.reading.jobs import Job
from ingest.reading.process import NEVER, START, ReadingProcess
from ingest.reading.wire import frames, unpacked_names
from ingest.sieve import Scope

_PROGRAM = ("-m", "ingest.reading.worker")


class Pool:
    """Reading processes, started when there is work and kept until `close`."""

    def __init__(self, workers: int | None = None, program: Sequence[str] = _PROGRAM) -> None:
        """Use up to so many processes; by default one for each core that this process may use.

        `program` is what Python runs as a reading process; it is given a descriptor.
        """
        self.program = program
        self.workers = workers or _cores()
        self.protection: tuple[str, ...] | None = None
        """What locks the processes down, once the first has started."""
        self._idle: list[ReadingProcess] = []

    def lend(self) -> list[ReadingProcess]:
        """Hand over the processes that have nothing to do."""
        processes, self._idle = self._idle, []
        return processes

    def take_back(self, processes: Sequence[ReadingProcess]) -> None:
        """Keep what a reading leaves behind."""
        self._idle += processes

    def close(self) -> None:
        """End all processes."""
        for process in self._idle:
            process.end()
        self._idle = []


class ProcessGroup:
    """The processes of one reading, and the selector that listens to all of them.

    Only `awaken` may be called from another thread.
    """

    def __init__(self, pool: Pool) -> None:
        """Take over the idle processes of the pool; more are started one by one."""
        self.processes = pool.lend()
        self._pool = pool
        self._is_short = False
        """Whether the system had no room for another process."""
        self._wake, self._woken = socket.socketpair()
        self._wake.setblocking(False)
        self._woken.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._woken, selectors.EVENT_READ)
        for process in self.processes:
            self._selector.register(process.link, selectors.EVENT_READ, process)

    def may_grow(self) -> bool:
        """Say whether another process may be started."""
        return not self._is_short and len(self.processes) < self._pool.workers

    def start(self) -> ReadingProcess | None:
        """Start a process; None where the system has no room for one, which it may have later."""
        try:
            process = ReadingProcess(self._pool.program)
        except OSError:
            self._is_short = True
            return None
        self.processes.append(process)
        self._selector.register(process.link, selectors.EVENT_READ, process)
        return process

    def grow_to(self, wanted: int) -> None:
        """Have so many processes, or as many as may be."""
        while len(self.processes) < min(wanted, self._pool.workers):
            if self.start() is None:
                return

    def least_busy(self) -> ReadingProcess | None:
        """Return the process with the fewest jobs, None where there is no process."""
        return min(self.processes, key=lambda one: len(one.jobs), default=None)

    def is_at_work(self) -> bool:
        """Say whether any process has a job."""
        return any(process.jobs for process in self.processes)

    def give(self, process: ReadingProcess, job: Job, scope: Scope) -> None:
        """Hand over a job. Raises UnreadableError for its file, OSError for a dead process."""
        process.give(job, scope)
        self._listen(process)

    def flush(self, process: ReadingProcess) -> None:
        """Send what a process has room for of its last order. Raises OSError when it is dead."""
        process.flush()
        self._listen(process)

    def note_ready(self, process: ReadingProcess, protection: tuple[str, ...]) -> None:
        """Note that a process has locked itself down, and by what."""
        process.is_ready = True
        self._pool.protection = protection

    def wait(self, longest: float) -> Iterator[tuple[ReadingProcess, bool, bool]]:
        """Wait for processes, and yield each that can be read from, or written to.

        The wait ends after `longest` seconds, at the first deadline, and when awakened.
        """
        soonest = min((process.deadline() for process in self.processes), default=NEVER)
        wait = min(max(0.0, soonest - time.monotonic()), longest)
        for key, events in self._selector.select(wait):
            if key.data is None:
                self._drain()
            else:
                has_spoken = bool(events & selectors.EVENT_READ)
                yield key.data, has_spoken, bool(events & selectors.EVENT_WRITE)

    def hung(self) -> list[ReadingProcess]:
        """Return the processes that have been silent for too long."""
        return [process for process in self.processes if time.monotonic() > process.deadline()]

    def awaken(self) -> None:
        """End the wait of the other thread, now or as soon as it begins. Never waits for it."""
        with suppress(BlockingIOError):  # so much lies there unseen that it will
            self._wake.send(b"\0")

    def remove(self, process: ReadingProcess) -> None:
        """End a process."""
        self.processes.remove(process)
        self._selector.unregister(process.link)
        process.end()

    def close(self) -> None:
        """End the processes that are at work, and give the others back to the pool."""
        busy = [p for p in self.processes if p.jobs or p.has_unsent() or not p.is_ready]
        for process in busy:
            process.end()
        self._pool.take_back([process for process in self.processes if process not in busy])
        self._selector.close()
        self._wake.close()
        self._woken.close()

    def _listen(self, process: ReadingProcess) -> None:
        """Listen to a process, and wait for room while it has not been handed everything."""
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if process.has_unsent() else 0)
        if self._selector.get_key(process.link).events != events:
            self._selector.modify(process.link, events, process)

    def _drain(self) -> None:
        with suppress(BlockingIOError):
            self._woken.recv(4096)


def protection() -> tuple[str, ...] | None:
    """Start a reading process to ask what locks it down; None when it does not start."""
    process = ReadingProcess(_PROGRAM)
    try:
        process.link.settimeout(START)
        while process.receive():
            for frame in frames(process.buffer):
                return unpacked_names(frame.body)
    except ValueError:
        pass
    finally:
        process.end()
    return None


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
