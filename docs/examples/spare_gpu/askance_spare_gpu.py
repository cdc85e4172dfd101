"""A runtime that leaves the GPU to others: llama.cpp with every layer on the CPU."""

from __future__ import annotations

from pathlib import Path

from models.foreign import Runtime
from models.protocols import Generator


def load(path: Path, model_id: str, context: int) -> Generator:
    """Load a GGUF file. llama.cpp is imported here: it takes half a second."""
    from models.llama.generator import load_llama

    return load_llama(path, model_id, context=context, gpu_layers=0)


SPARE_GPU = Runtime(frozenset({"gguf"}), load)
