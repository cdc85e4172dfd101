"""`askance sources`: paths to remember. Nothing below them is opened here."""

from __future__ import annotations

import os
from pathlib import Path

import click

from app.commands.shared.lazy_group import StrictGroup
from app.commands.shared.options import json_option
from app.exits import ExitCode
from app.output.objects import print_json
from app.output.plain import one_line
from app.settings.config import load_config
from app.sources.states import SourceState, absolute, forget, look_at, remember


def source_object(source: SourceState) -> dict[str, str | None]:
    """Return one source for `--json`."""
    return {"path": str(source.path), "state": source.state, "remedy": source.remedy}


@click.group("sources", cls=StrictGroup)
def command() -> None:
    """Remember where your files are. A source is opened only when you ask a question."""


@command.command("add")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path())
@json_option
def add(paths: tuple[str, ...], as_json: bool) -> int:
    """Remember PATHs: files, folders, mailboxes, calendars. Nothing is opened.

    \b
    askance sources add ~/Mail ~/Documents ~/Calendars/work.ics
    """
    remember(load_config(os.environ), [absolute(path) for path in paths])
    _report(load_config(os.environ).remembered, as_json)
    return ExitCode.ANSWERED


@command.command("rm")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path())
@json_option
def rm(paths: tuple[str, ...], as_json: bool) -> int:
    """Forget PATHs. The files stay as they are."""
    forget(load_config(os.environ), [absolute(path) for path in paths])
    _report(load_config(os.environ).remembered, as_json)
    return ExitCode.ANSWERED


@command.command("list")
@json_option
def list_(as_json: bool) -> int:
    """List the remembered sources."""
    _report(load_config(os.environ).remembered, as_json)
    return ExitCode.ANSWERED


@command.command("check")
@json_option
def check(as_json: bool) -> int:
    """Check the remembered paths without opening them. Exit code 1: one is not ready."""
    states = [look_at(path) for path in load_config(os.environ).remembered]
    if as_json:
        print_json({"sources": [source_object(source) for source in states]})
    elif not states:
        click.echo("No source is remembered. Add one: askance sources add PATH", err=True)
    else:
        for source in states:
            remedy = f"  {source.remedy}" if source.remedy else ""
            click.echo(f"{source.state:<14}  {one_line(str(source.path))}{remedy}")
    bad = any(source.state != "ready" for source in states)
    return ExitCode.FAILED if bad else ExitCode.ANSWERED


def _report(sources: tuple[Path, ...], as_json: bool) -> None:
    if as_json:
        print_json({"sources": [source_object(look_at(path)) for path in sources]})
        return
    for path in sources:
        click.echo(one_line(str(path)))
    if not sources:
        click.echo("No source is remembered. Add one: askance sources add PATH", err=True)
