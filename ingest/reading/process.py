"""One reading process: how it is started, how it is given work, when it counts as hung."""

from __future__ import annotations

import os
import pickle
import socket  # noqa: TID251 - pairs of sockets between the program and its own processes
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from contextlib import ExitStack

from ingest.files import opened
from ingest.reading.jobs import Job
from ingest.reading.worker import LENGTH, WorkOrder
from ingest.sieve import Scope

SILENCE = 8.0
"""Seconds of silence after which a process counts as hung."""
PATIENCE = 0.2
"""More seconds for each megabyte of the file: a process says nothing within a long PDF."""
START = 60.0
"""Seconds that a process may take to start."""
NEVER = float("inf")
_BLOCK = 1 << 20
_AHEAD_TASKS, _AHEAD_BYTES, _AHEAD = 32, 1 << 20, 2
"""Jobs and bytes that may wait at one process, so that it never waits for the next job. The last
number of jobs may wait whatever their size."""
_ENVIRONMENT = frozenset({"LANG", "LC_ALL", "TZ", "PYTHONUTF8"})


class ReadingProcess:
    """One reading process and what it has been asked to do."""

    def __init__(self, program: Sequence[str]) -> None:
        """Start it. `program` is what Python runs; it is given a descriptor. Raises OSError."""
        kept = {name: value for name, value in os.environ.items() if name in _ENVIRONMENT}
        ours, theirs = socket.socketpair()
        with theirs, ExitStack() as failing:
            failing.enter_context(ours)
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [sys.executable, "-I", "-B", *program, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=kept,
                cwd="/",
                start_new_session=True,
            )
            failing.pop_all()
        ours.setblocking(False)
        self.link = ours
        self.jobs: deque[Job] = deque()
        self.is_ready = False
        self.buffer = bytearray()
        self.heard_at = time.monotonic()
        self.scope: Scope | None = None
        self._unsent = bytearray()
        self._descriptor = -1
        """The file of an order that is not sent yet, else -1."""

    def give(self, job: Job, scope: Scope) -> None:
        """Hand over a job and its open file. Only for a process that has not enough.

        This never waits, since the process may itself wait for the program to take what it sent:
        what the socket does not take is left to `flush`.

        Raises UnreadableError for the file, OSError when the process is dead.
        """
        descriptor = opened(job.found.target)
        told = None if scope is self.scope else scope
        order = WorkOrder(job.number, job.portion, job.found.path, told, job.is_careful)
        body = pickle.dumps(order)
        self._unsent += LENGTH.pack(len(body)) + body
        self._descriptor = descriptor
        self.flush()
        if not self.jobs:
            self.heard_at = time.monotonic()
        self.scope = scope
        self.jobs.append(job)

    def flush(self) -> None:
        """Send what the socket takes of the last order. Raises OSError when the process is dead."""
        try:
            while self._unsent:
                if self._descriptor < 0:
                    sent = self.link.send(self._unsent)
                else:  # it goes with the first byte
                    sent = socket.send_fds(self.link, [self._unsent], [self._descriptor])
                    self._close_descriptor()
                del self._unsent[:sent]
        except BlockingIOError:
            return

    def receive(self) -> bytes | None:
        """Add what the process has sent to `buffer`, and return it.

        None where it has sent nothing yet; nothing at all where it is dead.
        """
        try:
            data = self.link.recv(_BLOCK)
        except BlockingIOError:
            return None
        except OSError:
            data = b""
        self.heard_at = time.monotonic()
        self.buffer += data
        return data

    def has_unsent(self) -> bool:
        """Say whether it has not yet been handed all of its last order."""
        return bool(self._unsent)

    def has_enough(self) -> bool:
        """Say whether it needs no more for now, or can be given none."""
        if self._unsent:
            return True
        if len(self.jobs) < _AHEAD:
            return False
        return len(self.jobs) >= _AHEAD_TASKS or sum(job.size for job in self.jobs) >= _AHEAD_BYTES

    def deadline(self) -> float:
        """Return the moment from which the process counts as hung."""
        if not self.is_ready:
            return self.heard_at + START
        if not self.jobs and not self._unsent:
            return NEVER
        size = self.jobs[0].size if self.jobs else 0
        return self.heard_at + SILENCE + PATIENCE * (size / 1e6)

    def end(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.wait()
        self.link.close()
        self._close_descriptor()

    def _close_descriptor(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
