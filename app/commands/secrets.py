"""`askance secrets`: what the keyring remembers for the person. No value is ever printed."""

from __future__ import annotations

import os
import sys
from getpass import getpass

import click

from app.commands.shared.lazy_group import StrictGroup
from app.commands.shared.options import json_option
from app.errors import UsageError
from app.exits import ExitCode
from app.output.objects import print_json
from app.output.plain import one_line
from app.privacy.secrets import MEANINGS, closed_keyring_said, keys_here, meaning_of
from models.system.secrets import (
    HISTORY,
    PASSWORDS,
    SERVER,
    drop_from_keyring,
    keep_in_keyring,
    keyring_name,
    known_names,
    remember_passwords,
    secret_from_keyring,
)


@click.group("secrets", cls=StrictGroup)
def command() -> None:
    """Keep tokens and passwords in the system's keyring, and nowhere else.

    Names: huggingface, passwords, server:HOST.
    """


@command.command("list")
@json_option
def list_(as_json: bool) -> int:
    """List the names of the stored secrets, never their values."""
    with closed_keyring_said():
        where = keyring_name()
        kept = [name for name in known_names() if secret_from_keyring(name)]
    rows = [{"name": name, "meaning": meaning_of(name)} for name in kept]
    if as_json:
        print_json({"secrets": rows, "keyring": where})
        return ExitCode.ANSWERED
    for row in rows:
        click.echo(one_line(f"{row['name']}  {row['meaning']}"))
    if not rows:
        click.echo(one_line(f"Nothing is remembered in {where}."))
    return ExitCode.ANSWERED


@command.command("set")
@click.argument("name")
@json_option
def set_(name: str, as_json: bool) -> int:
    """Ask for the value of NAME, without showing it, and store it.

    A new password joins the earlier ones.
    """
    _checked(name)
    if not sys.stdin.isatty():
        raise UsageError(
            "A secret is asked for, and there is no terminal.",
            remedy="Run it in a terminal; a secret is never taken from a file or a flag.",
        )
    secret = getpass(f"{meaning_of(name).capitalize()}: ")
    if not secret:
        raise UsageError("Nothing was typed, and nothing is changed.", remedy="")
    with closed_keyring_said():
        if name == PASSWORDS:
            remember_passwords([secret])
        else:
            keep_in_keyring(name, secret)
    if as_json:
        print_json({"name": name, "kept": True})
    else:
        click.echo(one_line(f"Remembered: {name}"))
    return ExitCode.ANSWERED


@command.command("rm")
@click.argument("name")
@json_option
def rm(name: str, as_json: bool) -> int:
    """Forget NAME. Exit code 3: it was not there."""
    if name in keys_here(os.environ):
        raise UsageError(
            f"{name} opens what your history keeps.",
            remedy="To remove both: askance history rm --all",
        )
    if not name.startswith(HISTORY):
        _checked(name)
    with closed_keyring_said():
        there = drop_from_keyring(name)
    if as_json:
        print_json({"name": name, "removed": there})
    else:
        click.echo(one_line(f"{'Removed' if there else 'Not there'}: {name}"))
    return ExitCode.ANSWERED if there else ExitCode.NOTHING_FOUND


def _checked(name: str) -> None:
    if name not in MEANINGS and not (name.startswith(SERVER) and len(name) > len(SERVER)):
        raise UsageError(
            f'There is no secret named "{one_line(name)}".',
            remedy=f"Names: {', '.join(MEANINGS)}, {SERVER}HOST.",
        )
