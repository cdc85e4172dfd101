"""Says which lines of a run file are no answers."""

from __future__ import annotations

import click

from engine.evaluation.runs import Run

SHOWN = 10


def tell_damaged(run: Run) -> None:
    """Name the lines on stderr; the others are used."""
    if run.damaged:
        lines = ", ".join(map(str, run.damaged[:SHOWN])) + (" …" if run.damaged[SHOWN:] else "")
        click.echo(f"{run.path}: damaged lines left out: {lines}", err=True)
