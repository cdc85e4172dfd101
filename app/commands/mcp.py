"""`askance mcp`: other programs ask, over standard input and output."""

from __future__ import annotations

import os
from contextlib import closing
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from app.backend.client import open_engine
from app.backend.engine_values import settings_of, sources_of
from app.errors import UsageError
from app.exits import ExitCode
from app.local_models.server import tell_where_text_goes
from app.output.plain import one_line
from app.settings.config import load_config

if TYPE_CHECKING:
    from app.mcp_server.shared import Share


@click.command("mcp")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path())
@click.option(
    "--share",
    type=click.Choice(["titles", "quotes", "passages"]),
    help="How much text the connected program gets (default: mcp.share, which is quotes).",
)
def command(paths: tuple[str, ...], share: Share | None) -> int:
    """Let another program search and ask, over the Model Context Protocol.

    It reads the files at PATH, or the remembered sources, and nothing else. It speaks over standard
    input and output, opens no socket, and ends with the program that started it. THAT PROGRAM MAY
    SEND WHAT IT GETS ELSEWHERE: --share limits it to titles, to quotes, or to whole passages.

    \b
    In a client's settings: {"command": "askance", "args": ["mcp", "/home/me/Mail"]}
    """
    if find_spec("mcp") is None:
        raise UsageError(
            "The Model Context Protocol is not installed.",
            remedy="Run `pip install 'askance[mcp]'`.",
        )
    config = load_config(os.environ)
    sources = sources_of(config, paths)
    chosen: Share = share or config.values.mcp.share
    from app.mcp_server.server import GIVES, Answers, serve, server_of
    from app.mcp_server.shared import SharedText

    named = ", ".join(one_line(str(source)) for source in sources)
    click.echo(
        f"askance mcp: over {named}. The program that started this gets {GIVES[chosen]}, and may "
        "send it elsewhere.",
        err=True,
    )
    tell_where_text_goes(config)
    with closing(open_engine()) as engine:
        answers = Answers(engine, sources, partial(settings_of, config), SharedText(chosen))
        serve(server_of(answers, version("askance")))
    return ExitCode.ANSWERED
