"""`askance search`: ranked passages, no model."""

from __future__ import annotations

import os
import sys

import click

from app.backend.engine_values import memory_of, settings_of, sources_of
from app.commands.shared.options import (
    FilterFlags,
    filter_options,
    json_option,
    passwords_of,
    reading_options,
)
from app.commands.shared.standard_input import question_from
from app.exits import ExitCode
from app.output.objects import print_json, search_object
from app.output.plain import folded
from app.output.progress import watch
from app.output.report import search_text
from app.settings.config import load_config
from engine.answer import search
from engine.events import Found, SearchResult


@click.command("search")
@click.argument("query")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path())
@click.option(
    "-k",
    "k",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="How many passages to show.",
)
@filter_options
@reading_options
@json_option
def command(
    query: str,
    paths: tuple[str, ...],
    k: int,
    memory: int | None,
    attachments: float | None,
    scans: float | None,
    unlock: bool,
    as_json: bool,
    **flags: object,
) -> int:
    """Rank passages of the files at PATH, or of the remembered sources, for QUERY.

    QUERY takes operators: "a phrase", -word, -"a phrase", from: to: subject: in: kind: since:
    until: has:attachment path:, each also with a hyphen before it. They add to the
    flags. A single - reads QUERY from standard input.

    Scores are BM25 and comparable within one reply only. Exit code 3: no passage matches.

    \b
    askance search "signed lease form" ~/Mail
    askance search 'lease "old boathouse" -draft from:dana since:"last month"'
    """
    query = question_from(query)
    config = load_config(os.environ)
    settings = settings_of(config, k=k, attachments=attachments, scans=scans)
    filters = FilterFlags(**flags).filters(settings.today)  # type: ignore[arg-type]
    sources = sources_of(config, paths)
    watcher = watch(stream_draft=False)
    result: SearchResult | None = None
    passwords = passwords_of(unlock)
    with memory_of(config, memory) as kept:
        for password in passwords:
            kept.session.unlock(password)
        try:
            for event in search(query, sources, settings, filters, kept):
                watcher.show(event)
                if isinstance(event, Found):
                    result = event.result
        finally:
            watcher.finish()
    if result is None:
        raise RuntimeError("The engine ended without a result.")
    if as_json:
        print_json(search_object(result))
    else:
        click.echo(folded(search_text(result, settings.zone), sys.stdout))
    return ExitCode.ANSWERED if result.hits else ExitCode.NOTHING_FOUND
