"""Which model fills which role, and how a person chooses another."""

from __future__ import annotations

import os

from app.errors import UsageError
from app.local_models.server import served_roles
from app.settings.config import Config, load_config
from app.settings.edit import set_value
from models.errors import ModelUnknown
from models.store.catalogue import Catalogue, ModelRow, Role
from models.store.store import Store

ROLES: tuple[Role, ...] = ("lookahead", "generator", "encoder", "sparse_encoder")


ENCODERS: frozenset[Role] = frozenset({"encoder", "sparse_encoder"})
"""Roles without which questions are answered, too."""


def row_for(role: Role, flag: str | None, config: Config, catalogue: Catalogue) -> ModelRow:
    """Return the row that fills a role. Raises `ModelUnknown` or `UsageError`."""
    wanted = flag or getattr(config.values.models, role)
    if wanted is None:
        return catalogue.default(role)
    row = catalogue.row(wanted)
    if role not in row.roles:
        able = ", ".join(other.id for other in catalogue.able(role))
        raise UsageError(
            f'The model "{wanted}" cannot be the {role}.', remedy=f"Models that can: {able}."
        )
    return row


def installed(role: Role, config: Config, catalogue: Catalogue, store: Store) -> str | None:
    """Return the id of the encoder to use in a role, None when it is not here."""
    if getattr(config.values.models, role) is None and not catalogue.able(role):
        return None
    row = row_for(role, None, config, catalogue)
    return row.id if store.state(row) == "present" else None


def roles_in_use(config: Config, catalogue: Catalogue) -> tuple[dict[str, list[str]], list[str]]:
    """Return the roles each model fills now, by its id, and what is wrong with the settings.

    A setting that names no model fills none, nor does a role that a server fills.
    """
    used: dict[str, list[str]] = {}
    faults = []
    served = served_roles(config, {})
    for role in ROLES:
        nobody = getattr(config.values.models, role) is None and not catalogue.able(role)
        if role in served or (role in ENCODERS and nobody):
            continue
        try:
            row = row_for(role, None, config, catalogue)
        except (ModelUnknown, UsageError) as error:
            faults.append(f"[models] {role}: {error}")
            continue
        used.setdefault(row.id, []).append(role)
    return used, faults


def choose(
    role: Role, model_id: str, config: Config, catalogue: Catalogue
) -> tuple[ModelRow, Config]:
    """Use a model from now on; return its row and the settings as they are then.

    Raises `ModelUnknown`, `UsageError` for a role it cannot fill or a variable that overrides
    the choice, `ConfigError` and `ConfigNotWritten`.
    """
    row = row_for(role, model_id, config, catalogue)
    set_value(config.path, "models", role, row.id)
    changed = load_config(os.environ)
    if getattr(changed.values.models, role) != row.id:
        variable = changed.origins[f"models.{role}"]
        raise UsageError(
            f"{row.id} is now the {role} in {config.path}, but {variable} overrides it.",
            remedy=f"Unset {variable}.",
        )
    return row, changed
