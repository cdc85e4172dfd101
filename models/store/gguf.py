"""The header of a GGUF file, read with bounds before llama.cpp sees it.

A header is untrusted: every count and length is compared with what the file can hold before it
is used, so that a hostile one costs an error message, never memory or minutes.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

from models.store.gguf_types import FILE_TYPES, REPACKED_TYPES, TENSOR_TYPES

MAGIC = b"GGUF"
VERSIONS = (2, 3)
"""The versions that llama.cpp reads; it also refuses version 1, which counted in 32 bits."""
HEADER = struct.Struct("<4sIQQ")
"""Magic, version, number of tensors, number of metadata entries; little-endian."""
SMALLEST_TENSOR = 8 + 4 + 4 + 8
"""Bytes of a tensor's entry: length of its name, number of dimensions, type, offset."""
SMALLEST_METADATA = 8 + 4 + 1
"""Bytes of a metadata entry: length of its key, type, value."""
MOST_ENTRIES = 1 << 16
"""Metadata entries, and tensors; large models have some 60 and 2,000."""
MOST_TEXT = 1 << 24
"""Bytes of all names and strings; chat templates have some 10 kB."""
MOST_STRINGS = 1 << 22
"""In all lists, each of which is a step; a vocabulary and its merges have 600,000."""
KEPT_LIST = 1 << 12
"""Numbers of a list that is kept: one for each layer."""
MOST_DIMENSIONS = 4

STRING, ARRAY = 8, 9
SCALARS = {
    0: struct.Struct("<B"),
    1: struct.Struct("<b"),
    2: struct.Struct("<H"),
    3: struct.Struct("<h"),
    4: struct.Struct("<I"),
    5: struct.Struct("<i"),
    6: struct.Struct("<f"),
    7: struct.Struct("<?"),
    10: struct.Struct("<Q"),
    11: struct.Struct("<q"),
    12: struct.Struct("<d"),
}
U32 = struct.Struct("<I")
U64 = struct.Struct("<Q")
VOCABULARY = "tokenizer.ggml.tokens"


class HeaderFault(ValueError):
    """What is wrong with a header, as a clause that follows the file's name."""


@dataclass(frozen=True, slots=True)
class LongList:
    """A list that was skipped."""

    length: int


Value = int | float | bool | str | list[int | float | bool] | LongList


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """What a GGUF file says of itself. A number that it does not say is 0."""

    architecture: str
    name: str
    licence: str
    context: int
    """Tokens the model was trained for."""
    layers: int
    embedding: int
    """Width of a token's vector."""
    heads: int
    kv_heads: tuple[int, ...]
    """Heads of keys and values, layer by layer."""
    key_length: int
    """Of one head; the value's may differ."""
    value_length: int
    vocabulary: int
    feed_forward: int
    quantisation: str
    chat_template: bool
    splits: int
    """Files that the model is spread over."""
    parameters: int
    """Numbers in all tensors; an embedding that the file has twice counts twice."""
    tensor_bytes: int
    repacked_bytes: int
    """Of `tensor_bytes`, what llama.cpp copies into another order for a CPU with AVX2."""


def gguf_fault(path: Path) -> str | None:
    """Return what is wrong with a GGUF file, None when nothing is. Raises `OSError`.

    The tensors that the header promises must lie within the file, so the header alone shows that
    a file was cut short.
    """
    try:
        read_header(path)
    except HeaderFault as fault:
        return str(fault)
    return None


def read_header(path: Path) -> GgufHeader:
    """Read the header, in about 0.04 s. Raises `HeaderFault`, and `OSError`."""
    with path.open("rb") as file:
        start = file.read(HEADER.size)
        if len(start) < HEADER.size or not start.startswith(MAGIC):
            raise HeaderFault("does not begin like a GGUF file")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _GgufReader(data).header()


