"""The key-value cache of the transformers runtime: cells that sequences share.

transformers' own caches hold a rectangle, every sequence as long as the longest. Here, as in
llama.cpp, a cell holds one token's keys and values and may belong to several sequences: the K
replies to a prompt attend to one copy of it, prompts of any length are packed without padding,
and a kept beginning costs nothing. The attention mask says which cells a row sees.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from transformers import Cache

from models.protocols import Cancelled, Stopped

STEP = 64
"""Masks are a multiple of this wide: attention kernels want even strides."""


class CellTable:
    """Which cells belong to which sequences, and at which positions."""

    def __init__(self, cells: int, sequences: int) -> None:
        """Begin with every cell free."""
        self.size = -(-cells // STEP) * STEP
        self._members = np.zeros((sequences, self.size), dtype=bool)
        self._positions = np.zeros(self.size, dtype=np.int64)

    def place(
        self, positions: npt.NDArray[np.int64], sequences: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Take the lowest free cell for each row, so that cells in use stay together."""
        free = np.flatnonzero(~self._members.any(axis=0))[: len(positions)]
        if len(free) < len(positions):
            raise MemoryError("the cache has no free cell")
        self._positions[free] = positions
        self._members[sequences, free] = True
        return free

    def seen(
        self,
        positions: npt.NDArray[np.int64],
        sequences: npt.NDArray[np.int64],
        window: int | None = None,
    ) -> tuple[slice, npt.NDArray[np.bool_]]:
        """Return the range of cells that the rows see, and which of it each row sees.

        The mask's shape is (rows, cells of the range). `window` is how many positions back a row
        sees, itself included.
        """
        used = np.flatnonzero(self._members[np.unique(sequences)].any(axis=0))
        low, high = int(used[0]) // STEP * STEP, -(-(int(used[-1]) + 1) // STEP) * STEP
        at = self._positions[low:high]
        mask = self._members[sequences, low:high] & (at <= positions[:, None])
        if window is not None:
            mask &= at > positions[:, None] - window
        return slice(low, high), mask

    def copy(self, source: int, target: int, start: int, end: int) -> None:
        """Let `target` share the cells of `source` at these positions; `end` -1: all."""
        at = self._positions
        within = (at >= start) & ((at < end) if end >= 0 else True)
        self._members[target] |= self._members[source] & within

    def cut(self, sequence: int, start: int) -> None:
        """Forget the sequence from position `start` on."""
        self._members[sequence] &= self._positions < start

    def clear(self) -> None:
        """Free every cell."""
        self._members[:] = False


class KeyValues(Cache):
    """Keys and values of every layer, each of shape (heads, cells, width)."""

    def __init__(self, cells: int) -> None:
        """A layer is allocated when it is first computed."""
        super().__init__(layers=[])
        self._cells = cells
        self._kept: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self.slots = torch.empty(0, dtype=torch.int64)
        """The cells of the batch's rows."""
        self.seen = slice(0)
        """The range of cells that the batch sees."""
        self.stopped: Stopped | None = None

    def update(
        self,
        key_states: torch.Tensor,
        value_states: torch.Tensor,
        layer_idx: int,
        *_: Any,
        **__: Any,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Put the rows' keys and values into their cells; return those that the batch sees.

        Every layer calls it, so this is the place to stop: it raises `Cancelled`.
        """
        if self.stopped is not None and self.stopped():
            raise Cancelled
        keys, values = self._layer(layer_idx, key_states, value_states)
        keys.index_copy_(1, self.slots, key_states[0])
        values.index_copy_(1, self.slots, value_states[0])
        return keys[None, :, self.seen], values[None, :, self.seen]

    def _layer(
        self, layer: int, keys: torch.Tensor, values: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        if layer not in self._kept:
            # Zeros, since masked cells are multiplied by 0 and unwritten memory may hold NaN.
            self._kept[layer] = (self._zeros(keys), self._zeros(values))
        return self._kept[layer]

    def _zeros(self, like: torch.Tensor) -> torch.Tensor:
        _, heads, _, width = like.shape
        return torch.zeros(heads, self._cells, width, dtype=like.dtype, device=like.device)

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """Return 0, since every batch comes with its positions."""
        return 0
