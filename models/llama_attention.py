"""Reads attention while llama.cpp prefills: how much each token of a context received."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from models.columns import ColumnReader, Sums
from models.errors import RuntimeFailed
from models.generating import DEFAULT_CONTEXT
from models.llama import physical_cores
from models.llama_api import LlamaContext, LlamaModel, TensorReader, TensorWatcher, self_test
from models.protocols import Stopped

BLOCK = 256
"""Rows at a time. A block of one layer takes 256 · heads · context · 4 bytes inside llama.cpp."""
TENSOR = "kq_soft_max-{}"
"""llama.cpp's name for a layer's attention after the softmax."""


def load_llama_attention(
    path: Path, model_id: str, *, context: int = DEFAULT_CONTEXT, gpu_layers: int = -1
) -> LlamaAttentionReader:
    """Load a verified GGUF file to read its attention. Raises `RuntimeFailed`.

    Whether a context uses flash attention, which shows no attention, is settled for good when it
    is made: a reader needs one of its own.
    """
    self_test()
    model = LlamaModel(path, gpu_layers=gpu_layers)
    try:
        if not model.cuts or model.window:
            layers = "attend to the last tokens only" if model.cuts else "are recurrent"
            raise RuntimeFailed(
                f"Layers of {model_id} {layers}, so its attention over a text cannot be read.",
                remedy="Choose another model or another strategy.",
            )
        return LlamaAttentionReader(model, model_id, context)
    except RuntimeFailed:
        model.close()
        raise


@dataclass
class Pass:
    """One pass over context and query."""

    context_tokens: int
    sums: dict[str, Sums]
    start: int = 0
    """Position of the first row of the block at work."""
    rows: int = 0
    heads: int = 1
    buffer: npt.NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))

    def visit(self, name: str, tensor: TensorReader) -> bool:
        """Add a block of rows, head by head; False once no chosen layer is left.

        The tensor's numbers are (heads, rows, columns), the columns padded beyond the cells in
        use. The cache was empty, so cell and position are the same.
        """
        columns = tensor.size // (self.heads * self.rows)
        if self.buffer.size != self.rows * columns:
            self.buffer = np.empty(self.rows * columns, np.float32)
        sums, c = self.sums[name], self.context_tokens
        of_context = min(max(c - self.start, 0), self.rows)
        width = min(columns, c)
        for head in range(self.heads):
            tensor.read(head * self.buffer.size, self.buffer)
            rows = self.buffer.reshape(self.rows, columns)[:, :width]
            sums.context[:width] += rows[:of_context].sum(axis=0, dtype=np.float64)
            sums.query[:width] += rows[of_context:].sum(axis=0, dtype=np.float64)
        sums.seen += self.rows
        return any(other.seen < sums.seen for other in self.sums.values())


class LlamaAttentionReader(ColumnReader):
    """A GGUF model whose attention is read."""

    _model: LlamaModel

    def _sums(
        self, tokens: list[int], c: int, layers: Sequence[int], stopped: Stopped | None
    ) -> list[Sums]:
        names = [TENSOR.format(layer) for layer in layers]
        work = Pass(c, {name: Sums(np.zeros(c), np.zeros(c)) for name in names})
        work.heads = self._model.heads
        context = LlamaContext(
            self._model,
            context=len(tokens),
            sequences=1,
            threads=physical_cores(),
            chunk=min(BLOCK, len(tokens)),
            watcher=TensorWatcher(work.visit, names),
        )
        try:
            for start in range(0, len(tokens), BLOCK):
                block = tokens[start : start + BLOCK]
                work.start, work.rows = start, len(block)
                rows = [(t, p, 0, False) for p, t in enumerate(block, start=start)]
                context.decode(rows, stopped)
        finally:
            context.close()
        self._usage.prompt += len(tokens)
        self._usage.calls += 1
        self._usage.computed += len(tokens)
        if any(sums.seen != len(tokens) for sums in work.sums.values()):
            raise RuntimeFailed(
                f"llama.cpp does not show the attention of {self._id}.",
                remedy="Choose another model or another strategy.",
            )
        return list(work.sums.values())
