"""Model files small enough to make on the spot, right or wrong in one place."""

from __future__ import annotations

import hashlib
import random
import struct
from collections.abc import Mapping

SHAPE = {
    "general.architecture": "qwen2",
    "general.name": "Toy",
    "general.license": "apache-2.0",
    "general.file_type": 15,
    "qwen2.block_count": 2,
    "qwen2.context_length": 4096,
    "qwen2.embedding_length": 64,
    "qwen2.feed_forward_length": 128,
    "qwen2.attention.head_count": 4,
    "qwen2.attention.head_count_kv": 2,
    "tokenizer.ggml.tokens": ["a", "b", "c"],
    "tokenizer.chat_template": "{{ messages }}",
}
"""Metadata of a toy that could answer."""

Plain = str | int | float | bool | list[str] | list[int]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def typed(value: Plain) -> bytes:
    """Return a metadata value with its type before it."""
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    kind = 8 if value and isinstance(value[0], str) else 4
    parts = [text(one) if isinstance(one, str) else struct.pack("<I", one) for one in value]
    return struct.pack("<IIQ", 9, kind, len(value)) + b"".join(parts)


def metadata(values: Mapping[str, Plain]) -> bytes:
    return b"".join(text(key) + typed(value) for key, value in values.items())


def tensor(name: str, numbers: int, offset: int, kind: int = 0) -> bytes:
    """Return the entry of a tensor with one dimension; kind 0 is F32."""
    return text(name) + struct.pack("<IQIQ", 1, numbers, kind, offset)


def gguf(values: Mapping[str, Plain] = SHAPE, size: int = 1600) -> bytes:
    """Return a GGUF file of exactly `size` bytes, its one tensor at the end of it."""
    head = struct.pack("<4sIQQ", b"GGUF", 3, 1, len(values)) + metadata(values)
    begin = -(-(len(head) + len(tensor("weights", 0, 0))) // 32) * 32
    numbers = (size - begin) // 4
    head += tensor("weights", numbers, 0)
    return head.ljust(begin, b"\0") + random.Random(7).randbytes(size - begin)
