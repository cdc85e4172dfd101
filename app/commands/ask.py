"""`askance ask`: a question answered from the person's own files."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from pathlib import Path

import click

from app.backend.client import EngineClient, open_engine
from app.backend.engine_values import settings_of, sources_of
from app.backend.messages import Request
from app.commands.shared.follow_up import Talk, follow_up_options, talk_of
from app.commands.shared.options import (
    FilterFlags,
    budget_options,
    filter_options,
    json_option,
    passwords_of,
    reading_options,
)
from app.commands.shared.short_help import ShortHelp
from app.commands.shared.standard_input import question_from
from app.exits import ExitCode
from app.local_models.server import tell_where_text_goes
from app.output.certainty import leaves_more
from app.output.objects import answer_object, print_json
from app.output.plain import folded
from app.output.progress import Watcher, can_redraw, watch
from app.output.report import answer_text
from app.output.trail import Trail
from app.settings.config import load_config
from app.settings.zone import zone_of
from engine.events import Answered, Rewritten
from engine.settings import DEFAULT_STRATEGY
from engine.values import Answer

COMMON = (
    *("since", "until", "senders", "recipients", "kinds", "effort", "time_budget"),
    *("explain", "as_json", "continued", "strict", "strategy"),
)
"""The flags that `--help` shows."""


@click.command("ask", cls=ShortHelp, common=COMMON)
@click.argument("question")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path())
@filter_options
@click.option(
    "--infer/--no-infer",
    default=None,
    help="Turn words of the question, such as last week, into filters, and show them.",
)
@click.option(
    "--effort",
    type=click.Choice(["quick", "balanced", "thorough"]),
    help="How much the models read; more takes longer.",
)
@click.option(
    "--time-budget",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Limit for the whole question; the answer names what was left unread.",
)
@click.option("--explain", is_flag=True, help="Show how the answer came about.")
@json_option
@click.option("--no-stream", is_flag=True, help="Show the answer only once it is checked.")
@follow_up_options
@reading_options
@click.option(
    "--strategy",
    metavar="NAME",
    help=f"How the answer is found: {DEFAULT_STRATEGY} (default), fb_rag, aggregate, summary, "
    "et2rag; `askance strategies` has all.",
)
@click.option(
    "--plan",
    metavar="LINE",
    help="Compute the answer by this plan, written as --explain shows it: count mail by week",
)
@click.option("--strict", is_flag=True, help="Show only an answer that is sure.")
@click.option("--lookahead", metavar="ID", help="The fast model.")
@click.option("--generator", metavar="ID", help="The answer model.")
@click.option("--seed", type=int, help="The same seed gives the same answer.")
@click.option(
    "--max-context",
    type=click.IntRange(1),
    metavar="TOKENS",
    help="Most tokens that both models may read for a question, over all calls.",
)
@budget_options
def command(
    question: str,
    paths: tuple[str, ...],
    as_json: bool,
    no_stream: bool,
    explain: bool,
    lookahead: str | None,
    generator: str | None,
    memory: int | None,
    unlock: bool,
    continued: bool,
    follow_up_to: Path | None,
    as_typed: bool,
    temporary: bool,
    **flags: object,
) -> int:
    """Answer QUESTION from the files at PATH, or from the remembered sources.

    QUESTION may hold -word and from: to: subject: in: kind: since: until: has:attachment path:.
    They add to the flags. A single - reads QUESTION from standard input.

    Citations are checked against the files. Exit code 3: the files support no answer.

    \b
    askance ask "When does the lease of the boathouse end?" ~/Mail
    askance ask "What did Dana ask me to bring?" --from dana --since "last week"
    askance ask "How many mails did Kim write in May?" --strategy aggregate
    """
    question = question_from(question)
    config = load_config(os.environ)
    filter_flags = FilterFlags(**{name: flags.pop(name) for name in FilterFlags.__slots__})  # type: ignore[arg-type]
    if flags["plan"] is not None:
        from engine.compute.plan_text import parsed  # the grammar takes a fifth of a second

        flags["plan"] = parsed(str(flags["plan"]))
    estimate = as_json or explain or can_redraw(sys.stderr, os.environ)
    settings = settings_of(config, estimate=estimate, **flags)
    filters = filter_flags.filters(settings.today)
    sources = sources_of(config, paths)
    tell_where_text_goes(config, lookahead=lookahead, generator=generator)
    trail = Trail()
    watcher = watch(stream_draft=not (as_json or no_stream), zone=zone_of(config))
    with ExitStack() as stack:
        engine = stack.enter_context(EngineClient(open_engine(), passwords_of(unlock)))
        stack.callback(watcher.finish)
        talk = stack.enter_context(
            talk_of(config, continued=continued, follow_up_to=follow_up_to, temporary=temporary)
        )
        request = Request(
            0,
            question,
            config=config,
            conversation=None if as_typed else talk.before,
            sources=tuple(sources),
            filters=filters,
            settings=settings,
            memory=memory,
            lookahead=lookahead,
            generator=generator,
        )
        answered = _answered(engine, request, trail, watcher, talk)
        trail.loadings = engine.loadings
        watcher.finish()
        if as_json:
            print_json(_object(answered, trail, explain) | talk.shown(question))
        else:
            click.echo(folded(answer_text(answered, zone_of(config), str(config.path)), sys.stdout))
            if leaves_more(answered, settings.effort):
                click.echo("To look further: --effort thorough", err=True)
            if explain:
                click.echo(folded(trail.text(answered), sys.stdout))
        talk.answered(answered, question)  # printed first: no failure to keep it costs the answer
    return ExitCode.NOTHING_FOUND if answered.grounded == "none" else ExitCode.ANSWERED


def _answered(
    engine: EngineClient, request: Request, trail: Trail, watcher: Watcher, talk: Talk
) -> Answer:
    """Show what happens until the answer is there, and return it. Raises `EngineFailed`."""
    answered: Answer | None = None
    for event in engine.events(request, watcher.say):
        trail.note(event)
        watcher.show(event)
        if isinstance(event, Rewritten) and (said := talk.put_anew(event)):
            watcher.finish()
            click.echo(said, err=True)
        if isinstance(event, Answered):
            answered = event.answer
    if answered is None:
        raise RuntimeError("The engine ended without an answer.")
    return answered


def _object(answered: Answer, trail: Trail, explain: bool) -> dict[str, object]:
    explained = {"explain": trail.object(answered)} if explain else {}
    return answer_object(answered) | {"budget": trail.budget_object(answered)} | explained
