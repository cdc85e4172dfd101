"""`askance eval --workers` and `--ray`: who asks the questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from app.local_models.loading import model_set
from app.settings.config import Config
from engine.evaluation.choice import Choice
from engine.evaluation.parallel import Orders, Processes, Workers, evaluate_by
from engine.evaluation.runner import Scored, evaluate
from engine.evaluation.runs import Summary
from engine.settings import Settings
from models.roles import ModelSet

Command = TypeVar("Command", bound=Callable[..., Any])


def worker_options(command: Command) -> Command:
    """Add `--workers` and `--ray`; the command takes them as `workers` and `ray`."""
    command = click.option(
        "--ray",
        metavar="ADDRESS",
        help='Ask on a Ray cluster: HOST:PORT, or "local" for one of this machine alone.',
    )(command)
    return click.option(
        "--workers",
        type=click.IntRange(1),
        default=1,
        metavar="N",
        help="Processes, or workers of the cluster, each with models of its own.",
    )(command)


def steps_of(
    file: Path,
    over: Sequence[Path],
    models: ModelSet,
    arms: Sequence[Settings],
    choice: Choice,
    out: Path | None,
    *,
    workers: int,
    ray: str | None,
    config: Config,
    lookahead: str | None,
    generator: str | None,
) -> Iterator[Scored | Summary]:
    """Yield what `evaluate` yields, whoever asks."""
    if workers == 1 and ray is None:
        return evaluate(file, over, models, arms, choice, out)
    orders = Orders(file.absolute(), tuple(over), tuple(arms), choice, out)
    open_models = partial(
        model_set,
        config,
        lookahead=lookahead,
        generator=generator,
        max_context=arms[0].max_context,
    )
    return evaluate_by(_workers(ray, workers, orders, open_models), orders, models, out)


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
