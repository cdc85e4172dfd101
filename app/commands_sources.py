"""`askance sources`: paths to remember. Nothing below them is opened here."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

from app.config import load_config
from app.config_edit import add_to_list, remove_from_list
from app.errors import SourceMissing, UsageError
from app.exits import ExitCode
from app.lazy import StrictGroup
from app.options import json_option
from app.output import print_json
from app.plain import one_line

State = Literal["ready", "missing", "not permitted", "not a file or folder"]

REMEDIES: dict[State, str | None] = {
    "ready": None,
    "missing": "Attach its disk, or forget it: askance sources rm PATH.",
    "not permitted": "Give yourself permission to read it.",
    "not a file or folder": "Remember the file or folder that holds the data instead.",
}


@dataclass(frozen=True, slots=True)
class SourceState:
    """What can be said of a source without opening it."""

    path: Path
    state: State

    @property
    def remedy(self) -> str | None:
        """What to do about it, or None when it is ready."""
        return REMEDIES[self.state]


def look_at(path: Path) -> SourceState:
    """Look at a path through `stat` and `access` alone."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return SourceState(path, "missing")
    except OSError:  # a folder above it is closed, a loop of links
        return SourceState(path, "not permitted")
    if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        return SourceState(path, "not a file or folder")
    needed = os.R_OK | os.X_OK if stat.S_ISDIR(mode) else os.R_OK
    return SourceState(path, "ready" if os.access(path, needed) else "not permitted")


def source_object(source: SourceState) -> dict[str, str | None]:
    """Return one source for `--json`."""
    return {"path": str(source.path), "state": source.state, "remedy": source.remedy}


@click.group("sources", cls=StrictGroup)
def command() -> None:
    """Remember where your files are. A source is opened only when you ask a question."""


@command.command("add")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@json_option
def add(paths: tuple[str, ...], as_json: bool) -> int:
    """Remember PATHs: files, folders, mailboxes, calendars."""
    config = load_config(os.environ)
    known = list(config.remembered)
    wanted = [absolute(path) for path in paths]
    for path in wanted:
        if look_at(path).state == "missing":
            raise SourceMissing(
                f"{path} does not exist.", remedy="Check the path; nothing was added.", path=path
            )
    for path in dict.fromkeys(wanted):
        if path not in known:
            add_to_list(config.path, "sources", "paths", str(path))
    _report(load_config(os.environ).remembered, as_json)
    return ExitCode.ANSWERED


@command.command("rm")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@json_option
def rm(paths: tuple[str, ...], as_json: bool) -> int:
    """Forget PATHs. The files stay as they are."""
    config = load_config(os.environ)
    for path in [absolute(path) for path in paths]:
        if path not in config.remembered:
            raise UsageError(
                f"{path} is not a remembered source.", remedy="See: askance sources list", path=path
            )
    for path in dict.fromkeys(absolute(path) for path in paths):
        remove_from_list(config.path, "sources", "paths", str(path))
    _report(load_config(os.environ).remembered, as_json)
    return ExitCode.ANSWERED


@command.command("list")
@json_option
def list_(as_json: bool) -> int:
    """List the remembered sources."""
    _report(load_config(os.environ).remembered, as_json)
    return ExitCode.ANSWERED


@command.command("check")
@json_option
def check(as_json: bool) -> int:
    """Look at the remembered paths without opening them. Exit code 1: one is not ready."""
    states = [look_at(path) for path in load_config(os.environ).remembered]
    if as_json:
        print_json({"sources": [source_object(source) for source in states]})
    elif not states:
        click.echo("No source is remembered. Add one: askance sources add PATH", err=True)
    else:
        for source in states:
            remedy = f"  {source.remedy}" if source.remedy else ""
            click.echo(f"{source.state:<14}  {one_line(str(source.path))}{remedy}")
    bad = any(source.state != "ready" for source in states)
    return ExitCode.FAILED if bad else ExitCode.ANSWERED


def absolute(path: str) -> Path:
    """Return the path as it is remembered: absolute, without `..`, links kept."""
    return Path(os.path.normpath(Path(path).expanduser().absolute()))


def _report(sources: tuple[Path, ...], as_json: bool) -> None:
    if as_json:
        print_json({"sources": [source_object(look_at(path)) for path in sources]})
        return
    for path in sources:
        click.echo(one_line(str(path)))
    if not sources:
        click.echo("No source is remembered. Add one: askance sources add PATH", err=True)
