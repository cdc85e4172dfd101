"""Which model fills which role, and how a person chooses another."""

from __future__ import annotations

import os

from app.errors import UsageError
from app.local_models.loader import row_for
from app.local_models.server import served_roles
from app.settings.config import Config, load_config
from app.settings.edit import set_value
from models.errors import ModelUnknown
from models.store.catalogue import Catalogue, ModelRow, Role

ROLES: tuple[Role, ...] = ("lookahead", "generator", "encoder", "sparse_encoder")


ENCODERS: frozenset[Role] = frozenset({"encoder", "sparse_encoder"})
"""Roles without which questions are answered, too."""


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
