"""Flags that `ask` and `search` share, and what they mean for the engine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import wraps
from getpass import getpass
from typing import Any, TypeVar, cast

import click

from app.errors import UsageError
from app.settings.kinds import SIZE_WANTED, size_from_text
from engine.settings import BUDGETS, Budget, Effort
from ingest.item import Filters, Kind
from models.protocols import MOST_REPLIES

Command = TypeVar("Command", bound=Callable[..., Any])

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


@dataclass(frozen=True, slots=True)
class FilterFlags:
    """The filter flags as typed."""

    since: str | None
    until: str | None
    senders: tuple[str, ...]
    recipients: tuple[str, ...]
    subjects: tuple[str, ...]
    folders: tuple[str, ...]
    path_patterns: tuple[str, ...]
    kinds: tuple[str, ...]
    has: tuple[str, ...]

    def filters(self, today: date) -> Filters:
        """Return the engine's filters. Raises `QuestionError` for what is no date."""
        since, until = self._days(today)
        return Filters(
            since=since,
            until=until,
            senders=self.senders,
            recipients=self.recipients,
            subjects=self.subjects,
            folders=self.folders,
            path_patterns=self.path_patterns,
            kinds=frozenset(Kind(kind) for kind in self.kinds),
            attachments=True if self.has else None,
        )

    def _days(self, today: date) -> tuple[date | None, date | None]:
        """Return the first and the last day, both inclusive."""
        if self.since is None and self.until is None:
            return None, None
        from engine.question.operators import (  # a grammar of dates
            first_day,
            last_day,
            no_date,
            printable,
        )

        since = first_day(self.since, today) if self.since is not None else None
        until = last_day(self.until, today, since) if self.until is not None else None
        for name, words, day in (("since", self.since, since), ("until", self.until, until)):
            if words is not None and day is None:
                raise no_date(f"--{name} {printable(words)}")
        return since, until


def _filled(ctx: click.Context, param: click.Parameter, parts: tuple[str, ...]) -> tuple[str, ...]:
    if any(not part.strip() for part in parts):
        raise click.BadParameter("Write a part of what it is called.", ctx, param)
    return parts


LISTED = (
    ("--from", "senders", "PERSON", "Only from someone whose name or address holds this."),
    ("--to", "recipients", "PERSON", "Only to someone whose name or address holds this."),
    ("--subject", "subjects", "TEXT", "Only what has this in its subject or title."),
    ("--in", "folders", "NAME", "Only in the folder, mailbox or calendar of this name."),
    ("--path", "path_patterns", "TEXT", "Only in files whose path holds this, or ends in a glob."),
)
"""Flag, field of `FilterFlags`, what to write, help. Each may repeat."""


def filter_options(command: Command) -> Command:
    """Add `--since --until` and the other filters; the command takes them as `flags`."""
    kinds = click.Choice([kind.value for kind in Kind])
    options = [
        click.option(
            "--since",
            metavar="DATE",
            help='First day, inclusive: YYYY-MM-DD, yesterday, "last month".',
        ),
        click.option("--until", metavar="DATE", help='Last day, inclusive: today, 2025, "March".'),
        *(
            click.option(
                flag,
                field,
                multiple=True,
                metavar=metavar,
                callback=_filled,
                help=f"{words[:-1]}; may repeat.",
            )
            for flag, field, metavar, words in LISTED
        ),
        click.option(
            "--kind",
            "kinds",
            multiple=True,
            type=kinds,
            help="Only items of this kind; may repeat.",
        ),
        click.option(
            "--has",
            multiple=True,
            type=click.Choice(["attachment"]),
            help="Only mails with attachments, and the attachments.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


class Size(click.ParamType[int]):
    """A number of bytes, written as `2 GB`."""

    name = "size"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the bytes, or fail with what was wanted."""
        try:
            return value if isinstance(value, int) else size_from_text(str(value))
        except ValueError:
            self.fail(f"Write {SIZE_WANTED}.", param, ctx)


def reading_options(command: Command) -> Command:
    """Add `--memory`, `--attachments`, `--scans` and `--unlock`."""
    options = [
        click.option(
            "--memory",
            type=Size(),
            metavar="SIZE",
            help='Most memory for the text of files, such as "2 GB".',
        ),
        click.option(
            "--attachments",
            type=click.FloatRange(0),
            metavar="SECONDS",
            help="Longest time to read attachments, once all else is read.",
        ),
        click.option(
            "--scans",
            type=click.FloatRange(0),
            metavar="SECONDS",
            help="Longest time to recognise scanned pages and pictures; 0 leaves them.",
        ),
        click.option(
            "--unlock", is_flag=True, help="Ask for passwords, and try them on encrypted files."
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def budget_options(command: Command) -> Command:
    """Add X, Y, K and the window to the token; the command takes them as `budget` or None."""
    flags = (
        ("--lookahead-tokens", None, "Most tokens of passages for the fast model (X)."),
        ("--generator-tokens", None, "Most tokens of passages for the answer model (Y)."),
        ("--samples", MOST_REPLIES, "Guesses that the fast model makes (K)."),
        ("--window", None, "Tokens of context for strategies that read all they can."),
    )

    @wraps(command)
    def with_budget(**values: Any) -> Any:
        given = {flag: values.pop(flag[2:].replace("-", "_")) for flag, *_ in flags}
        return command(budget=_budget(given, values.get("effort")), **values)

    changed: Any = with_budget
    for flag, most, words in reversed(flags):
        number = click.IntRange(1, most)
        changed = click.option(flag, type=number, metavar="N", help=words)(changed)
    return cast(Command, changed)


def _budget(given: dict[str, int | None], effort: str | None) -> Budget | None:
    """Return the effort's budget with what was given instead; shares only limit efforts."""
    if not any(given.values()):
        return None
    base = BUDGETS[cast(Effort, effort or "balanced")]
    return replace(
        base,
        lookahead_tokens=given["--lookahead-tokens"] or base.lookahead_tokens,
        generator_tokens=given["--generator-tokens"] or base.generator_tokens,
        samples=given["--samples"] or base.samples,
        lookahead_share=0.0,
        generator_share=0.0,
        window=given["--window"],
    )


def passwords_of(unlock: bool) -> list[str]:
    """Return the passwords to try on encrypted files: none without `unlock`, else asked for.

    They stay in memory only. Raises `UsageError` where there is no terminal to ask on.
    """
    return list(_passwords()) if unlock else []


def _passwords() -> Iterator[str]:
    remembered = _remembered()
    yield from remembered
    if not sys.stdin.isatty():
        if remembered:
            return
        raise UsageError(
            "--unlock asks for passwords, and there is no terminal.",
            remedy="Run it in a terminal; a password is never taken from a file or a flag. Or "
            "have your keyring remember one: askance secrets set passwords",
        )
    again = ""
    while password := getpass(f"Password of {again}encrypted files (empty: no more): "):
        yield password
        again = "other "


def _remembered() -> list[str]:
    """Return the passwords in the keyring; none where it does not open."""
    from models.system.secrets import KeyringClosed, passwords

    try:
        return passwords()
    except KeyringClosed:
        return []
