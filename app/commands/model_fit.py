"""`askance models add`, `estimate` and `recommend`: models of one's own, and what fits."""

from __future__ import annotations

import os
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from app.commands.shared.options import json_option
from app.errors import UsageError
from app.exits import ExitCode
from app.local_models.loader import Loader, known_models, user_rows_path
from app.local_models.recommendation import recommended
from app.local_models.rows import free_on_gpus
from app.output.models import estimate_object, model_object, speed_text, table
from app.output.objects import print_json
from app.output.plain import one_line
from app.output.progress import StatusLine
from app.output.report import size_text
from app.settings.config import load_config
from models.download.hub import look_up
from models.download.local import adopt
from models.speed import measured
from models.store.catalogue import REPOSITORY, FileSource, HubSource, ModelRow
from models.store.estimate import CONTEXT, Estimate, checked_header, estimate_row
from models.store.gguf import HeaderFault, read_header
from models.store.placement import (
    FreeMemory,
    Placement,
    both_placed,
    context_that_fits,
    place,
    smaller_model,
)
from models.store.store import Store
from models.store.user_rows import add_row
from models.system.files import hash_steps
from models.system.machine import memory

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


@click.command("estimate")
@click.argument("ids", metavar="ID [ID]", nargs=-1, required=True)
@click.option(
    "--context",
    type=click.IntRange(1, 1 << 24),
    default=CONTEXT,
    show_default=True,
    help="Tokens of context.",
)
@json_option
def estimate_(ids: tuple[str, ...], context: int, as_json: bool) -> int:
    """Estimate the memory that the model ID takes, without loading it; or that two take at once."""
    if len(ids) > 2:
        raise UsageError("An estimate is of one model or of two.", remedy="Name two at most.")
    catalogue, store = known_models(os.environ)
    found = [_estimated(catalogue.row(model_id), store, context) for model_id in ids]
    free = FreeMemory(memory().free, free_on_gpus())
    placed = [place(one, free) for _, one in found]
    both = None
    if len(found) == 2:
        same = found[0][0].id == found[1][0].id
        both = both_placed(found[0][1], found[1][1], free, same_file=same)
        placed = list(both) if both else placed
    shown = [
        estimate_object(row, one, free, there)
        | {"instead": _advice(row, store, context, free, [*catalogue.rows], there) or None}
        for (row, one), there in zip(found, placed, strict=True)
    ]
    if as_json:
        one_or_two = {"estimate": shown[0]} if len(shown) == 1 else {"estimates": shown}
        print_json(one_or_two | ({"together": both is not None} if len(shown) == 2 else {}))
        return ExitCode.ANSWERED
    for (row, one), there, said in zip(found, placed, shown, strict=True):
        if len(found) == 2:
            click.echo(row.id)
        _print_estimate(one, there, free, context, said["instead"])
    if len(found) == 2:
        click.echo(
            f"Both at once take {size_text(sum(one.needed for _, one in found))}; they fit."
            if both
            else "They do not fit at once: one makes room for the other."
        )
    return ExitCode.ANSWERED


def _estimated(row: ModelRow, store: Store, context: int) -> tuple[ModelRow, Estimate]:
    found = estimate_row(row, store, context)
    if found is None:
        raise UsageError(
            f"Nothing is known of the memory that {row.id} takes.",
            remedy="Pull it first; encoders are not estimated yet.",
        )
    return row, found


def _print_estimate(
    found: Estimate, there: Placement | None, free: FreeMemory, context: int, advice: Any
) -> None:
    parts = [
        ("weights", found.weights),
        (f"keys and values of {found.context} tokens", found.cache),
        ("buffers and program", found.buffers),
        ("needed", found.needed),
        *([("at its peak, while memory is free", found.peak)] if found.reorder else []),
        *([("free here", free.main)] if free.main else []),
        *([("free on the GPU", free.gpu)] if free.gpu else []),
    ]
    for line in table([[name, size_text(size)] for name, size in parts]):
        click.echo(line)
    if not found.exact:
        click.echo("Roughly: its file is not here to be asked.", err=True)
    if context > found.context:
        click.echo(f"The model was made for {found.context} tokens at most.", err=True)
    if there and free.gpu:
        click.echo(f"On the GPU run {there.layers} of its {there.of} layers.")
    if free.main:
        click.echo("It fits." if there else f"It does not fit. {_said(advice or {})}")


def _advice(
    row: ModelRow,
    store: Store,
    context: int,
    free: FreeMemory,
    rows: list[ModelRow],
    there: Placement | None,
) -> dict[str, object]:
    """Return what fits instead; nothing when the model itself does."""
    if there:
        return {}
    try:
        path = store.file(row)
        smaller = context_that_fits(read_header(path), path.stat().st_size, free, context)
    except (OSError, HeaderFault):
        smaller = None
    other = smaller_model(rows, store, row, free)
    return {"context": smaller, "model": other.id if other else None}


def _said(advice: dict[str, object]) -> str:
    context, model = advice.get("context"), advice.get("model")
    said = [f"--context {context} does."] if context else []
    said += [f"{model} does."] if model else []
    return " ".join(said) or "Nothing in the catalogue does."


@click.command("speed")
@click.argument("model_id", metavar="ID")
@json_option
def speed_(model_id: str, as_json: bool) -> int:
    """Load the model ID, and measure how fast it reads and writes here."""
    catalogue, store = known_models(os.environ)
    row = catalogue.row(model_id)
    if row.roles == ("encoder",):
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
    if as_json:
        shown = {role: model_object(row, store, {}) for role, row in rows.items()}
        print_json(
            {
                "recommendation": {
                    **shown,
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
    if not all(row.verified for row in rows.values()):
        starter = ", ".join(row.id for row in catalogue.starter())
        click.echo(f"Their answers have not been measured yet; those of {starter} have.", err=True)
    if note:
        click.echo(note, err=True)
    return ExitCode.ANSWERED
