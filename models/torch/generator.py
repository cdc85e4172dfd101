"""A `Generator` over transformers, on a GPU or a CPU."""

from __future__ import annotations

from pathlib import Path

from models.decoding.columns import refuse_unreadable
from models.decoding.generator import (
    DEFAULT_CONTEXT,
    KEPT_PROMPTS,
    MAX_SEQUENCES,
    BatchGenerator,
    refuse_beyond,
)
from models.errors import RuntimeFailed
from models.torch.columns import TorchColumns
from models.torch.context import TorchContext
from models.torch.fit import free_bytes
from models.torch.model import Precision, TorchModel

CHUNKS = {"cpu": 256, "cuda": 1024}
"""Prompt tokens per batch: a GPU needs more rows than a CPU to be busy."""


def load_generator(
    path: Path,
    model_id: str,
    *,
    context: int = DEFAULT_CONTEXT,
    memory: int | None = None,
    precision: Precision | None = None,
    kept_prompts: int = KEPT_PROMPTS,
    attentive: bool = False,
) -> TorchGenerator:
    """Load verified files. Use `models.torch.loaders.load_torch`.

    `memory` is how many bytes the cache may take; what is free when not given. `attentive` loads
    them for `sample_and_read`.
    """
    model = TorchModel(path, model_id, precision=precision)
    try:
        if attentive:
            refuse_unreadable(model, model_id)
        size = min(context, model.train_context)
        free = free_bytes(model.device) if memory is None else memory
        refuse_beyond(free, model.cache_bytes(size), size, model_id)
        return TorchGenerator(model, model_id, size, kept_prompts=kept_prompts, attentive=attentive)
    except RuntimeFailed:
        model.close()
        raise


class TorchGenerator(BatchGenerator):
    """A model in transformers."""

    def __init__(
        self,
        model: TorchModel,
        model_id: str,
        size: int,
        *,
        kept_prompts: int = KEPT_PROMPTS,
        attentive: bool = False,
    ) -> None:
        """Allocate the context by running one token. Raises `MemorySpent`."""
        columns = TorchColumns(stops=False) if attentive else None
        context = TorchContext(
            model,
            context=size,
            sequences=MAX_SEQUENCES + kept_prompts,
            chunk=CHUNKS[model.device.type],
            watch=columns.inside if columns else None,
        )
        super().__init__(model, model_id, context, size, kept_prompts, columns)
        context.decode([(0, 0, 0, True)])
        context.clear()
