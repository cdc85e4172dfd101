"""`askance config`: where the settings are, what they are, whether they are right."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import click

from app.commands.shared.lazy_group import StrictGroup
from app.commands.shared.options import json_option
from app.exits import ExitCode
from app.local_models.server import served_roles
from app.output.objects import print_json
from app.output.plain import one_line
from app.settings.config import config_path, load_config
from app.settings.schema import BY_NAME


@click.group("config", cls=StrictGroup)
def command() -> None:
    """Show and check the settings."""


@command.command("path")
@json_option
def path(as_json: bool) -> int:
    """Print the path of the configuration file, whether or not it exists."""
    where = config_path(os.environ)
    if as_json:
        print_json({"path": str(where), "exists": where.exists()})
    else:
        click.echo(one_line(str(where)))
    return ExitCode.ANSWERED


@command.command("show")
@json_option
def show(as_json: bool) -> int:
    """Print every setting, its value, and where the value comes from."""
    config = load_config(os.environ)
    rows = [
        {"key": key, "value": _plain(config.values.of(key)), "origin": config.origins[key]}
        for key in BY_NAME
    ]
    if as_json:
        print_json({"settings": rows})
        return ExitCode.ANSWERED
    for row in rows:
        value = "(not set)" if row["value"] is None else row["value"]
        click.echo(one_line(f"{row['key']} = {value}  ({row['origin']})"))
    return ExitCode.ANSWERED


@command.command("validate")
@json_option
def validate(as_json: bool) -> int:
    """Check the file and the environment. Exit code 2: it says what to correct."""
    config = load_config(os.environ)
    served_roles(config, {})
    if as_json:
        print_json({"valid": True, "path": str(config.path)})
    else:
        there = "" if config.path.exists() else " (no file; defaults and environment)"
        click.echo(f"The settings are valid: {one_line(str(config.path))}{there}")
    return ExitCode.ANSWERED


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [str(part) if isinstance(part, Path) else part for part in value]
    return dict(value) if isinstance(value, Mapping) else value
