"""`askance models add`, `speed` and `recommend`: own models, and what suits this machine."""

from __future__ import annotations

import os
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import click

from app.commands.shared.options import json_option
from app.errors import UsageError
from app.exits import ExitCode
from app.local_models.loader import Loader, known_models, user_rows_path
from app.local_models.recommendation import recommended
from app.local_models.roles import ENCODERS
from app.output.models import model_object, speed_text
from app.output.objects import print_json
from app.output.plain import one_line
from app.output.progress import StatusLine
from app.output.report import size_text
from app.settings.config import load_config
from models.download.hub import look_up
from models.download.local import adopt
from models.speed import measured
from models.store.catalogue import REPOSITORY, FileSource, HubSource, ModelRow
from models.store.estimate import CONTEXT, checked_header
from models.store.user_rows import add_row
from models.system.files import hash_steps

IN_REPOSITORY = re.compile(r"([\w.-]+/[\w.-]+)/(.+\.gguf)", re.IGNORECASE)
"""A file of a repository of the hub."""
NOT_IN_AN_ID = re.compile(r"[^a-z0-9._-]+")


@click.command("add")
@click.argument("what", metavar="PATH|OWNER/NAME/FILE")
@click.option("--file", "file", metavar="NAME", help="Name of the GGUF file, where WHAT lacks it.")
@click.option("--revision", metavar="COMMIT", help="Full commit id in REPO on the hub.")
@click.option(
    "--id", "model_id", metavar="ID", help="Id of the new model; default: the file's name."
)
@click.option("--look", is_flag=True, help="Ask the hub first what the file is; fetch nothing.")
@json_option
def add(
    what: str,
    file: str | None,
    revision: str | None,
    model_id: str | None,
    look: bool,
    as_json: bool,
) -> int:
    """Add a model of your own: a GGUF file on this machine, or one on the hub.

    It writes a row to models.toml, beside config.toml. A file is checked, and used where it is.
    `askance models pull ID` fetches one on the hub. With --look the hub is asked for its size,
    commit and SHA-256, which are shown; the row then names the commit. Without, no network is used.

    \b
    askance models add ~/Downloads/my.gguf
    askance models add OWNER/NAME/FILE.gguf --look
    """
    path = Path(what).expanduser()
    if not path.exists() and file is None and (found := IN_REPOSITORY.fullmatch(what)):
        what, file = found.groups()
    if path.is_file():
        row = _row_of_file(path.absolute(), model_id)
    elif REPOSITORY.fullmatch(what) and not path.exists():
        row = _row_of_repo(what, file, revision, model_id, look=look)
    else:
        raise UsageError(
            f"{one_line(what)} is neither a file nor a repository of the hub (OWNER/NAME).",
            remedy="Name a GGUF file, or OWNER/NAME/FILE.gguf.",
        )
    catalogue, store = known_models(os.environ)
    if any(other.id == row.id for other in catalogue.rows):
        raise UsageError(f"There is a model {row.id} already.", remedy="Choose another --id.")
    add_row(user_rows_path(os.environ), row)
    if row.bound:
        adopt(row, path, store)
    catalogue, store = known_models(os.environ)
    if as_json:
        print_json({"models": [model_object(catalogue.row(row.id), store, {})]})
    else:
        click.echo(f"{row.id} was added to {user_rows_path(os.environ)}.")
    then = f"use generator {row.id}" if row.bound else f"pull {row.id}"
    click.echo(f"Then: askance models {then}", err=True)
    return ExitCode.ANSWERED


def _row_of_file(path: Path, model_id: str | None) -> ModelRow:
    header = checked_header(path, path.name)
    size = path.stat().st_size
    steps = hash_steps(path)
    with StatusLine() as status:
        while True:
            try:
                status.show(f"{path.name}: checking {100 * next(steps) // size} %", now=False)
            except StopIteration as end:
                sha256: str = end.value
                break
    return ModelRow(
        id=model_id or _id_of(path.name),
        title=one_line(header.name).strip() or path.name,
        roles=("generator", "lookahead"),
        format="gguf",
        file="model.gguf",
        size=size,
        sha256=sha256,
        licence=one_line(header.licence).strip() or "unknown",
        context=header.context,
        parameters=header.parameters,
        quantisation=header.quantisation,
        verified=False,
        starter=False,
        sources=(FileSource(str(path)),),
        extras=(),
    )


