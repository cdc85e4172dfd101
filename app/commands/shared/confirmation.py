"""Questions to the person at the terminal: whether to go on, and what nobody may see."""

from __future__ import annotations

import sys
from getpass import getpass
from pathlib import Path

import click

from app.errors import UsageError
from app.history.errors import KeyClosed
from app.history.storage.files import has_another_name


def confirm(question: str) -> None:
    """Ask on the terminal. Raises `UsageError` where nobody can say yes, or nobody did."""
    if not sys.stdin.isatty():
        raise UsageError("Nobody is there to confirm.", remedy="Add --yes.")
    if not click.confirm(question, err=True):
        raise UsageError("Nothing was deleted.", remedy="")


def to_remove(path: Path) -> str:
    """Return how a file is named before it is removed."""
    return f"{path}  (a link, whose content stays)" if has_another_name(path) else str(path)


def ask_passphrase(prompt: str) -> str:
    """Ask for the passphrase of the history, not shown. Raises `KeyClosed` without a terminal."""
    if not sys.stdin.isatty():
        raise KeyClosed(
            "Your history asks for its passphrase, and there is no terminal.",
            remedy="Run it in a terminal; a passphrase is never taken from a file or a variable.",
        )
    return getpass(prompt)
