"""What fits into this machine's memory, told before anything is loaded."""

from __future__ import annotations

from collections.abc import Callable
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
    estimate,
    estimate_row,
    rough_estimate,
)
from models.store.placement import (
    FreeMemory,
    Placement,
    both_placed,
    context_that_fits,
    place,
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


def _free_on_gpus() -> int:
    from models.llama.library import gpus_used  # imports llama.cpp, about half a second

    return sum(gpu.memory.free for gpu in gpus_used())


class Room:
    """The memory there is for models, and what each of them takes of it."""

    def __init__(
        self,
        catalogue: Catalogue,
        store: Store,
        context: int,
        free_on_gpus: Callable[[], int] = _free_on_gpus,
    ) -> None:
        """Models are loaded with a context of so many tokens."""
        self._catalogue = catalogue
        self._store = store
        self._context = context
        self._free_on_gpus = free_on_gpus

    @cached_property
    def _at_first(self) -> FreeMemory:
        """What was free before the first model was loaded.

        Later the system counts weights as free that it has mapped and could drop.
        """
        return self._free()

    def _free(self) -> FreeMemory:
        return FreeMemory(memory().free, self._free_on_gpus())

    def fit(self, row: ModelRow, path: Path, *, reads: bool = False) -> LoadPlan:
        """Return how to load a GGUF file, to read its attention too or not.

        Raises `ModelUnusable` and `ModelTooLarge`.
        """
        header, size = checked_header(path, row.id), path.stat().st_size
        _ = self._at_first
        free = self._free()
        found = estimate(header, self._context, size, reads=reads)
        there = place(found, free)
        if there is None:
            context = context_that_fits(header, size, free, self._context, reads=reads)
            other = smaller_model(self._catalogue.rows, self._store, row, free)
            raise too_large(found, row, free, context, other)
        room = free.gpu if there.whole else free.total
        return LoadPlan(
            gpu_layers=-1 if there.layers >= header.layers else there.layers,
            cache=room - found.weights - found.buffers if free.main else None,
        )

    def both(self, one: str, other: str) -> bool:
        """Say whether two models have room at once. What is not of this machine takes none."""
        (first, path), (second, same) = self._estimated(one), self._estimated(other)
        if first is None or second is None:
            return True
        return both_placed(first, second, self._at_first, same_file=path == same) is not None

    def places(self, *ids: str) -> list[Placement | None]:
        """Return where models of this catalogue go: beside each other where they stay, else alone.

        None for one that has no room, or of which nothing is known.
        """
        found = [self._estimated(model_id)[0] for model_id in ids]
        if len(ids) == 2 and found[0] and found[1]:
            both = both_placed(found[0], found[1], self._at_first)
            if both:
                return list(both)
        return [place(one, self._at_first) if one else None for one in found]

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
