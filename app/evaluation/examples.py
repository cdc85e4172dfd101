"""`askance eval --make-examples`: solved questions, kept as worked examples."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from app.errors import UsageError
from app.evaluation.workers import ModelChoice, solving
from app.exits import ExitCode
from app.output.objects import SCHEMA_VERSION
from app.output.progress import StatusLine
from engine.evaluation.choice import Choice
from engine.evaluation.worked_examples import refuse_no_examples
from engine.settings import Settings
from engine.strategies.drag import IterDRAG
from engine.strategies.registry import get

SOLVER = "iterdrag:m=4"
"""It shows the examples that ship: without any, small models ask no follow-up question."""


def solver_of(out: Path, named: Sequence[str], others: Mapping[str, bool]) -> str:
    """Return the strategy that solves questions; `others` are options and whether they are given.

    Raises `UsageError` for what would be left undone, and as `refuse_no_examples`.
    """
    refuse_no_examples(out)
    for option, given in others.items():
        if given:
            raise UsageError(
                f"--make-examples does not go with {option}.", remedy=f"Leave {option} out."
            )
    solvers = [get(one) for one in named] or [get(SOLVER)]
    if len(solvers) > 1 or not isinstance(solvers[0], IterDRAG):
        raise UsageError(
            "Worked examples are made with iterdrag.",
            remedy="Leave --strategy out, or give one iterdrag:… alone.",
        )
    return named[0] if named else SOLVER


def make_examples(
    file: Path,
    over: list[Path],
    settings: Settings,
    choice: Choice,
    out: Path,
    chosen: ModelChoice,
    as_json: bool,
) -> int:
    """Write the solved questions as they are solved; a run that was stopped goes on."""
    kept = 0
    steps = solving(file, over, settings, choice, out, chosen)
    with StatusLine() as line:
        for done, (of, row) in enumerate(steps, start=1):
            kept += row is not None
            line.show(f"{done} of {of} questions asked, {kept} kept")
    if as_json:
        click.echo(json.dumps({"schema_version": SCHEMA_VERSION, "worked_examples": kept}))
    else:
        click.echo(f"{kept} worked examples in {out}")
    return ExitCode.ANSWERED if kept else ExitCode.NOTHING_FOUND
