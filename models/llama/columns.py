"""Adds up columns of attention while llama.cpp computes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from models.decoding.columns import ColumnWatch, Sums
from models.llama.tensors import TensorReader, TensorWatcher

TENSOR = "kq_soft_max-{}"
"""llama.cpp's name for a layer's attention after the softmax."""


class LlamaColumns(ColumnWatch):
    """Adds up columns of attention as llama.cpp computes them."""

    def __init__(self, heads: int, *, stops: bool) -> None:
        """With `stops`, no layer after the last watched one is computed."""
        super().__init__()
        self.watcher = TensorWatcher(self._visit)
        self._heads = heads
        self._stops = stops
        self._layers: dict[str, int] = {}
        self._buffer = np.empty(0, np.float32)

    def begin(self, layers: Sequence[int], context_tokens: int) -> None:
        """Watch these layers; the first tokens are the context's, all others the query's."""
        super().begin(layers, context_tokens)
        self._layers = {TENSOR.format(layer): layer for layer in layers}
        self.watcher.look_for(self._layers)

    def end(self) -> list[Sums]:
        """Return each layer's sums and watch no more."""
        self.watcher.look_for(())
        return super().end()

    def _visit(self, name: str, tensor: TensorReader) -> bool:
        """Add a block of rows, head by head; False ends the calculation.

        The tensor's numbers are (heads, rows, columns), the columns padded beyond the cells in
        use.
        """
        columns = tensor.size // (self._heads * self._rows)
        if self._buffer.size != self._rows * columns:
            self._buffer = np.empty(self._rows * columns, np.float32)
        sums, of_context = self.sums[self._layers[name]], self.context_rows
        width = min(columns, self._context_tokens)
        for head in range(self._heads):
            tensor.read(head * self._buffer.size, self._buffer)
            rows = self._buffer.reshape(self._rows, columns)[:, :width]
            sums.context[:width] += rows[:of_context].sum(axis=0, dtype=np.float64)
            sums.query[:width] += rows[of_context:].sum(axis=0, dtype=np.float64)
        sums.seen += self._rows
        return not self._stops or any(other.seen < sums.seen for other in self.sums.values())
