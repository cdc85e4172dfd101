"""Pulls, checks and measurements of models: one after the other, whichever screen is open."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual.message import Message

from app.screens.messages import WorkAdvanced, WorkEnded
from models.errors import AskanceError

if TYPE_CHECKING:
    from app.local_models.jobs import Work

TELL_SECONDS = 0.1
"""Progress is told at most so often."""
CLOSING_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class ModelJob:
    """One thing to do with a model."""

    model_id: str
    verb: str
    """What is done, as in "pulling"."""
    begin: Callable[[], Work]


class ModelJobs:
    """A queue and the thread that works it off. All but the thread's work is in the app's."""

    def __init__(self, tell: Callable[[Callable[[], Message]], object]) -> None:
        """`tell` posts a message, made anew for each, to every screen that is open."""
        self.results: dict[str, str] = {}
        """What came of the last job of a model."""
        self._tell = tell
        self._lock = threading.Lock()
        self._jobs: list[ModelJob] = []
        self._texts: dict[str, str] = {}
        self._stopping = False
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        """Whether there is something to do."""
        return bool(self._jobs)

    def text_of(self, model_id: str) -> str:
        """Return how far a model's job is; empty without one."""
        with self._lock:
            if not any(job.model_id == model_id for job in self._jobs):
                return ""
            return self._texts.get(model_id, "waiting")

    def add(self, job: ModelJob) -> None:
        """Do this after what is being done; a model that has a job already gets no second one."""
        with self._lock:
            if any(other.model_id == job.model_id for other in self._jobs):
                return
            self._stopping = False
            self._jobs.append(job)
            first = len(self._jobs) == 1
        if first:
            self._thread = threading.Thread(target=self._run, name="models", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop what is being done and forget what was to come."""
        with self._lock:
            self._stopping = True
            del self._jobs[1:]

    def close(self) -> None:
        """Stop, and wait for the thread; a step of a job takes less than a second."""
        self.stop()
        if self._thread is not None:
            self._thread.join(CLOSING_SECONDS)

    def _run(self) -> None:
        is_over = False
        while not is_over:
            job = self._jobs[0]
            ended = self._do(job)
            with self._lock:
                self._jobs.pop(0)
                self._texts.pop(job.model_id, None)
                is_over = not self._jobs  # from now on `add` starts another thread
            self._tell(ended)

    def _do(self, job: ModelJob) -> Callable[[], Message]:
        """Do a job; return what makes the message that it is over."""
        told = 0.0
        try:
            with closing(job.begin()) as work:
                while not self._stopping:
                    try:
                        text = next(work)
                    except StopIteration as end:
                        self.results[job.model_id] = end.value
                        return partial(WorkEnded, job.model_id, f"{job.verb}: {end.value}")
                    self._texts[job.model_id] = text
                    if time.monotonic() - told >= TELL_SECONDS:
                        told = time.monotonic()
                        self._tell(partial(WorkAdvanced, job.model_id, text))
        except AskanceError as error:
            return partial(WorkEnded, job.model_id, "", error)
        return partial(WorkEnded, job.model_id, "", stopped=True)
