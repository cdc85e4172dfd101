"""Questions asked by several processes of one machine, each with models of its own.

The rows are the same as in one process, in the order in which they are done. Only the first process
writes them, so a run resumes from its file as usual. `cluster` does the same on a Ray cluster.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Protocol

from engine.evaluation.child_process import ChildProcess, Died, StageReached
from engine.evaluation.choice import Choice
from engine.evaluation.runner import Evaluation, Scored
from engine.evaluation.runs import Row, RunSummary
from engine.settings import Settings
from engine.toolbox.samples import Shared
from models.errors import AskanceError
from models.roles import ModelSet

OpenModels = Callable[[], ModelSet]
"""Opens the models of a worker; it is pickled."""


@dataclass(frozen=True)
class Orders:
    """The orders that every worker gets once."""

    file: Path
    over: tuple[Path, ...]
    settings: tuple[Settings, ...]
    choice: Choice
    out: Path | None = None
    """The run file: it holds answers, and is no evidence."""


@dataclass(frozen=True, slots=True)
class PendingQuestion:
    """A question, and the settings that lack a row of it."""

    question: int
    """0-based number among the chosen ones."""
    arms: tuple[int, ...]


class EvaluationWorker:
    """A worker with models of its own, and with the same questions as the process that started
    it."""

    def __init__(self, orders: Orders, open_models: OpenModels) -> None:
        """Read the questions; models and corpora are opened when a piece asks for them."""
        self._run = Evaluation(
            orders.file, orders.over, open_models(), orders.settings, orders.choice, orders.out
        )

    def each(self, piece: PendingQuestion) -> Iterator[Row | StageReached]:
        """Ask one question in each of a piece's settings, samples drawn once for all.

        Yields the stages reached, and then a row, for each setting in order.
        """
        shared: Shared = {}
        question = self._run.questions[piece.question]
        for arm in piece.arms:
            yield from self._run.steps(question, self._run.arms[arm], shared)

    def rows(self, piece: PendingQuestion) -> list[Row]:
        """Return the rows of a piece."""
        return [step for step in self.each(piece) if not isinstance(step, StageReached)]


class Workers(Protocol):
    """Does pieces of an evaluation."""

    def results(
        self, pieces: Sequence[PendingQuestion]
    ) -> Iterator[tuple[PendingQuestion, list[Row | Died]]]:
        """Yield pieces, or parts of them, with a result for each setting.

        `Died` replaces the row of a question at which the worker died. Closing the iterator stops
        the rest.
        """


def evaluate_by(
    workers: Workers, orders: Orders, models: ModelSet, out: Path | None
) -> Iterator[Scored | RunSummary]:
    """Yield what `evaluate` yields, in the order in which workers finish.

    `models` serve for their ids alone; none is loaded in this process. Raises as `evaluate`.
    """
    run = Evaluation(orders.file, orders.over, models, orders.settings, orders.choice, out)
    for question in run.questions:
        run.refuse_changed(question)
        for arm in run.arms:
            if question.id in arm.rows:
                yield run.scored(question, arm)
    pieces = []
    for together in run.passes:
        for number, question in enumerate(run.questions):
            lacking = tuple(i for i in together if question.id not in run.arms[i].rows)
            if lacking:
                pieces.append(PendingQuestion(number, lacking))
    for piece, rows in workers.results(pieces):
        question = run.questions[piece.question]
        for i, row in zip(piece.arms, rows, strict=True):
            if isinstance(row, Died):
                row = run.failed(question, run.arms[i], row.said)
            run.keep(question, run.arms[i], row)
            yield run.scored(question, run.arms[i])
    yield from run.summaries()


class Processes:
    """Workers of this machine; each has its share of the cores."""

    def __init__(self, count: int, orders: Orders, open_models: OpenModels) -> None:
        """Start nothing before there are pieces."""
        self._count = count
        self._orders = orders
        self._open_models = open_models

    def results(
        self, pieces: Sequence[PendingQuestion]
    ) -> Iterator[tuple[PendingQuestion, list[Row | Died]]]:
        """Yield each setting of a piece by itself, as it is done.

        A question at which a worker dies is `Died`; a new worker goes on with the next question.
        """
        waiting: SimpleQueue[PendingQuestion] = SimpleQueue()
        for piece in pieces:
            waiting.put(piece)
        done: SimpleQueue[_Done] = SimpleQueue()
        count = min(self._count, len(pieces))
        workers: list[ChildProcess[PendingQuestion, Row]] = [
            ChildProcess(partial(_begin, number, count, self._orders, self._open_models))
            for number in range(count)
        ]
        threads = [
            threading.Thread(target=_work, args=(worker, waiting, done), daemon=True)
            for worker in workers
        ]
        try:
            for thread in threads:
                thread.start()
            for _ in range(sum(len(piece.arms) for piece in pieces)):
                found = done.get()
                if isinstance(found, BaseException):
                    raise found
                piece, row = found
                yield piece, [row]
        finally:
            for worker in workers:
                worker.close()
            for thread in threads:
                thread.join()
            for worker in workers:
                worker.join()


_Done = tuple[PendingQuestion, Row | Died] | AskanceError | OSError
"""The row of a question in one setting, or the error that ends the run."""


def _work(
    worker: ChildProcess[PendingQuestion, Row],
    waiting: SimpleQueue[PendingQuestion],
    done: SimpleQueue[_Done],
) -> None:
    """Have one worker do pieces until none is left."""
    while not worker.closed:
        try:
            piece = waiting.get_nowait()
        except Empty:
            return
        left = list(piece.arms)
        while left and not worker.closed:
            try:
                for row in worker.results(PendingQuestion(piece.question, tuple(left))):
                    done.put((PendingQuestion(piece.question, (left.pop(0),)), row))
            except Died as death:
                if left and not worker.closed:  # else it died behind its last row, or was ended
                    done.put((PendingQuestion(piece.question, (left.pop(0),)), death))
            except (AskanceError, OSError) as error:
                done.put(error)
                return


def _begin(
    number: int, count: int, orders: Orders, open_models: OpenModels
) -> Callable[[PendingQuestion], Iterator[Row | StageReached]]:
    """Return the function of a worker, in its process."""
    keep_to(share_of_cores(_cores(), number, count))
    return EvaluationWorker(orders, open_models).each


def share_of_cores(cores: Iterable[int], number: int, count: int) -> set[int]:
    """Return the cores of worker `number` of `count`: its own where there are enough, else
    shared."""
    known = sorted(cores)
    return set(known[number % len(known) :: count]) if known else set()


def keep_to(cores: set[int]) -> None:
    """Run on these cores alone, where the system lets a process choose."""
    if cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)


def _cores() -> set[int]:
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
