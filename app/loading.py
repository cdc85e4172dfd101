"""From a model's id to a loaded model: catalogue, store and runtime joined."""

from __future__ import annotations

import os

from app.config import Config
from app.errors import UsageError
from models.catalogue import Catalogue, Role, Row, load_catalogue
from models.files import Progress
from models.protocols import Generator
from models.roles import Loader, ModelSet
from models.store import Store


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
    Raises `ModelUnknown`, `ModelMissing` and `ModelCorrupt`.
    """
    catalogue = load_catalogue()
    store = Store.default(os.environ)
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
    """Return what `ModelSet` calls with an id when a model is first used."""

    def load(model_id: str) -> Generator:
        from models.llama import load_llama  # imports llama.cpp, about half a second

        return load_llama(store.open(catalogue.row(model_id)), model_id)

    return load
