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
from collections.abc import Iterable, Sequence
from contextlib import suppress
from heapq import heappop, heappush
from pathlib import Path

from ingest.files import UnreadableError
from ingest.item import Reason, Skipped
from ingest.reading.blame import blamed
from ingest.reading.jobs import LARGE, Job, Portion, What, ranges
from ingest.reading.process import NEVER, START, ReadingProcess
from ingest.reading.wire import Frame, MalformedError, State, frames, unpacked, unpacked_names
from ingest.recognise import name_says_document
from ingest.sieve import Read, Scope

_UNTAKEN = 64 << 20
"""Bytes of frames that may wait to be taken before no more is read than what is waited for."""
_BLOCK = 1 << 20
_TURN = 1.0
"""Seconds after which the thread that hands out reading looks round, whatever happens."""
STILL = 10.0
"""Seconds after which a run in which nobody is at what is waited for has failed."""
_FAILEDSTARTS = 3
_FEW, _LITTLE = 8, 256 << 10
"""Jobs and bytes that one process does sooner than a further one has started."""


class StandstillError(Exception):
    """A run has stopped, though work waits. Stays inside `ingest` and `engine.retrieval.corpus`."""

    def __init__(self, path: Path) -> None:
        """Keep the file that was waited for."""
        super().__init__(f"Reading stands still before {path}.")
        self.path = path


class Pool:
    """Reading processes, started when there is work and kept until `close`."""

    def __init__(
        self, workers: int | None = None, program: Sequence[str] = ("-m", "ingest.reading.worker")
    ) -> None:
        """Use up to so many processes; by default one a core that this process may use.

        `program` is what Python runs as a reading process; it is given a descriptor.
        """
        self.program = program
        self.workers = workers or _cores()
        self.protection: tuple[str, ...] | None = None
        """What locks the processes down, once the first has started."""
        self._idle: list[ReadingProcess] = []

    def run(self, scope: Scope) -> Dispatcher:
        """Return a run of jobs under one scope. Only one at a time."""
        processes, self._idle = self._idle, []
        return Dispatcher(self, scope, processes)

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


