"""Whether weights fit, checked before the system would end a process that loads too much."""

from __future__ import annotations

import json
import math
from pathlib import Path

import torch

from models.errors import MemorySpent
from models.store.gguf import read_header
from models.system.machine import memory

LENGTH_BYTES = 8
"""A safetensors file begins with its header's length, little end first."""
MAX_HEADER = 100 << 20
"""The format's own limit."""


def refuse_too_large(path: Path, model_id: str, number: torch.dtype, device: torch.device) -> None:
    """Raise `MemorySpent` for weights that the device has no room for.

    Raises `OSError` and `ValueError` for files that are not of the format that they claim.
    """
    wanted, free = numbers_in(path) * number.itemsize, free_bytes(device)
    if free is not None and wanted > free:
        raise MemorySpent(
            f"The weights of {model_id} take {wanted / 1e6:.0f} MB in {str(number)[6:]}; "
            f"{free / 1e6:.0f} MB are free.",
            remedy="Close other programs, choose a smaller model, or its GGUF file.",
        )


def free_bytes(device: torch.device) -> int | None:
    """Return the free memory of a device, None where it is unknown."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    return memory().free or None


def numbers_in(path: Path) -> int:
    """Return how many numbers a model has: of a GGUF file, or of a folder's safetensors files."""
    if path.suffix == ".gguf":
        return read_header(path).parameters
    folder = path if path.is_dir() else path.parent
    return sum(map(_numbers, sorted(folder.glob("*.safetensors"))))


def _numbers(file: Path) -> int:
    with file.open("rb") as opened:
        length = int.from_bytes(opened.read(LENGTH_BYTES), "little")
        if length > MAX_HEADER:
            raise ValueError(f"{file.name} is no safetensors file")
        tensors = json.loads(opened.read(length))
    return sum(math.prod(t["shape"]) for name, t in tensors.items() if name != "__metadata__")
