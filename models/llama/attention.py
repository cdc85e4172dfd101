"""Reads attention while llama.cpp prefills: how much each token of a context received."""

from __future__ import annotations

from pathlib import Path

from models.decoding.columns import ColumnReader, refuse_unreadable
from models.decoding.generator import DEFAULT_CONTEXT, refuse_beyond
from models.errors import RuntimeFailed
from models.llama.columns import LlamaColumns
from models.llama.context import LlamaContext
from models.llama.generator import physical_cores
from models.llama.library import self_test
from models.llama.model import LlamaModel
from models.llama.precautions import NONE, Precautions

BLOCK = 256
"""Rows at a time. A block of one layer takes 256 · heads · context · 4 bytes inside llama.cpp."""


def load_llama_attention(
    path: Path,
    model_id: str,
    *,
    context: int = DEFAULT_CONTEXT,
    gpu_layers: int = -1,
    memory: int | None = None,
    precautions: Precautions = NONE,
) -> LlamaAttentionReader:
    """Load a verified GGUF file to read its attention. Raises `RuntimeFailed`.

    `memory` and `precautions` mean what they mean to `models.llama.generator.load_llama`. A reader
    needs a context of its own: flash attention, which cannot be read, is turned off for a context
    when it is made.
    """
    self_test()
    model = LlamaModel(path, gpu_layers=gpu_layers, precautions=precautions)
    try:
        refuse_unreadable(model, model_id)
        size = min(context, model.train_context)
        refuse_beyond(memory, model.cache_bytes(size), size, model_id)
        return LlamaAttentionReader(model, model_id, context)
    except RuntimeFailed:
        model.close()
        raise


class LlamaAttentionReader(ColumnReader):
    """A GGUF model whose attention is read."""

    _model: LlamaModel

    def _open(self, size: int) -> tuple[LlamaContext, LlamaColumns]:
        watch = LlamaColumns(self._model.heads, stops=True)
        context = LlamaContext(
            self._model,
            context=size,
            sequences=1,
            threads=physical_cores(),
            chunk=min(BLOCK, size),
            watcher=watch.watcher,
        )
        return context, watch
