"""`askance forget`: what has been read is forgotten; with `--everything` all that was written."""

from __future__ import annotations

import os

import click

from app.commands.confirming import confirm
from app.commands.options import json_option
from app.exits import ExitCode
from app.history.files import HistoryFiles, what_stays
from app.shown.output import print_json
from app.shown.plain import one_line
from app.shown.report import size_text


@click.command("forget")
@click.option(
    "--everything", is_flag=True, help="Remove all that was ever written: it is listed first."
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def command(everything: bool, yes: bool, as_json: bool) -> int:
    """Forget what has been read, or everything.

    Text is kept in the memory of a running screen alone, where ctrl+l drops it; a command
    keeps nothing once it has ended. So there is nothing to drop here, and this says so.

    With --everything settings, models, kept conversations and what the keyring remembers are
    listed, and removed once you agree. Your own files are never touched.
    """
    if everything:
        return _forget_everything(yes, as_json)
    if as_json:
        print_json({"forgotten_bytes": 0})
    else:
        click.echo("Nothing is kept on disk. A running screen forgets with ctrl+l, or by ending.")
        if HistoryFiles.of(os.environ).exists:
            click.echo("Conversations you chose to keep stay: askance history rm, or --everything.")
    return ExitCode.ANSWERED


def _forget_everything(yes: bool, as_json: bool) -> int:
    from app.privacy.traces import remove, traces

    found = traces(os.environ)
    for trace in found if not as_json else ():
        size = f"  {size_text(trace.bytes)}" if trace.bytes else ""
        click.echo(one_line(f"{trace.what}  {trace.name}{size}"))
    if found and not yes:
        confirm(f"Remove all of this, {size_text(sum(trace.bytes for trace in found))}?")
    had_history = any(trace.what == "history" for trace in found)
    stays = what_stays(HistoryFiles.of(os.environ).folder) if had_history else ""
    remove(found, os.environ)
    if as_json:
        rows = [{"what": t.what, "name": t.name, "bytes": t.bytes} for t in found]
        print_json({"removed": rows, "limits": stays})
    elif found:
        click.echo(f"All of it is removed. {stays}".rstrip())
    else:
        click.echo("Nothing was ever written here.")
    return ExitCode.ANSWERED
