"""Keeps reading processes at work, and goes on when a file kills one.

A process that dies or falls silent costs the one item it was at: of a file, that file; of a
mailbox, one message, which is found by reading that part again with every message announced. What
one dies of without a word is given to a second, as somebody else may have ended the first.
"""

from __future__ import annotations

import os
import selectors
import socket  # noqa: TID251 - pairs of sockets between the program and its own processes
import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ingest.files import UnreadableError
from ingest.item import Reason, Skipped
from ingest.reading_process import NEVER, SILENCE, START, ReadingProcess
from ingest.recognise import name_says_document
from ingest.sieve import Read, Scope
from ingest.tasks import LARGE, Job, Task, What, ranges
from ingest.wire import Frame, MalformedError, State, frames, unpacked, unpacked_names

_UNTAKEN = 64 << 20
"""Bytes of frames that may wait to be taken before no more is read than what is waited for."""
_BLOCK = 1 << 20
_FAILEDSTARTS = 3
_FEW, _LITTLE = 8, 256 << 10
"""Jobs and bytes that one process does sooner than a further one has started."""


class Pool:
    """Reading processes, started when there is work and kept until `close`."""

    def __init__(
        self, workers: int | None = None, program: Sequence[str] = ("-m", "ingest.worker")
    ) -> None:
        """Use up to so many processes; by default one a core that this process may use.

        `program` is what Python runs as a reading process; it is given a descriptor.
        """
        self.program = program
        self.workers = workers or _cores()
        self.protection: tuple[str, ...] | None = None
        """What locks the processes down, once the first has started."""
        self._idle: list[ReadingProcess] = []

    def run(self, scope: Scope) -> Run:
        """Return a run of jobs under one scope. Only one at a time."""
        processes, self._idle = self._idle, []
        return Run(self, scope, processes)

    def take_back(self, processes: Sequence[ReadingProcess]) -> None:
        """Keep what a run leaves behind."""
        self._idle += processes

    def close(self) -> None:
        """End all processes."""
        for process in self._idle:
            process.end()
        self._idle = []


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def protection() -> tuple[str, ...] | None:
    """Start a reading process to ask what locks it down; None when it does not start."""
    process = ReadingProcess(Pool().program)
    try:
        process.link.settimeout(START)
        while data := process.link.recv(_BLOCK):
            process.buffer += data
            for frame in frames(process.buffer):
                return unpacked_names(frame.body)
    except (OSError, ValueError):
        pass
    finally:
        process.end()
    return None


