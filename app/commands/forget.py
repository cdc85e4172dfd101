"""`askance forget`: what has been read is forgotten; with `--everything` all that was written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.commands.shared.confirmation import confirm, to_remove
from app.commands.shared.options import json_option
from app.exits import ExitCode
from app.history.storage.files import HistoryFiles, what_stays
from app.output.objects import print_json
from app.output.plain import one_line
from app.output.report import size_text
from app.privacy.secrets import meaning_of

if TYPE_CHECKING:
    from app.privacy.traces import Trace


@click.command("forget")
@click.option("--everything", is_flag=True, help="List all that was ever written, then remove it.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def command(everything: bool, yes: bool, as_json: bool) -> int:
    """Forget what has been read, or everything.

    Only a running screen keeps text, in memory, where its key for Forget drops it. A command keeps
    nothing once it has ended, so without --everything there is nothing to remove.

    With --everything, it lists the settings, models, kept conversations and keyring entries, and
    removes them once you agree. It never touches your own files.
    """
    if everything:
        return _forget_everything(yes, as_json)
    if as_json:
        print_json({"forgotten_bytes": 0})
    else:
        click.echo(
            "Nothing is kept on disk. A running screen forgets with its key for Forget (ctrl+l, "
            "unless you changed it), or by ending."
        )
        if HistoryFiles.of(os.environ).exists:
            click.echo("Conversations you chose to keep stay: askance history rm, or --everything.")
    return ExitCode.ANSWERED


def _forget_everything(yes: bool, as_json: bool) -> int:
    from app.privacy.traces import remove, traces

    there = traces(os.environ)
    found = there.found
    for trace in found if not as_json else ():
        click.echo(one_line(_named(trace)))
    if found and not yes:
        confirm(f"Remove all of this, {size_text(sum(trace.bytes for trace in found))}?")
    limits = [f"{there.closed}, so nothing was looked for in one."] if there.closed else []
    if any(trace.what == "history" for trace in found):
        limits.append(what_stays(HistoryFiles.of(os.environ).folder))
    if there.others:
        names = ", ".join(there.others)
        limits.append(
            f"Keys of histories in other folders, if there are any, stay: {names}. "
            "To remove one: askance secrets rm NAME."
        )
    remove(there, os.environ)
    if as_json:
        rows = [{"what": t.what, "name": t.name, "bytes": t.bytes} for t in found]
        print_json({"removed": rows, "limits": " ".join(limits)})
    else:
        done = "All of it is removed." if found else "Nothing was ever written here."
        click.echo(" ".join([done, *limits]))
    return ExitCode.ANSWERED


def _named(trace: Trace) -> str:
    if trace.what == "secret":
        return f"secret  {trace.name}  {meaning_of(trace.name)}"
    name = trace.name if trace.what == "model" else to_remove(Path(trace.name))
    return f"{trace.what}  {name}  {size_text(trace.bytes)}"
