"""Which pair of the catalogue suits this machine."""

from __future__ import annotations

from dataclasses import dataclass

from models.store.catalogue import Catalogue, Device, ModelRow, Pair
from models.store.estimate import CONTEXT, estimate_row
from models.store.store import Store

SPARED = 0.9
"""Share of its nominal memory that a machine reports at least."""
SLOW_CORES = 4
"""With fewer cores, a model of 4 billion parameters writes slower than a person reads."""
SLOW_MEMORY = 8_000_000_000
"""The largest CPU pair for such a machine."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A pair, and why."""

    pair: Pair
    lookahead: ModelRow
    generator: ModelRow
    needed: int
    """Bytes of both loaded together."""
    together: bool
    """Whether both fit at once; otherwise one is unloaded for the other."""
    reason: str


def recommend(
    catalogue: Catalogue, store: Store, *, device: Device, total: int, free: int, cores: int
) -> Recommendation:
    """Return the largest pair for the device: its memory in bytes, in total and free."""
    pairs = [pair for pair in catalogue.pairs if pair.device == device]
    fitting = [pair for pair in pairs if pair.memory * SPARED <= total]
    reason = f"{total / 1e9:.0f} GB of {'GPU memory' if device == 'gpu' else 'memory'}"
    if device == "cpu" and cores < SLOW_CORES:
        quick = [pair for pair in fitting if pair.memory <= SLOW_MEMORY]
        reason += (
            f", and {cores} core{'' if cores == 1 else 's'}, on which larger models are slow"
            if quick
            else ""
        )
        fitting = quick or fitting
    pair = (fitting or pairs)[-1] if fitting else pairs[0]
    lookahead, generator = catalogue.row(pair.lookahead), catalogue.row(pair.generator)
    found = [estimate_row(row, store, CONTEXT) for row in (lookahead, generator)]
    needed = sum(one.needed for one in found if one)
    return Recommendation(pair, lookahead, generator, needed, needed <= free, reason)
