"""Has the jobs of one reading done by processes, and goes on when a file kills one.

A process that dies or falls silent costs the one item that it was reading: a document, or one
message of a mailbox. The message is found by reading that part again with every message announced.
A job whose process died without a word goes to a second process, as somebody else may have ended
the first.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from ingest.files import UnreadableError
from ingest.item import Reason, Skipped
from ingest.reading.blame import blamed
from ingest.reading.job_queue import JobQueue
from ingest.reading.jobs import LARGE, Extent, Job, Portion, ranges
from ingest.reading.pool import Pool, ProcessGroup
from ingest.reading.process import ReadingProcess
from ingest.reading.wire import Frame, MalformedError, State, frames, unpacked, unpacked_names
from ingest.recognise import name_says_document
from ingest.sieve import Read, Scope

_TURN = 1.0
"""Seconds after which the thread looks at everything again, whatever happens."""
STILL = 10.0
"""Seconds for which a job may be wanted while no process works; then the reading has failed."""
_FAILED_STARTS = 3
"""Processes that may fail to start before all that waits is given up."""


class StandstillError(Exception):
    """Reading has stopped, though work waits. Only `engine.retrieval.corpus` sees it."""

    def __init__(self, path: Path) -> None:
        """Keep the file that was waited for."""
        super().__init__(f"Reading came to a standstill before {path}.")
        self.path = path


class Dispatcher:
    """The jobs of one reading. Jobs may be added at any time; each is waited for on its own."""

    def __init__(self, pool: Pool, scope: Scope) -> None:
        """Use the processes of `pool`, for one reading at a time. The first job starts them."""
        self._scope = scope
        self._group = ProcessGroup(pool)
        self._queue = JobQueue()
        self._read = 0
        self._still: tuple[Job, float] | None = None
        """The job that was wanted while no process worked, and since when."""
        self._standstill: StandstillError | None = None
        self._failed_starts = 0
        self._is_closed = False
        self._is_down = False
        self._changed = threading.Condition()
        """Guards the queue and the outcomes of jobs."""
        self._thread: threading.Thread | None = None

    def add(self, jobs: Iterable[Job]) -> None:
        """Have these jobs done, after those added before."""
        with self._changed:
            for job in jobs:
                self._queue.add(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._pump, name="reading", daemon=True)
                self._thread.start()
        self._group.awaken()

    def next(self, job: Job, timeout: float | None = None) -> list[Read] | None:
        """Wait for more of a job; None when it is over.

        Raises TimeoutError, and StandstillError when nothing more will come.
        """
        with self._changed:
            self._queue.wanted = job
            if self._queue.is_held:
                self._group.awaken()
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
            self._queue.untaken -= len(outcome.body)
            if self._queue.is_held and not self._queue.is_full():
                self._group.awaken()
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
        """Stop; processes that are at work are ended, the others kept for the next reading."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._group.awaken()
        if self._thread is not None:
            self._thread.join()
        self._group.close()

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
        """Give out jobs, wait at most so many seconds, take in what was read, replace the dead."""
        self._give_out()
        self._look_for_standstill()
        for process, has_spoken, has_room in self._group.wait(longest):
            if has_room:
                self._send_on(process)
            if has_spoken and process in self._group.processes:
                self._take_in(process)
        for process in self._group.hung():
            self._lose(process, Reason.TIMEOUT)

    def _give_out(self) -> None:
        """Hand waiting jobs to processes with little to do; start one when all have enough."""
        while self._is_open() and (process := self._free_process()) is not None:
            with self._changed:
                job = self._queue.take()
            self._give(process, job)
            if _may_be_split(job):  # have enough processes when the first finds that it is
                self._group.grow_to(len(ranges(job.size)))
                self._note_whether_any_started()

    def _is_open(self) -> bool:
        with self._changed:
            return self._queue.is_open()

    def _free_process(self) -> ReadingProcess | None:
        """Return a process that may be given a job, None while all have enough."""
        process = self._group.least_busy()
        if process is None or (process.jobs and self._needs_more()):
            process = self._group.start() or process
            self._note_whether_any_started()
        return None if process is None or process.has_enough() else process

    def _needs_more(self) -> bool:
        """Say whether what waits is worth another process."""
        with self._changed:
            return self._group.may_grow() and self._queue.is_worth_a_process()

    def _give(self, process: ReadingProcess, job: Job) -> None:
        try:
            self._group.give(process, job, self._scope)
        except UnreadableError as error:
            self._end(job, Skipped(job.found.path, error.reason, error.remedy))
        except OSError:  # it died a moment ago
            with self._changed:
                self._queue.put_back(job)
            self._lose(process, Reason.WORKER_DIED)

    def _send_on(self, process: ReadingProcess) -> None:
        """Send the rest of an order."""
        try:
            self._group.flush(process)
        except OSError:
            self._lose(process, Reason.WORKER_DIED)

    def _take_in(self, process: ReadingProcess) -> None:
        """Read what a process has sent."""
        data = process.receive()
        if data is None:
            return
        try:
            for frame in frames(process.buffer):
                self._note(process, frame)
        except (ValueError, MalformedError):  # it says what no reader says
            data = b""
        if not data:
            self._lose(process, Reason.WORKER_DIED)

    def _note(self, process: ReadingProcess, frame: Frame) -> None:
        if frame.state is State.READY:
            self._group.note_ready(process, unpacked_names(frame.body))
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
                        self._queue.untaken += len(frame.body)
                    if frame.state is State.DONE:
                        process.jobs.popleft()
                        job.is_over = True
            self._changed.notify_all()

    def _lose(self, process: ReadingProcess, reason: Reason) -> None:
        """End a process. Its first job is to blame, at the second try; others are put back."""
        if process not in self._group.processes:
            return
        self._group.remove(process)
        with self._changed:
            if process.is_ready and process.jobs:
                first = process.jobs[0]
                if reason is Reason.TIMEOUT or first.is_begun or first.is_second_try:
                    self._blame(process.jobs.popleft(), reason)
                else:
                    first.is_second_try = True
            for job in process.jobs:
                self._queue.put_back(job)
        if not process.is_ready:
            self._note_failed_start()

    def _note_whether_any_started(self) -> None:
        if not self._group.processes:
            self._note_failed_start()

    def _note_failed_start(self) -> None:
        """Leave out all that waits after some failures: what is wanted must not wait for ever."""
        self._failed_starts += 1
        if self._failed_starts < _FAILED_STARTS:
            return
        with self._changed:
            hopeless = self._queue.take_all()
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
            self._queue.add(part, job.place)

    def _end(self, job: Job, skipped: Skipped) -> None:
        with self._changed:
            job.outcome.append(skipped)
            job.is_over = True
            self._changed.notify_all()

    def _look_for_standstill(self) -> None:
        """Stop when the same job is wanted for long and no process works.

        Only a defect brings this about, since what is wanted is given out; it must not be silent.
        """
        with self._changed:
            job = self._queue.wanted
            if job is None or job.outcome or job.is_over or self._group.is_at_work():
                self._still = None
            elif self._still is None or self._still[0] is not job:
                self._still = job, time.monotonic()
            elif time.monotonic() - self._still[1] > STILL:
                self._standstill = StandstillError(job.found.path)


def _may_be_split(job: Job) -> bool:
    """Say whether it may turn out to be a mailbox to be read in ranges."""
    is_whole = job.portion.extent is Extent.ALL and job.size > LARGE
    return is_whole and not name_says_document(job.found.path)
