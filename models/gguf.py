"""The first bytes of a GGUF file, checked before llama.cpp sees it."""

from __future__ import annotations

import struct
from pathlib import Path

MAGIC = b"GGUF"
VERSIONS = (2, 3)
"""Those that llama.cpp reads. Version 1 counted in 32 bits and is refused there as well."""
HEADER = struct.Struct("<4sIQQ")
"""Magic, version, number of tensors, number of metadata entries; little-endian."""
SMALLEST_TENSOR = 8 + 4 + 4 + 8
"""Bytes of a tensor's entry: length of its name, number of dimensions, type, offset."""
SMALLEST_METADATA = 8 + 4 + 1
"""Bytes of a metadata entry: length of its key, type, value."""


def gguf_fault(path: Path) -> str | None:
    """Return what is wrong with a GGUF file's header, None when nothing is.

    Counts are sane when the smallest entries they promise fit into the file. Raises `OSError`.
    """
    with path.open("rb") as file:
        start = file.read(HEADER.size)
    if len(start) < HEADER.size or not start.startswith(MAGIC):
        return "does not begin like a GGUF file"
    _, version, tensors, metadata = HEADER.unpack(start)
    if version not in VERSIONS:
        return f"is GGUF version {version}, and llama.cpp reads 2 and 3"
    promised = tensors * SMALLEST_TENSOR + metadata * SMALLEST_METADATA
    if not tensors or not metadata or promised > path.stat().st_size:
        return f"promises {tensors} tensors and {metadata} metadata entries, which cannot be"
    return None
