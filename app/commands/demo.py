"""`askance demo`: the shipped questions over the shipped files, and whether they came out."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import replace
from typing import Literal

import click

from app.backend.client import EngineClient, open_engine
from app.backend.engine_values import settings_of
from app.backend.messages import Request
from app.commands.shared.options import json_option
from app.exits import ExitCode
from app.local_models.server import tell_where_text_goes
from app.output.objects import answer_object, print_json
from app.output.plain import folded
from app.output.progress import watch
from app.output.report import answer_text
from app.settings.config import load_config
from app.sources.sample_files import SAMPLE_DAY, DemoQuestion, sample_folder, sample_questions
from engine.events import Answered
from engine.values import Answer

Verdict = Literal["as expected", "should have been answered", "should have abstained"]


@click.command("demo")
@json_option
@click.option(
    "--folder", is_flag=True, help="Print the folder of the sample files, and ask nothing."
)
def command(as_json: bool, folder: bool) -> int:
    """Ask three questions over sample mail, documents and calendars that ship with Askance.

    To ask your own: askance ask "…" "$(askance demo --folder)"

    Exit code 1: an answer was not as expected.
    """
    files = sample_folder()
    if folder:
        click.echo(files)
        return ExitCode.ANSWERED
    config = load_config(os.environ)
    tell_where_text_goes(config)
    settings = replace(settings_of(config), now=SAMPLE_DAY)
    asked = Request(0, "", config=config, sources=(files,), settings=settings)
    outcomes: list[tuple[DemoQuestion, Answer, Verdict]] = []
    with EngineClient(open_engine()) as engine:
        for number, question in enumerate(sample_questions(), start=1):
            heading = f"Question {number}: {question.text}\n({question.why})\n"
            request = replace(asked, question=question.text)
            answered = _ask(engine, request, "" if as_json else heading)
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


def _ask(engine: EngineClient, request: Request, heading: str) -> Answer:
    """Return the answer; with a heading, which comes once it can be asked, the draft is shown."""
    zone = request.settings.zone if request.settings else None
    watcher = watch(stream_draft=bool(heading), zone=zone)
    answered: Answer | None = None
    try:
        for event in engine.events(request, watcher.say):
            if heading:
                click.echo(heading)
                heading = ""
            watcher.show(event)
            if isinstance(event, Answered):
                answered = event.answer
    finally:
        watcher.finish()
    if answered is None:
        raise RuntimeError("The engine ended without an answer.")
    return answered


def _object(question: DemoQuestion, answered: Answer, said: Verdict) -> dict[str, object]:
    return {"expects": question.expects, "verdict": said, **answer_object(answered)}
