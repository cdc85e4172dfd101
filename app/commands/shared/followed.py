"""Long work, shown while it goes on: one status line, or a line now and then."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Generator
from contextlib import closing
from typing import TypeVar

import click

from app.output.progress import StatusLine, can_redraw

LINE_SECONDS = 10.0
"""Where no line can be taken back, progress is a line so often."""

Result = TypeVar("Result")


def followed(name: str, work: Generator[str, None, Result]) -> Result:
    """Do the work, show how far it is, and return what came of it."""
    lines = sys.stderr.isatty() and not can_redraw(sys.stderr, os.environ)
    told = time.monotonic()
    with StatusLine() as status, closing(work):
        while True:
            try:
                text = f"{name}: {next(work)}"
            except StopIteration as end:
                result: Result = end.value
                return result
            status.show(text, now=False)
            if lines and time.monotonic() >= told + LINE_SECONDS:
                told = time.monotonic()
                click.echo(text, err=True)
