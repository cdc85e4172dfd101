"""`askance models`: fetch, check, choose and remove model files."""

from __future__ import annotations

import os

import click

from app.commands.model_calibration import calibrate
from app.commands.model_estimate import estimate_
from app.commands.model_fit import add, recommend_, speed_
from app.commands.shared.confirmation import confirm
from app.commands.shared.followed import followed
from app.commands.shared.lazy_group import StrictGroup
from app.commands.shared.options import json_option
from app.exits import ExitCode
from app.local_models.jobs import checking, deleted, pulling
from app.local_models.loader import known_models
from app.local_models.roles import ROLES, choose, roles_in_use
from app.output.models import (
    found_line,
    found_object,
    model_line,
    model_object,
    table,
)
from app.output.objects import print_json
from app.output.report import size_text
from app.settings.config import Config, load_config
from models.download.discovery import found_models
from models.store.catalogue import Catalogue, Role


@click.group("models", cls=StrictGroup)
def command() -> None:
    """Fetch, check and choose models. Only `pull` uses the network."""


for _further in (add, calibrate, estimate_, recommend_, speed_):
    command.add_command(_further)


@command.command("list")
@click.option(
    "--found",
    is_flag=True,
    help="List models that Ollama, LM Studio and the hub's cache have here.",
)
@json_option
def list_(found: bool, as_json: bool) -> int:
    """List the catalogue: each model's state, role, size, and whether it fits."""
    if found:
        return _list_found(as_json)
    catalogue, store = known_models(os.environ)
    used = in_use(load_config(os.environ), catalogue)
    if as_json:
        print_json({"models": [model_object(row, store, used) for row in catalogue.rows]})
        return ExitCode.ANSWERED
    for line in table([model_line(row, store, used) for row in catalogue.rows]):
        click.echo(line)
    return ExitCode.ANSWERED


def _list_found(as_json: bool) -> int:
    files = found_models(os.environ)
    if as_json:
        print_json({"found": [found_object(file) for file in files]})
        return ExitCode.ANSWERED
    for line in table([found_line(file) for file in files]):
        click.echo(line)
    said = "To use one where it is: askance models add PATH" if files else "Nothing was found."
    click.echo(said, err=True)
    return ExitCode.ANSWERED


@command.command("pull")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--starter", is_flag=True, help="Fetch the starter models, as does naming no model.")
@click.option(
    "--accept-unverified",
    "accept",
    is_flag=True,
    help="Also take a file of which the hub states no SHA-256, and pin it to the one it has.",
)
@json_option
def pull_(ids: tuple[str, ...], starter: bool, accept: bool, as_json: bool) -> int:
    """Fetch models. It checks and keeps earlier downloads, and resumes one that was cut."""
    catalogue, store = known_models(os.environ)
    rows = [catalogue.row(model_id) for model_id in ids]
    if starter or not rows:
        rows.extend(catalogue.starter())
    wanted = list(dict.fromkeys(rows))
    for row in wanted:
        click.echo(
            f"{row.id}: {'' if row.bound else 'about '}{size_text(row.total_size)}, {row.licence}",
            err=True,
        )
        click.echo(f"{row.id}: {followed(row.id, pulling(row, store, accept=accept))}", err=True)
    catalogue, store = known_models(os.environ)  # with what was accepted just now
    used = in_use(load_config(os.environ), catalogue)
    if as_json:
        shown = [catalogue.row(row.id) for row in wanted]
        print_json({"models": [model_object(row, store, used) for row in shown]})
    return ExitCode.ANSWERED


@command.command("verify")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@json_option
def verify(ids: tuple[str, ...], as_json: bool) -> int:
    """Hash IDs again, or every model here. Exit code 4: one is wrong or missing."""
    catalogue, store = known_models(os.environ)
    rows = [catalogue.row(model_id) for model_id in ids] or [
        row for row in catalogue.rows if store.state(row) in ("present", "partial")
    ]
    for row in rows:
        click.echo(f"{row.id}: {followed(row.id, checking(row, store))}", err=as_json)
    if not rows:
        click.echo("No model is here. Fetch the starter models: askance models pull", err=True)
    used = in_use(load_config(os.environ), catalogue)
    if as_json:
        print_json({"models": [model_object(row, store, used) for row in rows]})
    return ExitCode.ANSWERED


@command.command("rm")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def rm(ids: tuple[str, ...], yes: bool, as_json: bool) -> int:
    """Delete models from this machine, after asking."""
    catalogue, store = known_models(os.environ)
    rows = [catalogue.row(model_id) for model_id in ids]
    if not yes:
        confirm(f"Delete {', '.join(row.id for row in rows)} from {store.root}?")
    freed = {row.id: deleted(row, store) for row in rows}
    if as_json:
        print_json({"models": [{"id": one, "freed_bytes": size} for one, size in freed.items()]})
    else:
        for model_id, size in freed.items():
            click.echo(f"{model_id}: {size_text(size)} freed" if size else f"{model_id}: not here")
    return ExitCode.ANSWERED


@command.command("use")
@click.argument("role", type=click.Choice(ROLES))
@click.argument("model_id", metavar="ID")
@json_option
def use(role: Role, model_id: str, as_json: bool) -> int:
    """Use the model ID from now on.

    The lookahead is the fast model, the generator the answer model.

    \b
    askance models use generator qwen2.5-coder-1.5b-instruct-q4_k_m
    """
    config, (catalogue, store) = load_config(os.environ), known_models(os.environ)
    row, changed = choose(role, model_id, config, catalogue)
    if as_json:
        print_json({"models": [model_object(row, store, in_use(changed, catalogue))]})
    else:
        click.echo(f"{row.id} is the {role} now.")
    if store.state(row) != "present":
        click.echo(f"It is not here yet: askance models pull {row.id}", err=True)
    return ExitCode.ANSWERED


def in_use(config: Config, catalogue: Catalogue) -> dict[str, list[str]]:
    """Return the roles each model fills now; say on stderr what is wrong with the settings."""
    used, faults = roles_in_use(config, catalogue)
    for fault in faults:
        click.echo(fault, err=True)
    return used
