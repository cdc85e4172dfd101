"""Bare `askance`: the terminal screen, or one clear refusal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import closing

from app.backend.client import open_engine
from app.errors import NoTerminal
from app.exits import ExitCode
from app.local_models.server import served_roles
from app.settings.config import load_config


def start_screen(commands: Sequence[tuple[str, str]]) -> int:
    """Open the screen, whose help lists `commands`.

    Raises `NoTerminal` where one of its two ends is no terminal.

    Textual draws on stderr: redirected, mail would be written into a log.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise NoTerminal(
            "The screen needs a terminal for its input and for stderr, on which it draws.",
            remedy='To ask without a screen: askance ask "QUESTION" [PATH]...',
        )
    config = load_config(os.environ)
    served_roles(config, {})  # what is wrong with it is said before the screen opens
    from app.screens.app import AskanceApp

    with closing(open_engine(watch=True)) as engine:
        newcomer = not (config.path.exists() or config.remembered)
        app = AskanceApp(config, engine, commands=commands, first_run=newcomer)
        app.run()
    return app.return_code or ExitCode.ANSWERED


def start_plain(run_command: Callable[[Sequence[str]], int]) -> int:
    """Talk in lines, for screen readers: no boxes, nothing drawn over."""
    import getpass

    import click

    from app.plain_loop import PlainLoop, Terminal, typed_lines
    from app.settings.current import Current

    os.environ["TERM"] = "dumb"  # nothing is taken back by any command either
    config = load_config(os.environ)
    served_roles(config, {})
    terminal = Terminal(click.echo, getpass.getpass, run_command)
    with closing(open_engine(watch=True)) as engine:
        PlainLoop(engine, Current(config), terminal).run(typed_lines("Question: "))
    return ExitCode.ANSWERED
