"""`askance models estimate`: the memory that models take, before they are loaded."""

from __future__ import annotations

import os
from typing import Any

import click

from app.commands.shared.options import json_option
from app.errors import UsageError
from app.exits import ExitCode
from app.local_models.loader import known_models
from app.local_models.rows import free_on_gpus
from app.output.models import estimate_object, table
from app.output.objects import print_json
from app.output.report import size_text
from models.store.catalogue import ModelRow
from models.store.estimate import CONTEXT, Estimate, estimate_row
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
from models.system.machine import memory


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
