"""`askance models`: fetch, check, choose and remove model files."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, cast

import click

from app.config import Config, load_config
from app.config_edit import set_text
from app.errors import NotBuilt, UsageError
from app.exits import ExitCode
from app.lazy import StrictGroup
from app.loading import row_for
from app.options import json_option
from app.output import print_json
from app.progress import StatusLine
from app.report import size_text
from models.catalogue import Catalogue, Role, Row, load_catalogue
from models.download import pull
from models.errors import ModelUnknown
from models.pull_progress import PullProgress
from models.store import Store

if TYPE_CHECKING:
    from collections.abc import Generator

ROLES_BUILT: tuple[Role, ...] = ("lookahead", "generator")


@click.group("models", cls=StrictGroup, not_built=("estimate",))
def command() -> None:
    """Fetch, check and choose models. Only `pull` uses the network."""


@command.command("list")
@json_option
def list_(as_json: bool) -> int:
    """List the catalogue: what is here, what it is for, what it costs."""
    catalogue, store = load_catalogue(), Store.default(os.environ)
    used = in_use(load_config(os.environ), catalogue)
    rows = [model_object(row, store, used) for row in catalogue.rows]
    if as_json:
        print_json({"models": rows})
        return ExitCode.ANSWERED
    width = max((len(row.id) for row in catalogue.rows), default=0)
    for row, shown in zip(catalogue.rows, rows, strict=True):
        roles = ", ".join(row.roles)
        uses = f"  in use: {', '.join(used[row.id])}" if row.id in used else ""
        size = size_text(row.total_size)
        click.echo(
            f"{row.id:<{width}}  {shown['state']:<9} {size:>10}  {row.licence}  {roles}{uses}"
        )
    return ExitCode.ANSWERED


@command.command("pull")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--starter", is_flag=True, help="The starter pair; so does naming no model.")
@json_option
def pull_(ids: tuple[str, ...], starter: bool, as_json: bool) -> int:
    """Fetch models. What was fetched before is checked and kept; a cut pull goes on."""
    catalogue, store = load_catalogue(), Store.default(os.environ)
    rows = [catalogue.row(model_id) for model_id in ids]
    if starter or not rows:
        rows.extend(catalogue.starter())
    wanted = list(dict.fromkeys(rows))
    for row in wanted:
        click.echo(f"{row.id}: {size_text(row.total_size)}, {row.licence}", err=True)
        _pull_one(row, store)
    used = in_use(load_config(os.environ), catalogue)
    if as_json:
        print_json({"models": [model_object(row, store, used) for row in wanted]})
    return ExitCode.ANSWERED


@command.command("verify")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@json_option
def verify(ids: tuple[str, ...], as_json: bool) -> int:
    """Hash models again (all that are here, or IDs). Exit code 4: one is wrong or missing."""
    catalogue, store = load_catalogue(), Store.default(os.environ)
    rows = [catalogue.row(model_id) for model_id in ids] or [
        row for row in catalogue.rows if store.state(row) in ("present", "partial")
    ]
    with StatusLine() as status:
        for row in rows:
            store.verify(row, checking(row.id, status))
            status.clear()
            click.echo(f"{row.id}: right", err=as_json)
    if not rows:
        click.echo("No model is here. Fetch the starter pair: askance models pull", err=True)
    used = in_use(load_config(os.environ), catalogue)
    if as_json:
        print_json({"models": [model_object(row, store, used) for row in rows]})
    return ExitCode.ANSWERED


@command.command("rm")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def rm(ids: tuple[str, ...], yes: bool, as_json: bool) -> int:
    """Delete models from this machine; asks first."""
    catalogue, store = load_catalogue(), Store.default(os.environ)
    rows = [catalogue.row(model_id) for model_id in ids]
    if not yes:
        _confirm(f"Delete {', '.join(row.id for row in rows)} from {store.root}?")
    freed = {row.id: store.remove(row) for row in rows}
    if as_json:
        print_json({"models": [{"id": one, "freed_bytes": size} for one, size in freed.items()]})
    else:
        for model_id, size in freed.items():
            click.echo(f"{model_id}: {size_text(size)} freed" if size else f"{model_id}: not here")
    return ExitCode.ANSWERED


@command.command("use")
@click.argument("role", type=click.Choice(["lookahead", "generator", "encoder"]))
@click.argument("model_id", metavar="ID")
@json_option
def use(role: str, model_id: str, as_json: bool) -> int:
    """Use the model ID as lookahead or generator from now on."""
    if role not in ROLES_BUILT:
        raise NotBuilt(
            f'The role "{role}" is not built yet.',
            remedy=f"Roles that are: {', '.join(ROLES_BUILT)}.",
        )
    config, catalogue = load_config(os.environ), load_catalogue()
    row = row_for(role, model_id, config, catalogue)
    set_text(config.path, "models", role, row.id)
    changed = load_config(os.environ)
    if changed.text(f"models.{role}") != row.id:
        variable = changed.origins[f"models.{role}"]
        raise UsageError(
            f"{row.id} is now the {role} in {config.path}, but {variable} overrides it.",
            remedy=f"Unset {variable}.",
        )
    store = Store.default(os.environ)
    if as_json:
        print_json({"models": [model_object(row, store, in_use(changed, catalogue))]})
    else:
        click.echo(f"{row.id} is the {role} now.")
    if store.state(row) != "present":
        click.echo(f"It is not here yet: askance models pull {row.id}", err=True)
    return ExitCode.ANSWERED


def model_object(row: Row, store: Store, used: dict[str, list[str]]) -> dict[str, object]:
    """Return one model for `--json`."""
    return {
        "id": row.id,
        "title": row.title,
        "roles": list(row.roles),
        "size_bytes": row.total_size,
        "state": store.state(row),
        "licence": row.licence,
        "context": row.context,
        "parameters": row.parameters,
        "quantisation": row.quantisation,
        "starter": row.starter,
        "in_use": used.get(row.id, []),
    }


def in_use(config: Config, catalogue: Catalogue) -> dict[str, list[str]]:
    """Return the roles each model fills now. A setting that names no model fills none."""
    used: dict[str, list[str]] = {}
    for role in ROLES_BUILT:
        try:
            row = row_for(role, None, config, catalogue)
        except (ModelUnknown, UsageError) as error:
            click.echo(f"[models] {role}: {error}", err=True)
            continue
        used.setdefault(row.id, []).append(role)
    return used


def checking(model_id: str, status: StatusLine) -> Callable[[int, int], None]:
    """Return what the store calls while it hashes."""

    def show(done: int, total: int) -> None:
        percent = 100 * done // max(total, 1)
        status.show(f"{model_id}: checking {percent} % of {size_text(total)}", now=done == total)

    return show


def _confirm(question: str) -> None:
    """Ask on the terminal. Raises `UsageError` where nobody can say yes, or nobody did."""
    if not sys.stdin.isatty():
        raise UsageError("Nobody is there to confirm.", remedy="Add --yes.")
    if not click.confirm(question, err=True):
        raise UsageError("Nothing was deleted.", remedy="")


def _pull_one(row: Row, store: Store) -> None:
    steps = cast("Generator[PullProgress, None, None]", pull(row, store))
    rate = _Rate()
    with StatusLine() as status, closing(steps):
        for progress in steps:
            if progress.stage == "done":
                status.clear()
                click.echo(f"{row.id}: ready", err=True)
            else:
                status.show(f"{row.id}: {rate.text(progress)}", now=False)


class _Rate:
    """Bytes per second since this run began: what was there before does not count."""

    def __init__(self) -> None:
        self._began: tuple[float, int] | None = None

    def text(self, progress: PullProgress) -> str:
        """Return stage, share, rate and time left."""
        done, total = progress.done_bytes, progress.total_bytes
        share = f"{100 * done // max(total, 1)} % of {size_text(total)}"
        if progress.stage == "verify":
            return f"checking {share}"
        if self._began is None:
            self._began = (time.monotonic(), done)
        seconds = time.monotonic() - self._began[0]
        fetched = done - self._began[1]
        part = f"part {progress.part} of {progress.of}"
        if seconds < 1 or fetched <= 0:
            return f"{share}, {part}"
        speed = fetched / seconds
        left = int((total - done) / speed)
        return f"{share}, {part}, {size_text(int(speed))}/s, {left // 60}:{left % 60:02} left"
