"""Turns exceptions of torch and transformers into the project's own."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator
from pathlib import Path

import torch
from safetensors import SafetensorError

from models.errors import MemorySpent, RuntimeFailed

ROOM = "Close other programs, lower --max-context or choose a smaller model."
LOAD_FAILURES = (
    *(OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, ImportError),
    *(RuntimeError, SafetensorError, struct.error),
)
"""What transformers raises for unexpected files; it has no error of its own for them."""


@contextlib.contextmanager
def loading_errors(model_id: str, path: Path) -> Iterator[None]:
    """Turn errors while files are opened into `MemorySpent` or `RuntimeFailed`."""
    with _memory_errors(f"There is not enough memory to load {model_id}."):
        try:
            yield
        except LOAD_FAILURES as error:
            if _is_memory(error):
                raise
            raise RuntimeFailed(
                f"transformers could not load {model_id}: {_reason(error)}.",
                remedy="Run `askance models verify`, then pull the model again.",
                path=path,
            ) from error


@contextlib.contextmanager
def computing_errors() -> Iterator[None]:
    """Turn errors while a batch is computed into `MemorySpent` or `RuntimeFailed`."""
    with _memory_errors("Memory ran out while torch computed a batch."):
        try:
            yield
        except RuntimeError as error:
            if _is_memory(error):
                raise
            raise RuntimeFailed(
                f"torch failed to compute a batch: {_reason(error)}.", remedy=ROOM
            ) from error


@contextlib.contextmanager
def _memory_errors(message: str) -> Iterator[None]:
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not _is_memory(error):
            raise
        raise MemorySpent(message, remedy=ROOM) from error


def _is_memory(error: Exception) -> bool:
    """Say whether memory ran out; on a CPU, torch raises a plain `RuntimeError` for that."""
    if isinstance(error, (MemoryError, torch.OutOfMemoryError)):
        return True
    return isinstance(error, RuntimeError) and "allocate memory" in str(error)


def _reason(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:200].rstrip(".")
