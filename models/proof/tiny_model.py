"""A model of one megabyte that is the same on every machine, written as a GGUF file.

Its replies make no sense. Its matrices have the number types of real files, in sizes that
llama.cpp's special kernels take, so that a library which computes them wrongly is found out. The
blocks are bytes of a hash function; only their scales are chosen.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from models.store.gguf_types import TENSOR_TYPES

EMBEDDING = 256
"""Numbers in a block of K-quants; no row may be shorter."""
FORWARD = 512
LAYERS = 2
HEADS = 4
KEPT_HEADS = 2
CONTEXT = 512
VOCABULARY = 288
"""Three control tokens, the bytes, and padding to a multiple of 32."""

ALIGNMENT = 32
F32, F16 = 0, 1
Q4_0, Q4_1, Q5_0, Q8_0, Q4_K, Q5_K, Q6_K, IQ4_XS = 2, 3, 6, 8, 12, 13, 14, 23
"""ggml's numbers of the types."""

SCALES: dict[int, dict[int, float]] = {
    Q4_0: {0: 0.217},
    Q4_1: {0: 0.217, 2: -7.5 * 0.217},
    Q5_0: {0: 0.108},
    Q8_0: {0: 0.0135},
    Q4_K: {0: 0.00387, 2: 7.5 * 0.00387},
    Q5_K: {0: 0.0019, 2: 15.5 * 0.0019},
    Q6_K: {208: 0.000731},
    IQ4_XS: {0: 0.000784},
}
"""Where a block has its float16 scales, and scales that spread random blocks by about 1."""

