"""Reads attention in transformers: how much each token of a context received."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from models.columns import ColumnReader, Sums
from models.generating import DEFAULT_CONTEXT
from models.protocols import Stopped
from models.torch_attend import Watch
from models.torch_context import TorchContext
from models.torch_model import Precision, TorchModel

BLOCK = 256
"""Rows at a time. A block takes 256 · heads that share keys · context · 4 bytes."""


def load_reader(
    path: Path,
    model_id: str,
    *,
    context: int = DEFAULT_CONTEXT,
    precision: Precision | None = "float32",
) -> TorchAttentionReader:
    """Load verified files. `models.torch_loading.load_torch_attention` is the door to this.

    In float32 unless asked otherwise: reactions are small differences of sums.
    """
    return TorchAttentionReader(TorchModel(path, model_id, precision=precision), model_id, context)


class TorchAttentionReader(ColumnReader):
    """A model in transformers whose attention is read."""

    _model: TorchModel

    def _sums(
        self, tokens: list[int], c: int, layers: Sequence[int], stopped: Stopped | None
    ) -> list[Sums]:
        sums = {layer: Sums(np.zeros(c), np.zeros(c)) for layer in layers}
        watch = Watch(layers)
        context = TorchContext(
            self._model, context=len(tokens), sequences=1, chunk=BLOCK, watch=watch
        )
        for start in range(0, len(tokens), BLOCK):
            block = tokens[start : start + BLOCK]
            watch.sums, watch.context_rows = {}, min(max(c - start, 0), len(block))
            context.decode([(t, p, 0, False) for p, t in enumerate(block, start=start)], stopped)
            for layer, (of_context, of_query) in watch.sums.items():
                width = min(len(of_context), c)
                sums[layer].context[:width] += of_context[:width].cpu().numpy()
                sums[layer].query[:width] += of_query[:width].cpu().numpy()
                sums[layer].seen += len(block)
        self._usage.prompt += len(tokens)
        self._usage.computed += len(tokens)
        return [sums[layer] for layer in layers]
