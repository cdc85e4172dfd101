"""From a model's id to a loaded model: catalogue, store and runtime joined."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from app.config import Config, config_path
from app.errors import UsageError
from models.catalogue import Catalogue, Role, Row, load_catalogue
from models.consent import bind
from models.estimate import (
    CONTEXT,
    checked_header,
    context_that_fits,
    estimate,
    layers_that_fit,
    smaller_model,
    too_large,
)
from models.files import Progress
from models.machine import memory
from models.protocols import Generator
from models.roles import Loader, ModelSet
from models.store import Store
from models.user_rows import FILE, load_user_rows


def user_rows_path(environ: Mapping[str, str]) -> Path:
    """Return the file of the person's own rows."""
    return config_path(environ).with_name(FILE)


def known_models(environ: Mapping[str, str]) -> tuple[Catalogue, Store]:
    """Return the catalogue, with the person's rows and what they accepted, and their store.

    Raises `ModelError` when the person's own file cannot be used.
    """
    store = Store.default(environ)
    path = user_rows_path(environ)
    catalogue = load_catalogue().joined(load_user_rows(path), str(path))
    return bind(catalogue, store.root), store


def model_set(
    config: Config,
    *,
    lookahead: str | None = None,
    generator: str | None = None,
    progress: Progress | None = None,
) -> ModelSet:
    """Choose the models: flags, then settings, then the catalogue's defaults.

    They are checked and not loaded yet, so that nobody reads a mailbox first to learn that a
    model is missing. A file is hashed once (`progress`); after that its signature is compared.
    Raises `ModelUnknown`, `ModelMissing`, `ModelUnverified` and `ModelCorrupt`.
    """
    catalogue, store = known_models(os.environ)
    chosen = {
        "lookahead": row_for("lookahead", lookahead, config, catalogue),
        "generator": row_for("generator", generator, config, catalogue),
    }
    for row in dict.fromkeys(chosen.values()):
        store.open(row, progress)
    return ModelSet(chosen["lookahead"].id, chosen["generator"].id, loader(catalogue, store))


def row_for(role: Role, flag: str | None, config: Config, catalogue: Catalogue) -> Row:
    """Return the row that fills a role. Raises `ModelUnknown` or `UsageError`."""
    wanted = flag or config.text(f"models.{role}")
    if wanted is None:
        return catalogue.default(role)
    row = catalogue.row(wanted)
    if role not in row.roles:
        able = ", ".join(other.id for other in catalogue.rows if role in other.roles)
        raise UsageError(
            f'The model "{wanted}" cannot be the {role}.', remedy=f"Models that can: {able}."
        )
    return row


def loader(catalogue: Catalogue, store: Store) -> Loader:
    """Return what `ModelSet` calls with an id when a model is first used.

    It raises `ModelUnusable` and `ModelTooLarge` before llama.cpp sees the file.
    """

    def load(model_id: str) -> Generator:
        from models.llama import load_llama  # imports llama.cpp, about half a second

        row = catalogue.row(model_id)
        path = store.open(row)
        return load_llama(path, model_id, gpu_layers=fitting_layers(row, path, catalogue, store))

    return load


def fitting_layers(row: Row, path: Path, catalogue: Catalogue, store: Store) -> int:
    """Return how many layers go to the GPU, -1 for all, where the model fits at all."""
    from models.llama_system import gpus_used

    header, size = checked_header(path, row.id), path.stat().st_size
    on_gpu = sum(gpu.memory.free for gpu in gpus_used())
    free = memory().free
    if free:
        found, room = estimate(header, CONTEXT, size), free + on_gpu
        if found.needed > room:
            context = context_that_fits(header, size, room, CONTEXT)
            other = smaller_model(catalogue.rows, store, row, room)
            raise too_large(found, row, room, context, other)
    layers = layers_that_fit(header, CONTEXT, size, on_gpu)
    return -1 if layers >= header.layers else layers
