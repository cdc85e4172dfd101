"""`askance strategies`: what each is for, what it costs, and what was measured of it."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

import click

from app.commands.shared.options import json_option
from app.exits import ExitCode
from app.output.objects import print_json
from app.output.plain import folded

TABLE = Path(__file__).with_suffix(".toml")


@click.command("strategies")
@click.argument("name", required=False)
@json_option
def command(name: str | None, as_json: bool) -> int:
    """List the ways to find an answer, or say all about the one of this NAME.

    \b
    askance strategies
    askance strategies fb_rag
    askance ask --strategy fb_rag "When does the lease end?" ~/Documents
    """
    from engine.strategies import registry  # imports numpy

    known = tomllib.loads(TABLE.read_text("utf-8"))
    wanted = [registry.get(one) for one in ([name] if name else registry.names())]
    rows = [_row(one.name, one.summary, known.get(one.name, {})) for one in wanted]
    if as_json:
        print_json({"strategies": rows})
        return ExitCode.ANSWERED
    for row in rows:
        lines = [row["name"], f"  {row['summary']}"]
        lines += [f"  {label}: {row[key]}" for label, key in SHOWN if row[key]]
        lines += [f"  measured: {one}" for one in row["measured"][: None if name else 0]]
        click.echo(folded("\n".join(lines), sys.stdout))
    if not name:
        click.echo("All that was measured of one: askance strategies NAME", err=True)
    return ExitCode.ANSWERED


SHOWN = (("for", "when"), ("cost", "cost"), ("from", "source"), ("F1, tokens, s", "figures"))


def _row(name: str, summary: str, known: dict[str, Any]) -> dict[str, Any]:
    """Return what is known of a strategy; one of an installed package has no entry."""
    figures = [known[key] for key in ("f1", "read", "seconds") if key in known]
    return {
        "name": name,
        "summary": summary,
        "when": known.get("when"),
        "cost": known.get("cost"),
        "source": known.get("source"),
        "figures": "; ".join(figures) or None,
        "measured": known.get("measured", []),
    }
