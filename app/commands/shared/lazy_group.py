"""A click group whose commands are imported when they run, so that `--help` stays quick."""

from __future__ import annotations

import importlib
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click
from click.shell_completion import CompletionItem

from app.output.plain import one_line


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """One row of the group's table."""

    name: str
    module: str
    """Module that holds a click command called `command`."""
    summary: str
    """Shown by `--help` without importing the module."""


class StrictGroup(click.Group):
    """Refuses an unknown command with the list of those there are."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command or refuse. Raises `click.UsageError`."""
        name = args[0]
        built = ", ".join(self.list_commands(ctx))
        if name not in self.list_commands(ctx) and not name.startswith("-"):
            unknown = f'There is no command "{one_line(name)}". Commands: {built}.'
            ctx.fail(unknown + _meant(ctx, name))
        return super().resolve_command(ctx, args)


def _meant(ctx: click.Context, name: str) -> str:
    """Say what whoever gave a path, or a question, in place of a command may have meant."""
    if ctx.parent is None and os.path.lexists(name):
        return f" To open the screen over it: askance --source {shlex.quote(one_line(name))}"
    return f' To ask a question: askance ask "{one_line(name)}"' if " " in name else ""


class LazyGroup(StrictGroup):
    """Knows its commands from a table and imports one only to run it."""

    def __init__(
        self, *args: Any, commands_table: Sequence[LazyCommand] = (), **named: Any
    ) -> None:
        """Take the table, in the order in which help shows it."""
        super().__init__(*args, **named)
        self.rows = {row.name: row for row in commands_table}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the table's order."""
        return list(self.rows)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command; None if the table does not have it."""
        row = self.rows.get(cmd_name)
        if row is None:
            return None
        command: click.Command = importlib.import_module(row.module).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(row.name, row.summary) for row in self.rows.values()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[Any]]:
        """Offer the table's commands without importing them, then the group's own flags."""
        offered: list[CompletionItem[Any]] = [
            CompletionItem(row.name, help=row.summary)
            for row in self.rows.values()
            if row.name.startswith(incomplete)
        ]
        return offered + click.Command.shell_complete(self, ctx, incomplete)
