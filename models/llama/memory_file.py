"""A file for a moment: what llama.cpp loads by a path, and nobody is to find on a disk."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

NAME = "model-weights"
"""Of the file in memory."""


@contextmanager
def file_for_a_moment() -> Iterator[tuple[BinaryIO, Path]]:
    """Yield a file to write and its path: in memory, or on disk where the system has none there.

    llama.cpp loads one file of its own form; once it is mapped, it needs no name.
    """
    if hasattr(os, "memfd_create"):
        with os.fdopen(os.memfd_create(NAME), "w+b") as target:
            yield target, Path(f"/proc/self/fd/{target.fileno()}")
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder) / NAME
        with file.open("wb") as target:
            yield target, file
