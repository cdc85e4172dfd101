"""Every model of the catalogue with what can be said of it here: state, fit, roles, GPU share."""

from __future__ import annotations

import os
from dataclasses import dataclass

from app.local_models.loader import known_models
from app.local_models.roles import roles_in_use
from app.output.models import fits
from app.output.report import size_text
from app.settings.config import Config
from models.errors import RuntimeFailed
from models.proof.description import described
from models.store.catalogue import Catalogue, ModelRow
from models.store.estimate import CONTEXT, Estimate, estimate_row
from models.store.placement import FreeMemory, place
from models.store.store import State, Store
from models.system.machine import gpus_present, memory


@dataclass(frozen=True, slots=True)
class ModelShown:
    """One model."""

    row: ModelRow
    state: State
    estimate: Estimate | None
    """Memory it takes; None where nothing is known."""
    used: tuple[str, ...]
    """The roles it fills now."""
    gpu: str
    """Which share of it a GPU takes; empty without one that llama.cpp uses."""

    @property
    def fit(self) -> str:
        """`fits`, `too large`, or empty where nobody can tell."""
        return {True: "fits", False: "too large", None: ""}[fits(self.estimate)]

    @property
    def size(self) -> str:
        """The size of its files."""
        return size_text(self.row.total_size) if self.row.total_size else "size unknown"


@dataclass(frozen=True, slots=True)
class ModelsShown:
    """All of them."""

    catalogue: Catalogue
    store: Store
    models: tuple[ModelShown, ...]
    """Those that are here first, then those that fill a role."""
    faults: tuple[str, ...]
    """What is wrong with the settings of models, and with llama.cpp."""


def models_shown(config: Config) -> ModelsShown:
    """Look at all models; reads headers of files, and asks llama.cpp where there is a GPU.

    Raises `ModelError` when the person's own rows cannot be used, and `SettingWrong`.
    """
    catalogue, store = known_models(os.environ)
    used, faults = roles_in_use(config, catalogue)
    free = 0
    try:
        free = free_on_gpus()
    except RuntimeFailed as error:
        faults = [*faults, error.message]
    shown = [
        ModelShown(
            row,
            store.state(row),
            estimate_row(row, store, CONTEXT),
            tuple(used.get(row.id, ())),
            _gpu_share(row, store, free),
        )
        for row in catalogue.rows
    ]
    shown.sort(key=lambda one: (one.state == "absent", not one.used))
    return ModelsShown(catalogue, store, tuple(shown), tuple(faults))


def detail_lines(shown: ModelShown) -> list[str]:
    """Return all there is to say of a model."""
    row = shown.row
    kind = [f"{row.parameters / 1e9:.1f} billion parameters"] if row.parameters else []
    kind += [row.quantisation, f"up to {row.context:,} tokens" if row.context else "", row.licence]
    unseen = "" if row.verified else "; its answers have not been measured yet"
    return [
        f"{row.title}: {', '.join(filter(None, kind))}{unseen}",
        _need(shown),
        f"Can be {', '.join(row.roles)}"
        + (f"; is {', '.join(shown.used)} now" if shown.used else "")
        + (f". {shown.gpu}" if shown.gpu else ""),
    ]


def _need(shown: ModelShown) -> str:
    found, free = shown.estimate, memory().free
    if found is None:
        return "Nothing is known of the memory it takes."
    about = "" if found.exact else "about "
    room = f"; {size_text(free)} are free" if free else ""
    now = "" if not free or found.needed <= free else ", which is less: close other programs"
    return f"Takes {about}{size_text(found.needed)} with {found.context:,} tokens{room}{now}"


def free_on_gpus() -> int:
    """Return the bytes that GPUs have free for llama.cpp; 0 without one. Raises `RuntimeFailed`.

    A process of its own asks, since a broken library would crash this one.
    """
    if not gpus_present():
        return 0
    return sum(gpu.memory.free for gpu in described().gpus)


def _gpu_share(row: ModelRow, store: Store, free: int) -> str:
    found = estimate_row(row, store, CONTEXT) if free else None
    there = place(found, FreeMemory(memory().free, free)) if found and found.exact else None
    return f"{there.layers} of {there.of} layers go to the GPU" if there else ""
