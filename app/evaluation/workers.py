"""Who asks the questions of an evaluation: processes of this machine, or a Ray cluster.

Models run in these processes alone: native code that dies costs one question.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from app.local_models.loader import model_set
from app.privacy.hardening import forbid_core_dumps
from app.settings.config import Config
from engine.evaluation.child_process import ChildProcess, Died
from engine.evaluation.choice import Choice
from engine.evaluation.parallel import Orders, Processes, Workers, evaluate_by
from engine.evaluation.runner import Scored, solve
from engine.evaluation.runs import Row, RunSummary
from engine.settings import Settings
from models.errors import RuntimeFailed
from models.llama.wait_policy import set_thread_environment
from models.roles import ModelSet
from models.system.offline import set_offline_environment

Command = TypeVar("Command", bound=Callable[..., Any])


def worker_options(command: Command) -> Command:
    """Add `--workers` and `--ray`; the command takes them as `workers` and `ray`."""
    command = click.option(
        "--ray",
        metavar="ADDRESS",
        help='Ask on a Ray cluster: HOST:PORT, or "local" for this machine only.',
    )(command)
    return click.option(
        "--workers",
        type=click.IntRange(1),
        default=1,
        metavar="N",
        help="Processes or cluster workers; each loads its own models.",
    )(command)


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Which models answer; goes to the processes in which they do."""

    config: Config
    lookahead: str | None = None
    """Ids; None: by the settings."""
    generator: str | None = None
    max_context: int | None = None
    """Tokens."""

    def open(self) -> ModelSet:
        """Check and return the models. Raises as `model_set` does."""
        return model_set(
            self.config,
            lookahead=self.lookahead,
            generator=self.generator,
            max_context=self.max_context,
        )

    def open_in_worker(self) -> ModelSet:
        """Do the same in a process that was started for them, once it is hardened."""
        set_offline_environment(os.environ)
        set_thread_environment(os.environ)
        forbid_core_dumps()
        return self.open()


def steps_of(
    file: Path,
    over: Sequence[Path],
    arms: Sequence[Settings],
    choice: Choice,
    out: Path | None,
    chosen: ModelChoice,
    *,
    workers: int = 1,
    ray: str | None = None,
) -> Iterator[Scored | RunSummary]:
    """Yield what `evaluate` yields, whoever asks. The models are checked before that.

    A question at which a process dies has a row that says so, and the next one is asked.
    """
    orders = Orders(file.absolute(), tuple(over), tuple(arms), choice, out)
    with closing(chosen.open()) as models:
        asked_by = _workers(ray, workers, orders, chosen.open_in_worker)
        yield from evaluate_by(asked_by, orders, models, out)


def _workers(
    ray: str | None, count: int, orders: Orders, open_models: Callable[[], ModelSet]
) -> Workers:
    if ray is None:
        return Processes(count, orders, open_models)
    from engine.evaluation.cluster import RayWorkers, beyond_this_machine  # the extra `cluster`

    host = beyond_this_machine(ray)
    cluster = RayWorkers(ray, count, orders, open_models)
    if places := ", ".join(dict.fromkeys([*([host] if host else []), *cluster.elsewhere])):
        click.echo(f"Questions and answers LEAVE THIS MACHINE: they go to {places}.", err=True)
    return cluster


def solving(
    file: Path,
    over: Sequence[Path],
    settings: Settings,
    choice: Choice,
    out: Path,
    chosen: ModelChoice,
) -> Iterator[tuple[int, Row | None]]:
    """Yield what `solve` yields, done in a process of its own.

    Raises as `solve` does, and `RuntimeFailed` where the process dies.
    """
    chosen.open().close()
    order = (file.absolute(), tuple(over), settings, choice, out)
    worker: ChildProcess[None, tuple[int, Row | None]] = ChildProcess(
        partial(_solver, chosen, order)
    )
    try:
        yield from worker.results(None)
    except Died as death:
        raise RuntimeFailed(
            death.said, remedy=f"What was solved is in {out}: run it again to go on."
        ) from death
    finally:
        worker.close()
        worker.join()


def _solver(
    chosen: ModelChoice, order: tuple[Path, tuple[Path, ...], Settings, Choice, Path]
) -> Callable[[None], Iterator[tuple[int, Row | None]]]:
    file, over, settings, choice, out = order
    models = chosen.open_in_worker()
    return lambda _: solve(file, over, models, settings, choice, out)
