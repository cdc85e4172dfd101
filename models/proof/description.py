"""What the llama.cpp library says of itself, without loading it into this process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from models.proof.child import describe
from models.proof.key import library_files
from models.proof.proof import failure, patience
from models.system.machine import Gpu, MemoryBytes


@dataclass(frozen=True, slots=True)
class Library:
    """A llama.cpp library that loads."""

    version: str
    """Of the Python package."""
    backends: tuple[str, ...]
    """Backends besides the CPU, such as "CUDA" and "Vulkan"."""
    instruction_sets: tuple[str, ...]
    """The features of this CPU that it uses."""
    gpus: tuple[Gpu, ...]
    """GPUs that it can use, with their present memory."""


def described() -> Library:
    """Ask it in a process of its own, since a broken library would crash this one.

    Takes a third of a second. Raises `RuntimeFailed`, which says how it failed.
    """
    report = describe(patience(library_files()))
    if report.described is None:
        raise failure(report)
    said: dict[str, Any] = report.described
    return Library(
        version=said["version"],
        backends=tuple(said["backends"]),
        instruction_sets=tuple(said["instruction_sets"]),
        gpus=tuple(Gpu(gpu["name"], MemoryBytes(**gpu["memory"])) for gpu in said["gpus"]),
    )
