"""`askance eval`: questions with known answers, asked and scored."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import click

from app.backend.engine_values import settings_of
from app.commands.shared.options import budget_options, json_option
from app.evaluation import examples as making
from app.evaluation.damage import tell_damaged, tell_failed
from app.evaluation.workers import ModelChoice, steps_of, worker_options
from app.local_models.server import tell_where_text_goes
from app.output.objects import SCHEMA_VERSION
from app.output.progress import StatusLine
from app.settings.config import load_config
from engine.evaluation.choice import Choice
from engine.evaluation.runner import Scored
from engine.evaluation.runs import RunSummary, read_run, refuse_no_run
from engine.evaluation.sweep import expanded
from engine.prompts.tasks import TASKS
from engine.settings import Budget
from engine.strategies.registry import get, names


@click.command("eval")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@click.option(
    "--strategy",
    "strategies",
    multiple=True,
    metavar="NAME",
    help=f"One of {', '.join(names())}; may repeat, and list values: drag:k={{1,5}}.",
)
@budget_options
@click.option("--effort", type=click.Choice(["quick", "balanced", "thorough"]))
@click.option(
    "--max-context",
    type=click.IntRange(1),
    metavar="TOKENS",
    help="Most tokens that both models may read for a question, over all calls.",
)
@click.option("--seed", type=int, help="The same seed gives the same samples.")
@click.option(
    "--least-confidence",
    type=click.FloatRange(0, 1),
    help="Abstain below this confidence; 0 records the outcome of every threshold.",
)
@click.option("--lookahead", metavar="ID", help="The fast model.")
@click.option("--generator", metavar="ID", help="The answer model.")
@click.option("--limit", type=click.IntRange(1), help="Ask at most this many questions.")
@click.option("--skip", type=click.IntRange(0), default=0, help="Skip this many questions first.")
@click.option("--mode", metavar="WORD", help="Ask only questions with this answers_mode.")
@click.option(
    "--unanswerable/--answerable",
    default=None,
    help="Ask only questions without, or only with, an answer; default all.",
)
@click.option("--original", is_flag=True, help="Ask question_original, over its scope only.")
@click.option("--candidates", is_flag=True, help="Ask each question over its own candidates only.")
@click.option(
    "--task",
    type=click.Choice(list(TASKS)),
    help="Prompts to use; default: those of the data set.",
)
@click.option(
    "--examples",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Solved questions from the end of FILE to show, never one that is asked. "
    "With --make-examples: how many to make.",
)
@click.option(
    "--worked",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="Worked examples from --make-examples to show, never one of a question that is asked.",
)
@click.option(
    "--make-examples",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Ask with iterdrag, and save the questions answered rightly as worked examples. "
    "Use --skip and --limit to pick questions that no result reports.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write one JSON line a question here; a second run continues the file.",
)
@worker_options
@json_option
def command(
    file: Path,
    paths: tuple[Path, ...],
    as_json: bool,
    lookahead: str | None,
    generator: str | None,
    limit: int | None,
    skip: int,
    mode: str | None,
    unanswerable: bool | None,
    original: bool,
    candidates: bool,
    task: str | None,
    examples: int,
    worked: Path | None,
    make_examples: Path | None,
    out: Path | None,
    workers: int,
    ray: str | None,
    strategies: tuple[str, ...],
    budget: Budget | None,
    effort: str | None,
    max_context: int | None,
    seed: int | None,
    least_confidence: float | None,
) -> int:
    """Ask the questions of FILE (JSONL) over PATH, or over the corpus that each question names.

    The file of --out holds answers: keep it outside any published project.
    """
    refuse_no_run(out)
    named = [name for one in strategies for name in expanded(one)]
    if make_examples is not None:
        beside = {"--out": out, "--worked": worked, "--ray": ray, "--workers": workers > 1}
        given = {option: bool(value) for option, value in beside.items()}
        named = [making.solver_of(make_examples, named, given)]
    config = load_config(os.environ)
    settings = settings_of(
        config,
        budget=budget,
        effort=effort,
        max_context=max_context,
        seed=seed,
        least_confidence=least_confidence,
    )
    arms = [replace(settings, strategy=name) for name in named or expanded(settings.strategy)]
    for arm in arms:
        get(arm.strategy)
    choice = Choice(limit, skip, mode, unanswerable, original, candidates, task, examples, worked)
    tell_where_text_goes(config, lookahead=lookahead, generator=generator)
    chosen = ModelChoice(config, lookahead, generator, settings.max_context)
    over = [path.absolute() for path in paths]
    if out is not None and out.exists():
        tell_damaged(read_run(out))
    if make_examples is not None:
        return making.make_examples(file, over, arms[0], choice, make_examples, chosen, as_json)
    failed: list[str] = []
    with StatusLine() as line:
        steps = steps_of(file, over, arms, choice, out, chosen, workers=workers, ray=ray)
        for step in steps:
            if isinstance(step, Scored):
                if as_json:
                    click.echo(json.dumps({"schema_version": SCHEMA_VERSION, **step.row}))
                failed += [f"{step.id}: {step.row['failed']}"] if "failed" in step.row else []
                line.show(f"{step.done} of {step.of} answers, {step.left_text}")
            else:
                line.clear()
                _report(step, as_json)
    return tell_failed(failed, out)


def _report(summary: RunSummary, as_json: bool) -> None:
    if as_json:
        shown = {
            "strategy": summary.strategy,
            "questions": summary.questions,
            "means": summary.scores,
            "over": summary.counts,
        }
        click.echo(json.dumps({"schema_version": SCHEMA_VERSION, "summary": shown}))
        return
    click.echo(f"{summary.strategy}: {summary.questions} questions")
    for name, value in summary.scores.items():
        click.echo(f"{name:24} {value:8.3f}  over {summary.counts[name]}")
