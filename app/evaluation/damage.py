"""Says which lines of a run file are no answers, and which questions failed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from app.exits import ExitCode
from engine.evaluation.runs import Run

SHOWN = 10


def tell_damaged(run: Run) -> None:
    """Name the lines on stderr; the others are used."""
    if run.damaged:
        lines = ", ".join(map(str, run.damaged[:SHOWN])) + (" …" if run.damaged[SHOWN:] else "")
        click.echo(f"{run.path}: damaged lines left out: {lines}", err=True)


def tell_failed(failed: Sequence[str], out: Path | None) -> ExitCode:
    """Name on stderr the questions at which the process died, and return the exit code."""
    if not failed:
        return ExitCode.ANSWERED
    for said in failed[:SHOWN]:
        click.echo(said, err=True)
    more = f" ({len(failed) - SHOWN} more)" if failed[SHOWN:] else ""
    kept = f"; the answers are in {out}, run it again to ask these anew" if out else ""
    click.echo(f"Questions that failed: {len(failed)}{more}{kept}. See askance doctor.", err=True)
    return ExitCode.FAILED