class Run:
    """The jobs of one reading. Jobs may be added at any time; each is waited for on its own."""

    def __init__(self, pool: Pool, scope: Scope, processes: list[ReadingProcess]) -> None:
        """Take over the processes; nothing is started before the first job."""
        self._pool = pool
        self._scope = scope
        self._processes = processes
        self._waiting: deque[Job] = deque()
        self._numbered = 0
        self._untaken = 0
        self._read = 0
        self._wanted: Job | None = None
        """What the caller waits for."""
        self._failed_starts = 0
        self._is_closed = False
        self._is_down = False
        self._changed = threading.Condition()
        self._wake, self._woken = socket.socketpair()
        self._woken.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._woken, selectors.EVENT_READ)
        for process in processes:
            self._selector.register(process.link, selectors.EVENT_READ, process)
        self._thread: threading.Thread | None = None

    def add(self, jobs: Iterable[Job]) -> None:
        """Have these jobs done, after those added before."""
        with self._changed:
            for job in jobs:
                self._number(job)
                self._waiting.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._pump, name="reading", daemon=True)
                self._thread.start()
        self._wake.send(b"\0")

    def next(self, job: Job, timeout: float | None = None) -> list[Read] | None:
        """Wait for more of a job; None when it is over. Raises TimeoutError."""
        with self._changed:
            self._wanted = job
            if self._untaken > _UNTAKEN:
                self._wake.send(b"\0")
            if not self._changed.wait_for(
                lambda: job.outcome or job.is_over or self._is_down, timeout
            ):
                raise TimeoutError
            if self._is_down and not job.is_over:
                raise RuntimeError("The thread that hands out reading has ended.")
            if not job.outcome:
                return None
            outcome = job.outcome.popleft()
            if isinstance(outcome, Skipped):
                return [outcome]
            self._untaken -= len(outcome.body)
        try:
            return unpacked(outcome.body, job.found.path)
        except MalformedError:
            remedy = "What its reader sent cannot be understood; open it in its own program."
            return [Skipped(job.found.path, Reason.CORRUPT, remedy)]

    def progress(self) -> int:
        """Return the bytes read since this was last asked."""
        with self._changed:
            read, self._read = self._read, 0
            return read

    def close(self) -> None:
        """Stop; processes that are at work are ended, the others kept for the next run."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._wake.send(b"\0")
        if self._thread is not None:
            self._thread.join()
        busy = [p for p in self._processes if p.jobs or not p.is_ready]
        for process in busy:
            process.end()
        self._pool.take_back([p for p in self._processes if p not in busy])
        self._selector.close()
        self._wake.close()
        self._woken.close()

    def _number(self, job: Job) -> None:
        self._numbered += 1
        job.number = self._numbered

    def _pump(self) -> None:
        """Do what `_serve` does, in a thread of its own; whoever waits learns when it ends."""
        try:
            self._serve()
        finally:
            with self._changed:
                self._is_down = True
                self._changed.notify_all()

    def _serve(self) -> None:
        """Give out jobs, take in what was read, replace what died."""
        while not self._is_closed:
            self._give_out()
            soonest = min((process.deadline() for process in self._processes), default=NEVER)
            wait = min(max(0.0, soonest - time.monotonic()), 1.0)
            for key, _ in self._selector.select(wait):
                if key.data is None:
                    self._drain()
                else:
                    self._take_in(key.data)
            for process in [p for p in self._processes if time.monotonic() > p.deadline()]:
                self._lose(process, Reason.TIMEOUT)

    def _drain(self) -> None:
        try:
            self._woken.recv(4096)
        except BlockingIOError:
            return

    def _give_out(self) -> None:
        """Hand waiting jobs to processes with little to do; start one when all have enough."""
        while self._waiting:
            if self._untaken > _UNTAKEN and self._waiting[0] is not self._wanted:
                return
            process = min(self._processes, key=lambda one: len(one.jobs), default=None)
            if process is None or (process.jobs and self._needs_more()):
                process = self._start()
            elif process.has_enough():
                return
            with self._changed:
                job = self._waiting.popleft()
            self._give(process, job)
            if _may_be_split(job):
                self._prepare(len(ranges(job.size)))

    def _prepare(self, wanted: int) -> None:
        """Have so many processes ready by the time the first has found that it is a mailbox."""
        while len(self._processes) < min(wanted, self._pool.workers):
            self._start()

    def _needs_more(self) -> bool:
        """Say whether what waits is worth another process."""
        if len(self._processes) >= self._pool.workers:
            return False
        return len(self._waiting) > _FEW or sum(job.size for job in self._waiting) > _LITTLE

    def _start(self) -> ReadingProcess:
        process = ReadingProcess(self._pool.program)
        self._processes.append(process)
        self._selector.register(process.link, selectors.EVENT_READ, process)
        return process

    def _give(self, process: ReadingProcess, job: Job) -> None:
        try:
            process.give(job, self._scope)
        except UnreadableError as error:
            self._end(job, Skipped(job.found.path, error.reason, error.remedy))
        except OSError:  # it died a moment ago
            with self._changed:
                self._waiting.appendleft(job)
            self._lose(process, Reason.WORKER_DIED)

    def _take_in(self, process: ReadingProcess) -> None:
        """Read what a process has sent."""
        try:
            data = process.link.recv(_BLOCK)
        except OSError:
            data = b""
        process.heard_at = time.monotonic()
        process.buffer += data
        try:
            for frame in frames(process.buffer):
                self._note(process, frame)
        except (ValueError, MalformedError):  # it says what no reader says
            data = b""
        if not data:
            self._lose(process, Reason.WORKER_DIED)

    def _note(self, process: ReadingProcess, frame: Frame) -> None:
        if frame.state is State.READY:
            self._pool.protection = unpacked_names(frame.body)
            process.is_ready = True
            return
        job = process.jobs[0] if process.jobs else None
        if job is None or job.number != frame.task:
            raise ValueError("a frame of another task")
        with self._changed:
            job.is_begun = True
            self._read += max(0, frame.progress)
            match frame.state:
                case State.AT:
                    job.current = frame.offset
                case State.IS_LARGE_MAILBOX:
                    process.jobs.popleft()
                    self._split(job, [(task, False) for task in ranges(job.found.size)])
                case _:
                    job.finished = frame.offset
                    if frame.body:
                        job.outcome.append(frame)
                        self._untaken += len(frame.body)
                    if frame.state is State.DONE:
                        process.jobs.popleft()
                        job.is_over = True
            self._changed.notify_all()

    def _lose(self, process: ReadingProcess, reason: Reason) -> None:
        """Bury a process; the job it was at is to blame, at its second try; others go on."""
        if process not in self._processes:
            return
        self._processes.remove(process)
        self._selector.unregister(process.link)
        process.end()
        if not process.is_ready:
            self._failed_starts += 1
        elif process.jobs:
            first = process.jobs[0]
            if reason is Reason.TIMEOUT or first.is_begun or first.is_second_try:
                self._blame(process.jobs.popleft(), reason)
            else:
                first.is_second_try = True
        with self._changed:
            self._waiting.extendleft(reversed(process.jobs))
            hopeless = list(self._waiting) if self._failed_starts >= _FAILEDSTARTS else []
            if hopeless:
                self._waiting.clear()
        for job in hopeless:
            remedy = "No reader can be started here; see what askance doctor says."
            self._end(job, Skipped(job.found.path, Reason.WORKER_DIED, remedy))

    def _blame(self, job: Job, reason: Reason) -> None:
        """Have all of a job done but the file, or message, that a process died of."""
        task, offsets = job.task, job.task.offsets
        if task.what is What.ATTACHMENTS:
            done = offsets.index(job.finished) + 1 if job.finished in offsets else 0
            if len(offsets) - done > 1:
                singly = [replace(task, offsets=(offset,)) for offset in offsets[done:]]
                self._divide(job, [(single, False) for single in singly])
            else:
                self._end(job, _lost(job, reason, f"attached to the message at byte {offsets[-1]}"))
        elif job.current < 0 and task.what is What.ALL:
            self._end(job, _lost(job, reason))
        elif not job.is_careful:
            end = job.finished if job.finished >= 0 else task.end or job.found.size
            self._divide(job, [(Task(What.MESSAGES, task.begin, end), True)])
        else:
            with self._changed:
                job.outcome.append(_lost(job, reason, f"message at byte {job.current}"))
            rest = Task(What.MESSAGES, task.begin, max(job.current, task.begin))
            self._divide(job, [(rest, False)])

    def _divide(self, job: Job, tasks: Sequence[tuple[Task, bool]]) -> None:
        with self._changed:
            self._split(job, tasks)
            self._changed.notify_all()

    def _split(self, job: Job, tasks: Sequence[tuple[Task, bool]]) -> None:
        """End a job and put others in its place, each careful or not. Needs the lock."""
        size = job.size // max(1, len(tasks))
        job.parts = [Job(job.found, task, size, careful) for task, careful in tasks]
        job.is_over = True
        for part in job.parts:
            self._number(part)
        self._waiting.extendleft(reversed(job.parts))

    def _end(self, job: Job, skipped: Skipped) -> None:
        with self._changed:
            job.outcome.append(skipped)
            job.is_over = True
            self._changed.notify_all()


def _may_be_split(job: Job) -> bool:
    """Say whether it may turn out to be a mailbox to be read in ranges."""
    is_whole = job.task.what is What.ALL and job.size > LARGE
    return is_whole and not name_says_document(job.found.path)


def _lost(job: Job, reason: Reason, member: str | None = None) -> Skipped:
    if reason is Reason.TIMEOUT:
        remedy = f"Reading it took longer than {SILENCE:.0f} s; open it in its own program."
    else:
        remedy = "Its reader broke down on it; open it in its own program."
    return Skipped(job.found.path, reason, remedy, member)
