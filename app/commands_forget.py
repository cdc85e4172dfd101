"""`askance forget`: what has been read is forgotten."""

from __future__ import annotations

import click

from app.exits import ExitCode
from app.options import json_option
from app.output import print_json


@click.command("forget")
@json_option
def command(as_json: bool) -> int:
    """Forget what has been read.

    Text is kept in the memory of a running screen alone, where ctrl+l drops it; a command
    keeps nothing once it has ended. So there is nothing to drop here, and this says so.
    """
    if as_json:
        print_json({"forgotten_bytes": 0})
    else:
        click.echo("Nothing is kept on disk. A running screen forgets with ctrl+l, or by ending.")
    return ExitCode.ANSWERED
