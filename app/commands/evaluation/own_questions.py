"""`askance eval --mine`: a person's own questions over their own files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click

from app.backend.engine_values import settings_of, sources_of
from app.commands.shared.options import json_option
from app.evaluation.damage import tell_failed
from app.evaluation.workers import ModelChoice, steps_of
from app.local_models.server import tell_where_text_goes
from app.output.objects import SCHEMA_VERSION
from app.output.plain import one_line
from app.output.progress import StatusLine
from app.settings.config import load_config
from engine.evaluation.choice import Choice
from engine.evaluation.questions import Question, load_questions
from engine.evaluation.runner import Scored
from engine.evaluation.runs import Row, RunSummary, refuse_no_run
from engine.strategies.registry import get

RIGHT = 0.999
"""A score from which an answer counts as right."""


@click.command("mine")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("paths", nargs=-1, type=click.Path(), metavar="[PATH]...")
@click.option(
    "--strategy",
    "strategies",
    multiple=True,
    metavar="NAME",
    help="Strategy to ask with; may repeat.",
)
@click.option("--effort", type=click.Choice(["quick", "balanced", "thorough"]))
@click.option("--seed", type=int, help="The same seed gives the same samples.")
@click.option("--lookahead", metavar="ID", help="The fast model.")
@click.option("--generator", metavar="ID", help="The answer model.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write one JSON line a question here; without it nothing is kept.",
)
@json_option
def command(
    file: Path,
    paths: tuple[str, ...],
    as_json: bool,
    strategies: tuple[str, ...],
    effort: str | None,
    seed: int | None,
    lookahead: str | None,
    generator: str | None,
    out: Path | None,
) -> int:
    """Ask the questions of FILE (YAML) over PATH, or over the remembered sources.

    Each entry has a question, the answer you expect, and its source: part of a file's name or
    a subject. Leave the answer out if the files do not hold it:

    \b
    - question: When does the lease end?
      answer: 30 June 2027
      source: lease.pdf
    """
    refuse_no_run(out)
    config = load_config(os.environ)
    settings = settings_of(config, effort=effort, seed=seed)
    arms = [replace(settings, strategy=name) for name in strategies or (settings.strategy,)]
    for arm in arms:
        get(arm.strategy)
    asked = {question.id: question for question in load_questions(file)}
    over = sources_of(config, paths)
    tell_where_text_goes(config, lookahead=lookahead, generator=generator)
    chosen = ModelChoice(config, lookahead, generator, settings.max_context)
    failed: list[str] = []
    with StatusLine() as line:
        for step in steps_of(file, over, arms, Choice(), out, chosen):
            line.clear()
            if as_json:
                click.echo(json.dumps(_object(step)))
            elif isinstance(step, Scored):
                for text in _lines(asked[step.id], step.row):
                    click.echo(text)
                line.show(f"{step.done} of {step.of} answers, {step.left_text}")
            else:
                click.echo(_summary(step))
            if isinstance(step, Scored) and "failed" in step.row:
                failed.append(f"{step.id}: {step.row['failed']}")
    return tell_failed(failed, out)


def _object(step: Scored | RunSummary) -> dict[str, object]:
    if isinstance(step, Scored):
        return {"schema_version": SCHEMA_VERSION, **step.row, "right": is_right(step.row)}
    shown = {"strategy": step.strategy, "questions": step.questions}
    shown |= {"means": step.scores, "over": step.counts}
    return {"schema_version": SCHEMA_VERSION, "summary": shown}


def is_right(row: Row) -> bool:
    """Say whether an answer is as expected: by words, every one of a list, or an abstention."""
    scores = row["scores"]
    if "rightly_abstained" in scores:
        return bool(scores["rightly_abstained"])
    words = scores.get("holds", scores.get("substring", 0.0))  # rows of older versions lack it
    return bool(scores.get("list_recall", words) >= RIGHT)


def _lines(question: Question, row: Row) -> Iterator[str]:
    """Yield what a person reads of one answer: right or wrong, and what was expected."""
    yield f"{'right' if is_right(row) else 'WRONG'}  {one_line(question.text)}"
    if not is_right(row):
        expected = "; ".join(question.answers) or "nothing: the files are not expected to say"
        yield f"       expected: {one_line(expected)}"
        said = row.get("answer") or row.get("refused") or row.get("failed", "")
        yield f"       said:     {one_line(said)}"
    if row["scores"].get("citation_recall") == 0:
        sources = ", ".join(one.source for one in question.support)
        yield f"       does not cite {one_line(sources)}"


def _summary(summary: RunSummary) -> str:
    shown = {
        "right words": "holds",
        "of lists": "list_recall",
        "expected sources cited": "citation_recall",
        "rightly abstained": "rightly_abstained",
        "wrongly abstained": "wrongly_abstained",
    }
    parts = [
        f"{name} {summary.scores[score]:.0%} of {summary.counts[score]}"
        for name, score in shown.items()
        if score in summary.scores
    ]
    return f"{summary.strategy}, {summary.questions} questions: {', '.join(parts)}"
