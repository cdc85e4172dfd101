"""Reads attention in transformers: how much each token of a context received."""

from __future__ import annotations

from pathlib import Path

from models.decoding.columns import ColumnReader, refuse_unreadable
from models.decoding.generator import DEFAULT_CONTEXT, refuse_beyond
from models.errors import RuntimeFailed
from models.torch.columns import TorchColumns
from models.torch.context import TorchContext
from models.torch.fit import free_bytes
from models.torch.model import Precision, TorchModel

BLOCK = 256
"""Rows at a time. A block takes 256 · heads that share keys · context · 4 bytes."""


def load_reader(
    path: Path,
    model_id: str,
    *,
    context: int = DEFAULT_CONTEXT,
    precision: Precision | None = "float32",
) -> TorchAttentionReader:
    """Load verified files. Use `models.torch.loaders.load_torch_attention`.

    In float32 unless asked otherwise: reactions are small differences of sums. Raises
    `RuntimeFailed` for a model with layers that see only the last tokens.
    """
    model = TorchModel(path, model_id, precision=precision)
    try:
        refuse_unreadable(model, model_id)
        size = min(context, model.train_context)
        refuse_beyond(free_bytes(model.device), model.cache_bytes(size), size, model_id)
    except RuntimeFailed:
        model.close()
        raise
    return TorchAttentionReader(model, model_id, context)


class TorchAttentionReader(ColumnReader):
    """A model in transformers whose attention is read."""

    _model: TorchModel

    def _open(self, size: int) -> tuple[TorchContext, TorchColumns]:
        watch = TorchColumns(stops=True)
        context = TorchContext(
            self._model, context=size, sequences=1, chunk=BLOCK, watch=watch.inside
        )
        return context, watch