class _GgufReader:
    """Walks through a mapped header; `_at` never passes the file's end."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._at = HEADER.size
        self._text_left, self._strings_left = MOST_TEXT, MOST_STRINGS
        _, version, self._tensors, self._entries = HEADER.unpack_from(data)
        if version not in VERSIONS:
            raise HeaderFault(f"is GGUF version {version}, and llama.cpp reads 2 and 3")
        promised = self._tensors * SMALLEST_TENSOR + self._entries * SMALLEST_METADATA
        most = max(self._tensors, self._entries)
        if not self._tensors or not self._entries or promised > len(data) or most > MOST_ENTRIES:
            raise HeaderFault(
                f"promises {self._tensors} tensors and {self._entries} metadata entries, "
                "which cannot be"
            )

    def header(self) -> GgufHeader:
        values = self._metadata()
        return _header(values, *self._tensor_table(values))

    def _metadata(self) -> dict[str, Value]:
        values: dict[str, Value] = {}
        for _ in range(self._entries):
            key = self._text("a key")
            if key in values:
                raise HeaderFault(f"says {key!r} twice")
            values[key] = self._value(key, self._number(U32))
        return values

    def _value(self, key: str, kind: int) -> Value:
        if kind == STRING:
            return self._text(key)
        if kind == ARRAY:
            return self._list(key)
        if kind not in SCALARS:
            raise HeaderFault(f"gives {key!r} the unknown type {kind}")
        return self._scalar(SCALARS[kind])

    def _list(self, key: str) -> Value:
        kind, length = self._number(U32), self._number(U64)
        if kind == STRING:
            self._need(length, f"{key!r} of {length} strings", each=U64.size)
            self._strings_left -= length
            if self._strings_left < 0:
                raise HeaderFault(f"has more than {MOST_STRINGS:,} strings in its lists")
            self._pass_strings(key, length)
            return LongList(length)
        if kind not in SCALARS:
            raise HeaderFault(f"gives {key!r} a list of the unknown type {kind}")
        form = SCALARS[kind]
        self._need(length, f"{key!r} of {length} numbers", each=form.size)
        if length > KEPT_LIST:
            self._at += length * form.size
            return LongList(length)
        return [self._scalar(form) for _ in range(length)]

    def _pass_strings(self, key: str, count: int) -> None:
        # The one loop that takes time: half a million steps for a large vocabulary.
        data, at, end, length_at = self._data, self._at, len(self._data) - 8, U64.unpack_from
        for _ in range(count):
            if at > end:
                raise HeaderFault(f"is cut short in {key!r}")
            at += 8 + length_at(data, at)[0]
        self._at = at
        self._need(0, key)

    def _text(self, what: str) -> str:
        length = self._number(U64)
        self._need(length, f"{what} of {length} bytes")
        self._text_left -= length
        if self._text_left < 0:
            raise HeaderFault(f"has more than {MOST_TEXT:,} bytes of text")
        start, self._at = self._at, self._at + length
        return self._data[start : self._at].decode("utf-8", "replace")

    def _scalar(self, form: struct.Struct) -> int | float | bool:
        self._need(form.size, "a number")
        value: int | float | bool = form.unpack_from(self._data, self._at)[0]
        self._at += form.size
        return value

    def _number(self, form: struct.Struct) -> int:
        return int(self._scalar(form))

    def _need(self, count: int, what: str, each: int = 1) -> None:
        if self._at + count * each > len(self._data):
            raise HeaderFault(f"is cut short, or lies, in {what}")

    def _tensor_table(self, values: Mapping[str, Value]) -> tuple[int, int, int]:
        """Return the numbers in all tensors, their bytes, and of these the repacked ones.

        The last tensor must lie in the file.
        """
        parameters, size, repacked, furthest = 0, 0, 0, 0
        for _ in range(self._tensors):
            name = self._text("a tensor's name")
            dimensions = self._number(U32)
            if not 0 < dimensions <= MOST_DIMENSIONS:
                raise HeaderFault(f"gives the tensor {name!r} {dimensions} dimensions")
            count = prod(self._number(U64) for _ in range(dimensions))
            kind, offset = self._number(U32), self._number(U64)
            parameters += count
            if kind in TENSOR_TYPES:  # a newer type: llama.cpp says whether it knows it
                block, block_bytes = TENSOR_TYPES[kind]
                here = count // block * block_bytes
                size += here
                furthest = max(furthest, offset + here)
                if kind in REPACKED_TYPES and not name.startswith(("token_embd", "output.")):
                    repacked += here
        alignment = max(1, _count(values, "general.alignment") or 32)
        begin = -(-self._at // alignment) * alignment
        if begin + furthest > len(self._data):
            raise HeaderFault(
                f"is cut short: its tensors end at byte {begin + furthest:,}, "
                f"the file at {len(self._data):,}"
            )
        return parameters, size, repacked


def _header(values: Mapping[str, Value], parameters: int, size: int, repacked: int) -> GgufHeader:
    architecture = _text_of(values, "general.architecture")
    if not architecture:
        raise HeaderFault("does not name its architecture")
    layers = _count(values, f"{architecture}.block_count")
    if layers > KEPT_LIST:
        raise HeaderFault(f"promises {layers} layers")
    embedding = _count(values, f"{architecture}.embedding_length")
    heads = _count(values, f"{architecture}.attention.head_count")
    head = embedding // heads if heads else 0
    return GgufHeader(
        architecture=architecture,
        name=_text_of(values, "general.name"),
        licence=_text_of(values, "general.license"),
        context=_count(values, f"{architecture}.context_length"),
        layers=layers,
        embedding=embedding,
        heads=heads,
        kv_heads=_per_layer(values, f"{architecture}.attention.head_count_kv", layers, heads),
        key_length=_count(values, f"{architecture}.attention.key_length") or head,
        value_length=_count(values, f"{architecture}.attention.value_length") or head,
        vocabulary=_length(values, VOCABULARY),
        feed_forward=_count(values, f"{architecture}.feed_forward_length"),
        quantisation=FILE_TYPES.get(_count(values, "general.file_type", missing=-1), "unknown"),
        chat_template=bool(_text_of(values, "tokenizer.chat_template")),
        splits=max(1, _count(values, "split.count")),
        parameters=parameters,
        tensor_bytes=size,
        repacked_bytes=repacked,
    )


def _count(values: Mapping[str, Value], key: str, missing: int = 0) -> int:
    """Return a whole number; of a list, one for each layer, the largest."""
    value = values.get(key)
    if isinstance(value, list):
        value = max(value, default=0)
    return int(value) if isinstance(value, int) and value >= 0 else missing


def _per_layer(values: Mapping[str, Value], key: str, layers: int, heads: int) -> tuple[int, ...]:
    value = values.get(key)
    if isinstance(value, list) and len(value) == layers:
        return tuple(max(0, int(one)) for one in value)
    return (_count(values, key) or heads,) * layers


def _length(values: Mapping[str, Value], key: str) -> int:
    value = values.get(key)
    return value.length if isinstance(value, LongList) else 0


def _text_of(values: Mapping[str, Value], key: str) -> str:
    value = values.get(key)
    return value if isinstance(value, str) else ""
