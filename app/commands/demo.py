"""`askance demo`: the shipped questions over the shipped files, and whether they came out."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Literal

import click

from app.commands.ask import last_answer
from app.commands.options import json_option, settings_of
from app.exits import ExitCode
from app.local_models.loading import model_set
from app.local_models.serving import tell_where_text_goes
from app.settings.config import load_config
from app.shown.output import answer_object, print_json
from app.shown.plain import folded
from app.shown.progress import watch
from app.shown.report import answer_text
from app.sources.sample_files import SAMPLE_DAY, DemoQuestion, sample_folder, sample_questions
from engine.answer import answer
from engine.settings import Settings
from engine.values import Answer
from models.roles import ModelSet

Verdict = Literal["as expected", "should have been answered", "should have abstained"]


@click.command("demo")
@json_option
@click.option("--folder", is_flag=True, help="Print where these files are, and ask nothing.")
def command(as_json: bool, folder: bool) -> int:
    """Ask three questions over sample mail, documents and calendars that ship with Askance.

    Ask some of your own: askance ask "…" "$(askance demo --folder)"

    Exit code 1: an answer was not as expected.
    """
    files = sample_folder()
    if folder:
        click.echo(files)
        return ExitCode.ANSWERED
    config = load_config(os.environ)
    tell_where_text_goes(config)
    settings = replace(settings_of(config), now=SAMPLE_DAY)
    outcomes: list[tuple[DemoQuestion, Answer, Verdict]] = []
    questions = sample_questions()
    with closing(model_set(config)) as models:
        for number, question in enumerate(questions, start=1):
            if not as_json:
                click.echo(f"Question {number}: {question.text}\n({question.why})\n")
            answered = _ask(question, files, models, settings, as_json)
            outcomes.append((question, answered, verdict(question, answered)))
            if not as_json:
                click.echo(folded(answer_text(answered, settings.zone), sys.stdout))
                click.echo(f"Expected: {question.expects}; {outcomes[-1][2]}.\n")
    if as_json:
        print_json({"answers": [_object(*outcome) for outcome in outcomes]})
    right = sum(outcome[2] == "as expected" for outcome in outcomes)
    click.echo(f"{right} of {len(outcomes)} as expected.", err=as_json)
    if not as_json:
        click.echo(f'Ask something yourself: askance ask "…" {shlex.quote(str(files))}')
    return ExitCode.ANSWERED if right == len(outcomes) else ExitCode.FAILED


def verdict(question: DemoQuestion, answered: Answer) -> Verdict:
    """Compare an answer with what the sample expects."""
    if question.expects == "abstain":
        return "as expected" if answered.grounded == "none" else "should have abstained"
    holds = question.contains.casefold() in answered.text.casefold()
    right = answered.grounded != "none" and holds
    return "as expected" if right else "should have been answered"


def _ask(
    question: DemoQuestion, folder: Path, models: ModelSet, settings: Settings, as_json: bool
) -> Answer:
    watcher = watch(stream_draft=not as_json)
    try:
        events = answer(question.text, [folder], models, settings)
        return last_answer(events, [watcher.show])
    finally:
        watcher.finish()


def _object(question: DemoQuestion, answered: Answer, said: Verdict) -> dict[str, object]:
    return {"expects": question.expects, "verdict": said, **answer_object(answered)}
