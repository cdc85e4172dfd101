"""Questions asked by several processes of one machine, each with models of its own.

The rows are those of a run in one process, in the order in which they are done; only the process
that was started writes them, so a run goes on from its file as it always does. `cluster` does the
same on a Ray cluster.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engine.evaluation.choice import Choice
from engine.evaluation.runner import Evaluation, Scored
from engine.evaluation.runs import Row, Summary
from engine.settings import Settings
from engine.steps import Shared
from models.errors import AskanceError
from models.roles import ModelSet


class WorkerKilled(AskanceError):
    """A worker process is gone."""

    kind = "worker_killed"


def worker_killed() -> WorkerKilled:
    """Return the error of a worker that is gone."""
    return WorkerKilled(
        "A worker was ended from outside, as happens where memory runs out.",
        remedy="The rows of --out are kept: ask again, with fewer --workers.",
    )


OpenModels = Callable[[], ModelSet]
"""Opens the models of a worker; goes through pickle."""


@dataclass(frozen=True)
class Orders:
    """What every worker is told once."""

    file: Path
    over: tuple[Path, ...]
    settings: tuple[Settings, ...]
    choice: Choice
    out: Path | None = None
    """The run file: it holds answers, and is no evidence."""


@dataclass(frozen=True, slots=True)
class Task:
    """A question, and the settings that lack a row of it."""

    question: int
    """0-based number among the chosen ones."""
    arms: tuple[int, ...]


class Engine:
    """A worker: models of its own, and the questions as the one who started it sees them."""

    def __init__(self, orders: Orders, open_models: OpenModels) -> None:
        """Read the questions; models and corpora are opened when a task asks for them."""
        self._run = Evaluation(
            orders.file, orders.over, open_models(), orders.settings, orders.choice, orders.out
        )

    def rows(self, task: Task) -> list[Row]:
        """Ask one question in each of a task's settings, samples drawn once for all."""
        shared: Shared = {}
        question = self._run.questions[task.question]
        return [self._run.row(question, self._run.arms[arm], shared) for arm in task.arms]


class Workers(Protocol):
    """Where tasks are done."""

    def results(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, list[Row]]]:
        """Yield every task with its rows as it is done; closing the iterator stops the rest."""


def evaluate_by(
    workers: Workers, orders: Orders, models: ModelSet, out: Path | None
) -> Iterator[Scored | Summary]:
    """Yield what `evaluate` yields, answers in the order in which workers are done with them.

    `models` are those of the workers, for their ids: none is loaded here. Raises as `evaluate`.
    """
    run = Evaluation(orders.file, orders.over, models, orders.settings, orders.choice, out)
    for question in run.questions:
        run.refuse_changed(question)
        for arm in run.arms:
            if question.id in arm.rows:
                yield run.scored(question, arm)
    tasks = []
    for together in run.passes:
        for number, question in enumerate(run.questions):
            lacking = tuple(i for i in together if question.id not in run.arms[i].rows)
            if lacking:
                tasks.append(Task(number, lacking))
    for task, rows in workers.results(tasks):
        question = run.questions[task.question]
        for i, row in zip(task.arms, rows, strict=True):
            run.keep(question, run.arms[i], row)
            yield run.scored(question, run.arms[i])
    yield from run.summaries()


class Processes:
    """Workers of this machine; each has its share of the cores."""

    def __init__(self, count: int, orders: Orders, open_models: OpenModels) -> None:
        """Start none before there are tasks."""
        self._count = count
        self._orders = orders
        self._open_models = open_models

    def results(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, list[Row]]]:
        """Yield every task with its rows as it is done."""
        count = min(self._count, len(tasks))
        if not count:
            return
        # A fork would share loaded libraries and threads; a fork server, a socket in a folder.
        context = multiprocessing.get_context("spawn")
        number = context.Value("i", 0)
        pool = ProcessPoolExecutor(
            count, context, _begin, (number, count, self._orders, self._open_models)
        )
        try:
            waiting = {pool.submit(_rows, task): task for task in tasks}
            yield from _as_done(waiting)
        finally:
            pool.shutdown(cancel_futures=True)


def _as_done(
    waiting: dict[Future[list[Row]], Task],
) -> Iterator[tuple[Task, list[Row]]]:
    left = set(waiting)
    while left:
        done, left = wait(left, return_when=FIRST_COMPLETED)
        for future in done:
            try:
                rows = future.result()
            except BrokenProcessPool as error:
                raise worker_killed() from error
            yield waiting[future], rows


_engine: Engine | None = None
"""Of a worker process."""


def _begin(number: object, count: int, orders: Orders, open_models: OpenModels) -> None:
    global _engine
    with number.get_lock():  # type: ignore[attr-defined]
        mine = number.value  # type: ignore[attr-defined]
        number.value += 1  # type: ignore[attr-defined]
    keep_to(share_of_cores(_cores(), mine, count))
    _engine = Engine(orders, open_models)


def _rows(task: Task) -> list[Row]:
    assert _engine is not None  # noqa: S101 -- `_begin` ran
    return _engine.rows(task)


def share_of_cores(cores: Iterable[int], number: int, count: int) -> set[int]:
    """Return the cores of worker `number` of `count`: apart where there are enough, else shared."""
    known = sorted(cores)
    return set(known[number % len(known) :: count]) if known else set()


def keep_to(cores: set[int]) -> None:
    """Run on these cores alone, where the system lets a process choose."""
    if cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)


def _cores() -> set[int]:
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
