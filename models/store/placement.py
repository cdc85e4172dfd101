"""Where a model goes: as many of its layers as fit on the GPU, the rest into main memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from models.store.catalogue import ModelRow
from models.store.estimate import CONTEXT, Estimate, ModelTooLarge, estimate, estimate_row
from models.store.gguf import GgufHeader
from models.store.store import Store

SMALLEST_CONTEXT = 1024


@dataclass(frozen=True, slots=True)
class FreeMemory:
    """Bytes that a program can get."""

    main: int
    """0 is unknown: nothing is refused for want of it."""
    gpu: int = 0
    """Of all GPUs that llama.cpp uses."""

    @property
    def total(self) -> int:
        """Bytes of both, 0 where nobody knows."""
        return self.main + self.gpu if self.main else 0

    def without(self, place: Placement) -> FreeMemory:
        """Return what a model leaves of it."""
        main = max(self.main - place.main, 1) if self.main else 0
        return FreeMemory(main, self.gpu - place.gpu)


@dataclass(frozen=True, slots=True)
class Placement:
    """What a model takes of each memory."""

    layers: int
    """On the GPU."""
    of: int
    main: int
    gpu: int

    @property
    def whole(self) -> bool:
        """Whether every layer runs on the GPU."""
        return bool(self.layers) and self.layers == self.of


def place(found: Estimate, free: FreeMemory) -> Placement | None:
    """Return where a model goes, None where it has no room.

    Output layer and buffers go to the GPU first, as in llama.cpp. A model with layers on both
    sides has buffers on both. One whose layers are not known goes as a whole.
    """
    of = found.layers or 1
    each = (found.weights + found.cache) // (of + 1)
    layers = max(0, min(of, (free.gpu - found.buffers - each) // max(each, 1)))
    on_gpu = layers * each + (found.buffers + each if layers else 0)
    main = 0 if layers == of else found.needed - layers * each
    if free.main and main > free.main:
        return None
    return Placement(layers, of, main, on_gpu)


def both_placed(
    one: Estimate, other: Estimate, free: FreeMemory, *, same_file: bool = False
) -> tuple[Placement, Placement] | None:
    """Return where two models go that are loaded one after the other, None where one must go.

    One must go where a memory is too small, and where the second would fit whole on the GPU if it
    had it alone: loading again takes seconds, and layers on the processor slow every answer. Two
    loads of the `same_file` share its pages in main memory, and nothing on a GPU.
    """
    first = place(one, free)
    if first is None:
        return None
    shared = same_file and not first.layers
    second = place(replace(other, weights=0) if shared else other, free.without(first))
    alone = place(other, free)
    if second is None or (alone is not None and alone.whole and not second.whole):
        return None
    return first, second


def context_that_fits(
    header: GgufHeader, file_size: int, free: FreeMemory, wanted: int, *, reads: bool = False
) -> int | None:
    """Return the largest power of two below `wanted` whose estimate fits; None when none does."""
    tokens = 1 << (min(wanted, header.context or wanted) - 1).bit_length()
    while tokens >= SMALLEST_CONTEXT:
        found = estimate(header, tokens, file_size, reads=reads)
        if tokens < wanted and place(found, free):
            return tokens
        tokens //= 2
    return None


def smaller_model(
    rows: Iterable[ModelRow], store: Store, than: ModelRow, free: FreeMemory
) -> ModelRow | None:
    """Return the largest model with the same role that fits; models that are here come first."""
    able = [
        (store.state(row) == "present", found.needed, row)
        for row in rows
        if row.id != than.id
        and set(row.roles) & set(than.roles)
        and (found := estimate_row(row, store, CONTEXT))
        and place(found, free)
    ]
    return max(able, key=lambda one: one[:2])[2] if able else None


def too_large(
    found: Estimate, row: ModelRow, free: FreeMemory, context: int | None, other: ModelRow | None
) -> ModelTooLarge:
    """Return the refusal of an estimate above the memory, naming what does fit instead."""
    remedy = "Close other programs, or choose a smaller model: askance models recommend."
    if other:
        remedy = f"Close other programs, or use {other.id}, which fits."
    if context:
        remedy = f"With a context of {context} tokens it fits. {remedy}"
    return ModelTooLarge(
        f"{row.id} needs about {found.needed / 1e9:.1f} GB with a context of {found.context} "
        f"tokens; {free.total / 1e9:.1f} GB are free. It was not loaded.",
        remedy=remedy,
    )