class Dispatcher:
    """The jobs of one reading. Jobs may be added at any time; each is waited for on its own.

    Jobs are given out in the order in which they are wanted: as they were added, what one was split
    into in its place. When much is untaken, none is given out that comes after what is waited for.
    What is waited for always is: of what waits with it, only what comes before it goes first.
    """

    def __init__(self, pool: Pool, scope: Scope, processes: list[ReadingProcess]) -> None:
        """Take over the processes; nothing is started before the first job."""
        self._pool = pool
        self._scope = scope
        self._processes = processes
        self._waiting: list[Job] = []
        """A heap."""
        self._numbered = 0
        self._untaken = 0
        self._read = 0
        self._wanted: Job | None = None
        """What the caller waits for."""
        self._is_held = False
        """Whether jobs wait until the caller has taken more, or wants them."""
        self._still: tuple[Job, float] | None = None
        """What was waited for and with nobody, and since when."""
        self._standstill: StandstillError | None = None
        self._failed_starts = 0
        self._is_short = False
        """Whether the system had no room for a further process."""
        self._is_closed = False
        self._is_down = False
        self._changed = threading.Condition()
        self._wake, self._woken = socket.socketpair()
        self._wake.setblocking(False)
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
                self._queue(job, ())
            if self._thread is None:
                self._thread = threading.Thread(target=self._pump, name="reading", daemon=True)
                self._thread.start()
        self._awaken()

    def next(self, job: Job, timeout: float | None = None) -> list[Read] | None:
        """Wait for more of a job; None when it is over.

        Raises TimeoutError, and StandstillError when nothing more will come.
        """
        with self._changed:
            self._wanted = job
            if self._is_held:
                self._awaken()
            if not self._changed.wait_for(
                lambda: job.outcome or job.is_over or self._is_down, timeout
            ):
                raise TimeoutError
            if self._is_down and not job.is_over:
                raise self._standstill or RuntimeError("The thread that hands out reading ended.")
            if not job.outcome:
                return None
            outcome = job.outcome.popleft()
            if isinstance(outcome, Skipped):
                return [outcome]
            self._untaken -= len(outcome.body)
            if self._is_held and self._untaken <= _UNTAKEN:
                self._awaken()
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
        self._awaken()
        if self._thread is not None:
            self._thread.join()
        busy = [p for p in self._processes if p.jobs or p.has_unsent() or not p.is_ready]
        for process in busy:
            process.end()
        self._pool.take_back([p for p in self._processes if p not in busy])
        self._selector.close()
        self._wake.close()
        self._woken.close()

    def _queue(self, job: Job, before: tuple[int, ...]) -> None:
        """Have a job done, in its place behind `before`. Needs the lock."""
        self._numbered += 1
        job.number = self._numbered
        job.place = (*before, job.number)
        heappush(self._waiting, job)

    def _awaken(self) -> None:
        """Have the thread look round. Never waits for it."""
        with suppress(BlockingIOError):  # so much lies there unseen that it will
            self._wake.send(b"\0")

    def _pump(self) -> None:
        """Take turns, in a thread of its own; whoever waits learns when it ends."""
        try:
            while not self._is_closed and self._standstill is None:
                self._turn(_TURN)
        finally:
            with self._changed:
                self._is_down = True
                self._changed.notify_all()

    def _turn(self, longest: float) -> None:
        """Give out jobs, take in what was read, replace what died; wait for it so many seconds."""
        self._give_out()
        self._look_for_standstill()
        soonest = min((process.deadline() for process in self._processes), default=NEVER)
        wait = min(max(0.0, soonest - time.monotonic()), longest)
        for key, events in self._selector.select(wait):
            if key.data is None:
                self._drain()
                continue
            if events & selectors.EVENT_WRITE:
                self._send_on(key.data)
            if events & selectors.EVENT_READ and key.data in self._processes:
                self._take_in(key.data)
        for process in [p for p in self._processes if time.monotonic() > p.deadline()]:
            self._lose(process, Reason.TIMEOUT)

    def _drain(self) -> None:
        with suppress(BlockingIOError):
            self._woken.recv(4096)

    def _give_out(self) -> None:
        """Hand waiting jobs to processes with little to do; start one when all have enough."""
        while self._may_give_out() and (process := self._free_process()) is not None:
            with self._changed:
                job = heappop(self._waiting)
            self._give(process, job)
            if _may_be_split(job):
                self._prepare(len(ranges(job.size)))

    def _may_give_out(self) -> bool:
        """Say whether the next job waits for nothing but a process."""
        with self._changed:
            if not self._waiting:
                self._is_held = False
                return False
            is_ahead = self._wanted is None or self._wanted < self._waiting[0]
            self._is_held = is_ahead and self._untaken > _UNTAKEN
            return not self._is_held

    def _free_process(self) -> ReadingProcess | None:
        """Return a process that may be given a job, None while all have enough."""
        process = min(self._processes, key=lambda one: len(one.jobs), default=None)
        if process is None or (process.jobs and self._needs_more()):
            process = self._start() or process
        return None if process is None or process.has_enough() else process

    def _prepare(self, wanted: int) -> None:
        """Have so many processes ready by the time the first has found that it is a mailbox."""
        while len(self._processes) < min(wanted, self._pool.workers):
            if self._start() is None:
                return

    def _needs_more(self) -> bool:
        """Say whether what waits is worth another process."""
        if self._is_short or len(self._processes) >= self._pool.workers:
            return False
        return len(self._waiting) > _FEW or sum(job.size for job in self._waiting) > _LITTLE

    def _start(self) -> ReadingProcess | None:
        """Start a process; None where the system has no room for one, which it may have later."""
        try:
            process = ReadingProcess(self._pool.program)
        except OSError:
            self._is_short = True
            if not self._processes:
                self._note_failed_start()
            return None
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
                heappush(self._waiting, job)
            self._lose(process, Reason.WORKER_DIED)
        else:
            self._listen(process)

    def _send_on(self, process: ReadingProcess) -> None:
        """Send what a process has room for of what it was given."""
        try:
            process.flush()
        except OSError:
            self._lose(process, Reason.WORKER_DIED)
        else:
            self._listen(process)

    def _listen(self, process: ReadingProcess) -> None:
        """Watch for what a process says, and for room while it has not been handed everything."""
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if process.has_unsent() else 0)
        if self._selector.get_key(process.link).events != events:
            self._selector.modify(process.link, events, process)

    def _take_in(self, process: ReadingProcess) -> None:
        """Read what a process has sent."""
        try:
            data = process.link.recv(_BLOCK)
        except BlockingIOError:
            return
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
        if job is None or job.number != frame.job:
            raise ValueError("a frame of another job")
        with self._changed:
            job.is_begun = True
            self._read += max(0, frame.progress)
            match frame.state:
                case State.AT:
                    job.current = frame.offset
                case State.IS_LARGE_MAILBOX:
                    process.jobs.popleft()
                    self._split(job, [(portion, False) for portion in ranges(job.found.size)])
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
        with self._changed:
            if process.is_ready and process.jobs:
                first = process.jobs[0]
                if reason is Reason.TIMEOUT or first.is_begun or first.is_second_try:
                    self._blame(process.jobs.popleft(), reason)
                else:
                    first.is_second_try = True
            for job in process.jobs:
                heappush(self._waiting, job)
        if not process.is_ready:
            self._note_failed_start()

    def _note_failed_start(self) -> None:
        """After some, leave out all that waits; what the caller wants must not wait for ever."""
        self._failed_starts += 1
        if self._failed_starts < _FAILEDSTARTS:
            return
        with self._changed:
            hopeless, self._waiting = self._waiting, []
        for job in hopeless:
            remedy = "No reader can be started here; see what askance doctor says."
            self._end(job, Skipped(job.found.path, Reason.WORKER_DIED, remedy))

    def _blame(self, job: Job, reason: Reason) -> None:
        """Have all of a job done but the file, or message, that a process died of."""
        lost, rest = blamed(job, reason)
        if lost is not None:
            job.outcome.append(lost)
        self._split(job, rest)
        self._changed.notify_all()

    def _split(self, job: Job, portions: Sequence[tuple[Portion, bool]]) -> None:
        """End a job and put others in its place, each careful or not. Needs the lock."""
        size = job.size // max(1, len(portions))
        job.parts = [Job(job.found, portion, size, careful) for portion, careful in portions]
        job.is_over = True
        for part in job.parts:
            self._queue(part, job.place)

    def _end(self, job: Job, skipped: Skipped) -> None:
        with self._changed:
            job.outcome.append(skipped)
            job.is_over = True
            self._changed.notify_all()

    def _look_for_standstill(self) -> None:
        """End a run in which the same job is waited for, and nobody is at work, for long.

        It never is, as what is waited for is given out; a defect here must not be silence.
        """
        with self._changed:
            job = self._wanted
            is_at_work = any(process.jobs for process in self._processes)
            if job is None or job.outcome or job.is_over or is_at_work:
                self._still = None
            elif self._still is None or self._still[0] is not job:
                self._still = job, time.monotonic()
            elif time.monotonic() - self._still[1] > STILL:
                self._standstill = StandstillError(job.found.path)


def _may_be_split(job: Job) -> bool:
    """Say whether it may turn out to be a mailbox to be read in ranges."""
    is_whole = job.portion.what is What.ALL and job.size > LARGE
    return is_whole and not name_says_document(job.found.path)
