"""A `Generator` over llama.cpp."""

from __future__ import annotations

import os
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
from models.llama.columns import LlamaColumns
from models.llama.context import LlamaContext
from models.llama.library import self_test
from models.llama.model import LlamaModel
from models.llama.precautions import NONE, Precautions

CHUNK = 512
"""Prompt tokens per decode call. Shorter ones prefill slower, longer ones need more memory and
delay Ctrl-C on a GPU."""


def load_llama(
    path: Path,
    model_id: str,
    *,
    context: int = DEFAULT_CONTEXT,
    gpu_layers: int = -1,
    memory: int | None = None,
    kept_prompts: int = KEPT_PROMPTS,
    attentive: bool = False,
    precautions: Precautions = NONE,
    adapter: Path | None = None,
) -> LlamaGenerator:
    """Load a verified GGUF file. Raises `RuntimeFailed`.

    `context` is in tokens, at most what the model was trained for. `gpu_layers` is how many
    layers fit into the GPU's memory by the estimate, -1 for all; a build without a GPU ignores it.
    `memory` is how many bytes the cache may take: where the system promises more memory than it
    has, asking for too much would end the program later instead of failing now. `attentive` loads
    it for `sample_and_read`: without flash attention, which shows no attention. `precautions` are
    those that `models.proof.proof.proved` found necessary here. `adapter` is the file of a LoRA
    adapter for requests that ask for it.
    """
    self_test()
    model = LlamaModel(path, gpu_layers=gpu_layers, precautions=precautions, adapter=adapter)
    try:
        size = min(context, model.train_context)
        if attentive:
            refuse_unreadable(model, model_id)
        refuse_beyond(memory, model.cache_bytes(size), size, model_id)
        return LlamaGenerator(
            model, model_id, context, kept_prompts=kept_prompts, attentive=attentive
        )
    except RuntimeFailed:
        model.close()
        raise


class LlamaGenerator(BatchGenerator):
    """A GGUF model in llama.cpp."""

    def __init__(
        self,
        model: LlamaModel,
        model_id: str,
        context: int,
        *,
        kept_prompts: int = KEPT_PROMPTS,
        attentive: bool = False,
    ) -> None:
        """Allocate the context. Use `load_llama`."""
        size = min(context, model.train_context)
        columns = LlamaColumns(model.heads, stops=False) if attentive else None
        cells = LlamaContext(
            model,
            context=size,
            sequences=MAX_SEQUENCES + kept_prompts,
            threads=physical_cores(),
            chunk=CHUNK,
            watcher=columns.watcher if columns else None,
        )
        super().__init__(model, model_id, cells, size, kept_prompts, columns)


def physical_cores() -> int:
    """Return the cores this process may use; hyper-threads slow llama.cpp down."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    return max(1, allowed or os.cpu_count() or 1)