MATRICES: Sequence[dict[str, int]] = (
    {
        "attn_q": Q4_0,
        "attn_k": Q4_1,
        "attn_v": Q8_0,
        "attn_output": Q5_0,
        "ffn_gate": Q4_K,
        "ffn_up": Q5_K,
        "ffn_down": Q6_K,
    },
    {
        "attn_q": Q8_0,
        "attn_k": F16,
        "attn_v": IQ4_XS,
        "attn_output": Q4_K,
        "ffn_gate": Q6_K,
        "ffn_up": Q4_0,
        "ffn_down": Q4_1,
    },
)
"""The types of each layer's matrices."""
SHAPES = {
    "attn_q": (EMBEDDING, EMBEDDING),
    "attn_k": (EMBEDDING * KEPT_HEADS // HEADS, EMBEDDING),
    "attn_v": (EMBEDDING * KEPT_HEADS // HEADS, EMBEDDING),
    "attn_output": (EMBEDDING, EMBEDDING),
    "ffn_gate": (FORWARD, EMBEDDING),
    "ffn_up": (FORWARD, EMBEDDING),
    "ffn_down": (EMBEDDING, FORWARD),
}
"""Rows and columns."""
GAINS = {"attn_q": 1.5, "attn_k": 1.5, "attn_output": 4.0, "ffn_down": 2.0}
"""Sharpen the attention of random numbers, and make layers count beside the embedding."""
OUTPUT_SPREAD = 0.2
"""Makes logits spread by about 3, so that the likeliest token is clearly so."""

UNKNOWN, CONTROL, UNUSED, BYTE = 2, 3, 5, 6
"""llama.cpp's kinds of tokens."""
TOKENS = (
    *(("<unk>", UNKNOWN), ("<s>", CONTROL), ("</s>", CONTROL)),
    *((f"<0x{byte:02X}>", BYTE) for byte in range(256)),
    *((f"<unused{i}>", UNUSED) for i in range(VOCABULARY - 259)),
)

Metadata = str | int | float | bool | list[str] | list[int] | list[float]
METADATA: dict[str, Metadata] = {
    "general.architecture": "llama",
    "llama.block_count": LAYERS,
    "llama.context_length": CONTEXT,
    "llama.embedding_length": EMBEDDING,
    "llama.feed_forward_length": FORWARD,
    "llama.attention.head_count": HEADS,
    "llama.attention.head_count_kv": KEPT_HEADS,
    "llama.attention.layer_norm_rms_epsilon": 1e-5,
    "llama.rope.dimension_count": EMBEDDING // HEADS,
    "llama.rope.freq_base": 10000.0,
    "tokenizer.ggml.model": "llama",
    "tokenizer.ggml.tokens": [text for text, _ in TOKENS],
    "tokenizer.ggml.scores": [0.0] * VOCABULARY,
    "tokenizer.ggml.token_type": [kind for _, kind in TOKENS],
    "tokenizer.ggml.bos_token_id": 1,
    "tokenizer.ggml.eos_token_id": 2,
    "tokenizer.ggml.unknown_token_id": 0,
    "tokenizer.ggml.add_bos_token": False,
    "tokenizer.ggml.add_space_prefix": False,
}


def tiny_model() -> bytes:
    """Return the file, the same bytes wherever it is made."""
    tensors = _tensors()
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(METADATA))
    head += b"".join(_text(key) + _typed(value) for key, value in METADATA.items())
    offset = 0
    for name, shape, kind, data in tensors:
        reversed_shape = struct.pack(f"<{len(shape)}Q", *reversed(shape))
        head += _text(name) + struct.pack("<I", len(shape)) + reversed_shape
        head += struct.pack("<IQ", kind, offset)
        offset += _aligned(len(data))
    return b"".join(_padded(part) for part in (head, *(data for *_, data in tensors)))


def _tensors() -> list[tuple[str, tuple[int, ...], int, bytes]]:
    """Return name, shape (rows first), type and bytes of every tensor."""
    found = [_matrix("token_embd.weight", (VOCABULARY, EMBEDDING), Q4_K, 1.0)]
    for layer, types in enumerate(MATRICES):
        found += [_norm(f"blk.{layer}.{name}_norm.weight") for name in ("attn", "ffn")]
        for name, kind in types.items():
            spread = GAINS.get(name, 1.0) / SHAPES[name][1] ** 0.5
            found.append(_matrix(f"blk.{layer}.{name}.weight", SHAPES[name], kind, spread))
    output = _matrix("output.weight", (VOCABULARY, EMBEDDING), Q6_K, OUTPUT_SPREAD)
    return [*found, _norm("output_norm.weight"), output]


def _matrix(
    name: str, shape: tuple[int, int], kind: int, spread: float
) -> tuple[str, tuple[int, ...], int, bytes]:
    """Return a matrix whose numbers spread by about `spread` around 0."""
    if kind == F16:
        numbers = (_bytes(name, shape[0] * shape[1]).astype(np.float32) - 127.5) / 73.9
        return name, shape, kind, (numbers * spread).astype("<f2").tobytes()
    block, size = TENSOR_TYPES[kind]
    count = shape[0] * shape[1] // block
    blocks = _bytes(name, count * size).reshape(count, size).copy()
    varied = 0.75 + blocks[:, 0].astype(np.float32) / 510
    for at, scale in SCALES[kind].items():
        scales = (scale * spread * varied).astype("<f2")
        blocks[:, at : at + 2] = scales.view(np.uint8).reshape(count, 2)
    return name, shape, kind, blocks.tobytes()


def _norm(name: str) -> tuple[str, tuple[int, ...], int, bytes]:
    numbers = 0.75 + _bytes(name, EMBEDDING).astype("<f4") / 510
    return name, (EMBEDDING,), F32, numbers.astype("<f4").tobytes()


def _bytes(name: str, count: int) -> npt.NDArray[np.uint8]:
    """Return bytes that look random and depend on the name alone."""
    return np.frombuffer(hashlib.shake_256(name.encode()).digest(count), np.uint8)


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def _typed(value: Metadata) -> bytes:
    """Return a metadata value after the number of its type."""
    if isinstance(value, list):
        kind, items = _items(value)
        return struct.pack("<IIQ", 9, kind, len(value)) + items
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    return (
        struct.pack("<If", 6, value) if isinstance(value, float) else struct.pack("<II", 4, value)
    )


def _items(values: list[str] | list[int] | list[float]) -> tuple[int, bytes]:
    """Return the number of the items' type, and the items."""
    if isinstance(values[0], str):
        return 8, b"".join(_text(str(value)) for value in values)
    kind, form = (6, "f") if isinstance(values[0], float) else (5, "i")
    return kind, struct.pack(f"<{len(values)}{form}", *values)


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _padded(data: bytes) -> bytes:
    return data.ljust(_aligned(len(data)), b"\0")
