"""What fits into this machine's memory, told before anything is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from app.settings.config import Config
from models.errors import ModelUnknown
from models.roles import READING
from models.store.catalogue import Catalogue, ModelRow
from models.store.estimate import (
    CONTEXT,
    Estimate,
    checked_header,
    context_that_fits,
    estimate,
    estimate_row,
    layers_that_fit,
    rough_estimate,
    smaller_model,
    too_large,
)
from models.store.store import Store
from models.system.machine import memory

REPLY_TOKENS = 2048
"""Beside its prompt, what a model's context must hold: all replies of a batch."""


def context_for(config: Config, max_context: int | None) -> int:
    """Return the tokens to load a model with; it takes no more than it was trained for.

    `models.context` where it is set. Otherwise no prompt is longer than `max_context`, so a small
    one saves memory, and a large one is given room.
    """
    asked = config.values.models.context
    if asked is not None:
        return asked
    return max_context + REPLY_TOKENS if max_context else CONTEXT


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """How a GGUF model is to be loaded."""

    gpu_layers: int
    """-1 for all."""
    cache: int | None
    """Bytes that keys and values may take; None where the machine does not say."""


class Room:
    """The memory there is for models, and what each of them takes of it."""

    def __init__(self, catalogue: Catalogue, store: Store, context: int) -> None:
        """Models are loaded with a context of so many tokens."""
        self._catalogue = catalogue
        self._store = store
        self._context = context

    @cached_property
    def _at_first(self) -> int:
        """Bytes that were free before the first model was loaded; 0 for unknown.

        Later the system counts weights as free that it has mapped and could drop.
        """
        free = memory().free
        return free + self._on_gpus() if free else 0

    def _on_gpus(self) -> int:
        from models.llama.library import gpus_used  # imports llama.cpp, about half a second

        return sum(gpu.memory.free for gpu in gpus_used())

    def fit(self, row: ModelRow, path: Path, *, reads: bool = False) -> LoadPlan:
        """Return how to load a GGUF file, to read its attention too or not.

        Raises `ModelUnusable` and `ModelTooLarge`.
        """
        header, size = checked_header(path, row.id), path.stat().st_size
        _ = self._at_first
        free, on_gpu = memory().free, self._on_gpus()
        found = estimate(header, self._context, size, reads=reads)
        room = free + on_gpu
        if free and found.needed > room:
            context = context_that_fits(header, size, room, self._context, reads=reads)
            other = smaller_model(self._catalogue.rows, self._store, row, room)
            raise too_large(found, row, room, context, other)
        layers = layers_that_fit(header, self._context, size, on_gpu, reads=reads)
        return LoadPlan(
            gpu_layers=-1 if layers >= header.layers else layers,
            cache=room - found.weights - found.buffers if free else None,
        )

    def both(self, one: str, other: str) -> bool:
        """Say whether two models have room at once. What is not of this machine takes none.

        A GGUF file that is loaded twice is in memory once: its pages are shared.
        """
        loads = [self._estimated(model_id) for model_id in (one, other)]
        needed = sum(found.needed for found, _ in loads if found)
        first, second = loads
        if first[0] and first[1] == second[1]:
            needed -= first[0].weights
        return not self._at_first or needed <= self._at_first

    def _estimated(self, wanted: str) -> tuple[Estimate | None, str]:
        """Return what a model takes, None where it is a server's, and whose file it maps."""
        model_id = wanted.removesuffix(READING)
        try:
            row = self._catalogue.row(model_id)
        except ModelUnknown:
            return None, ""
        reads = wanted != model_id
        found = estimate_row(row, self._store, self._context, reads=reads)
        if found is not None:
            return found, model_id
        return rough_estimate(row, self._context, reads=reads), wanted