def _row_of_repo(
    repo: str, file: str | None, revision: str | None, model_id: str | None, *, look: bool
) -> ModelRow:
    if not file:
        raise UsageError(
            f"Which file of {repo}?",
            remedy=f"Write {repo}/FILE.gguf, as its page on the hub lists it.",
        )
    source = HubSource(repo, revision or "", file)
    if look:
        found = look_up(source)
        source = replace(source, revision=found.commit)
        said = f"SHA-256 {found.sha256}" if found.sha256 else "no SHA-256 is stated"
        click.echo(
            f"{file} of {repo}: {size_text(found.size)}, commit {found.commit}, {said}. Its "
            "page on the hub has its licence.",
            err=True,
        )
    return ModelRow(
        id=model_id or _id_of(file),
        title=file,
        roles=("generator", "lookahead"),
        format="gguf",
        file="model.gguf",
        size=0,
        sha256="",
        licence="unknown",
        context=0,
        parameters=0,
        quantisation="unknown",
        verified=False,
        starter=False,
        sources=(source,),
        extras=(),
    )


def _id_of(name: str) -> str:
    stem = Path(name).name.lower().removesuffix(".gguf")
    return NOT_IN_AN_ID.sub("-", stem).strip("-._") or "model"


@click.command("speed")
@click.argument("model_id", metavar="ID")
@json_option
def speed_(model_id: str, as_json: bool) -> int:
    """Load the model ID, and measure how fast it reads and writes here."""
    catalogue, store = known_models(os.environ)
    row = catalogue.row(model_id)
    if ENCODERS.issuperset(row.roles):
        raise UsageError(f"{row.id} writes nothing.", remedy="Measure a generator.")
    config = load_config(os.environ)
    with StatusLine() as status:
        loader = Loader(config, catalogue, store, CONTEXT, status.show)
        with closing(loader.generator(row.id)) as model:
            status.show(f"Measuring {row.id}")
            speed = measured(model)
    if as_json:
        rates = {"read_per_second": speed.reading, "written_per_second": speed.writing}
        print_json({"speed": {"id": row.id, **rates}})
    else:
        click.echo(f"{row.id} {speed_text(speed)}.")
    return ExitCode.ANSWERED


@click.command("recommend")
@json_option
def recommend_(as_json: bool) -> int:
    """Name the two models that suit this machine, and how to get them."""
    catalogue, store = known_models(os.environ)
    found, note = recommended(catalogue, store)
    rows = {"lookahead": found.lookahead, "generator": found.generator}
    beside = [row for row in catalogue.starter() if ENCODERS.issuperset(row.roles)]
    if as_json:
        shown = {role: model_object(row, store, {}) for role, row in rows.items()}
        print_json(
            {
                "recommendation": {
                    **shown,
                    "beside": [model_object(row, store, {}) for row in beside],
                    "device": found.pair.device,
                    "needed_bytes": found.needed,
                    "together": found.together,
                    "reason": found.reason,
                    "note": note or None,
                }
            }
        )
        return ExitCode.ANSWERED
    click.echo(f"For {found.reason}:")
    for role, row in rows.items():
        click.echo(f"  {role:<10} {row.id}  ({size_text(row.total_size)}, {row.licence})")
    both = "both fit at once" if found.together else "one makes room for the other"
    click.echo(f"  together about {size_text(found.needed)}; {both}")
    for role, row in rows.items():
        if store.state(row) != "present":
            click.echo(f"askance models pull {row.id}")
        click.echo(f"askance models use {role} {row.id}")
    for row in beside:
        if store.state(row) != "present":
            click.echo(f"askance models pull {row.id}")
    if not all(row.verified for row in rows.values()):
        starter = ", ".join(row.id for row in catalogue.starter())
        click.echo(f"Their answers have not been measured yet; those of {starter} have.", err=True)
    if note:
        click.echo(note, err=True)
    return ExitCode.ANSWERED
