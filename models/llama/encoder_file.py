"""A BERT encoder's files, written anew as the one GGUF file that llama.cpp loads.

Encoders are published as safetensors beside a vocabulary. Nothing is converted but names: the
numbers stay as they are. The form of the file is that of version 3 at
https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import BinaryIO

IN_MEMORY = "encoder-weights"
"""The name of the file in memory that holds what is written."""
VERSION = 3
ALIGNMENT = 32
"""Bytes to whose multiples each tensor is put."""
U32, F32, BOOL, STRING, LIST, I32 = 4, 6, 7, 8, 9, 5
"""Types of metadata."""
TENSOR_TYPES = {"F32": 0, "F16": 1}
"""Those of safetensors that are written as they are, with ggml's number for them."""
NORMAL, CONTROL = 1, 3
"""Kinds of token."""
MOST_HEADER = 1 << 20
"""Bytes of a safetensors header; that of a small encoder has ten thousand."""
SPACE = "\u2581"
"""Stands before a token that begins a word; BERT marks those that go on instead, by `##`."""
NAMES = {
    "embeddings.word_embeddings": "token_embd",
    "embeddings.position_embeddings": "position_embd",
    "embeddings.token_type_embeddings": "token_types",
    "embeddings.LayerNorm": "token_embd_norm",
}
LAYER_NAMES = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}
LAYER = "encoder.layer."
UNUSED = ("pooler.", "cls.", "embeddings.position_ids")
"""Tensors that no hidden state is made of."""
OLD_PARTS = {"gamma": "weight", "beta": "bias"}
"""What norms had in older files."""
CONFIGURED = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
"""What llama.cpp's BERT is; other encoders have other graphs."""
MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


@dataclass(frozen=True, slots=True)
class SourceTensor:
    """A tensor of the safetensors file."""

    name: str
    """As GGUF has it."""
    type: int
    shape: tuple[int, ...]
    """Outermost first; GGUF has it the other way round."""
    begin: int
    """Bytes from the start of the file."""
    size: int


def unlike_bert(folder: Path) -> str | None:
    """Return why llama.cpp cannot run the encoder in a folder; None where it can."""
    try:
        config, tokenizer = _table(folder / "config.json"), _table(folder / "tokenizer_config.json")
        vocabulary_of(folder)
    except (OSError, ValueError) as error:
        return str(error)
    for key, wanted in CONFIGURED.items():
        if (said := config.get(key, wanted)) != wanted:
            return f"llama.cpp runs encoders with {key} {wanted}, and this one has {said}"
    if not tokenizer.get("do_lower_case", True):
        return "llama.cpp reads every letter as a small one, and this one tells them apart"
    return None


def write_gguf(weights: Path, target: BinaryIO) -> None:
    """Write the encoder whose weights, configuration and vocabulary lie in one folder.

    Raises `ValueError` and `struct.error` where llama.cpp has no such encoder, and `OSError`.
    """
    folder = weights.parent
    if fault := unlike_bert(folder):
        raise ValueError(fault)
    config, vocabulary = _table(folder / "config.json"), vocabulary_of(folder)
    with weights.open("rb") as source:
        tensors = _tensors_of(source)
        entries = [*_entries(config, vocabulary)]
        target.write(struct.pack("<4sIQQ", b"GGUF", VERSION, len(tensors), len(entries)))
        target.writelines(entries)
        offset = 0
        for one in tensors:
            dimensions = one.shape[::-1]
            target.write(_text(one.name) + struct.pack("<I", len(dimensions)))
            target.write(struct.pack(f"<{len(dimensions)}QIQ", *dimensions, one.type, offset))
            offset += one.size + -one.size % ALIGNMENT
        target.write(bytes(-target.tell() % ALIGNMENT))
        for one in tensors:
            source.seek(one.begin)
            numbers = source.read(one.size)
            if len(numbers) < one.size:
                raise ValueError("its weights end too early")
            target.write(numbers)
            target.write(bytes(-one.size % ALIGNMENT))


def vocabulary_of(folder: Path) -> list[str]:
    """Return the tokens of the encoder in a folder, by number. Raises `OSError` and `ValueError`.

    A vocab.txt has them line by line, a tokenizer.json with their numbers.
    """
    listed = folder / "vocab.txt"
    if listed.exists():
        return listed.read_text("utf-8").removesuffix("\n").split("\n")
    match _table(folder / "tokenizer.json").get("model"):
        case {"type": "WordPiece", "vocab": dict(numbers)}:
            if set(numbers.values()) == set(range(len(numbers))):
                return sorted(numbers, key=lambda token: int(numbers[token]))
    raise ValueError("llama.cpp reads words by a list of tokens, and tokenizer.json has none")


def _table(path: Path) -> dict[str, object]:
    """Return a JSON object. Raises `OSError`, and `ValueError` for anything else."""
    try:
        found = json.loads(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path.name} is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise ValueError(f"{path.name} holds no table of names")
    return found


def header_of(source: BinaryIO) -> tuple[dict[str, object], int]:
    """Return what a file says of its tensors by today's names, and the bytes before the first.

    Raises `ValueError` and `struct.error`.
    """
    (length,) = struct.unpack("<Q", source.read(8))
    if length > MOST_HEADER:
        raise ValueError("its header is too long")
    header = json.loads(source.read(length))
    if not isinstance(header, dict):
        raise ValueError("its header holds no table of tensors")
    return {_renamed(name): said for name, said in header.items()}, 8 + length


def _renamed(name: str) -> str:
    where, dot, part = name.rpartition(".")
    return f"{where}{dot}{OLD_PARTS.get(part, part)}"


def _tensors_of(source: BinaryIO) -> list[SourceTensor]:
    found = []
    header, after = header_of(source)
    for name, said in header.items():
        plain = name.removeprefix("bert.")
        if name == "__metadata__" or plain.startswith(UNUSED):
            continue
        found.append(tensor_of(_named(plain), said, after))
    return found


def tensor_of(name: str, said: object, after: int) -> SourceTensor:
    """Return where a tensor is, by what a header says of it. Raises `ValueError`."""
    match said:
        case {
            "dtype": "F32" | "F16" as kind,
            "shape": list(shape),
            "data_offsets": [int(begin), int(end)],
        } if all(isinstance(one, int) for one in shape):
            width = 4 if kind == "F32" else 2
            if end - begin != prod(shape) * width:
                raise ValueError(f"the tensor {name} has not the size that its shape asks for")
            return SourceTensor(name, TENSOR_TYPES[kind], tuple(shape), after + begin, end - begin)
    raise ValueError(f"the tensor {name} is neither F32 nor F16, or has no shape")


def _named(name: str) -> str:
    """Return GGUF's name of a tensor."""
    where, _, part = name.rpartition(".")
    if where in NAMES:
        return f"{NAMES[where]}.{part}"
    number, _, inside = where.removeprefix(LAYER).partition(".")
    if where.startswith(LAYER) and number.isdecimal() and inside in LAYER_NAMES:
        return f"blk.{number}.{LAYER_NAMES[inside]}.{part}"
    raise ValueError(f"it has the tensor {name}, which BERT has not")


def _entries(config: Mapping[str, object], vocabulary: Sequence[str]) -> Iterator[bytes]:
    """Yield the metadata."""
    yield _entry("general.architecture", STRING, _text("bert"))
    for key, name in (
        ("context_length", "max_position_embeddings"),
        ("embedding_length", "hidden_size"),
        ("feed_forward_length", "intermediate_size"),
        ("block_count", "num_hidden_layers"),
        ("attention.head_count", "num_attention_heads"),
    ):
        yield _entry(f"bert.{key}", U32, struct.pack("<I", _count(config, name)))
    epsilon = config.get("layer_norm_eps", 1e-12)
    if not isinstance(epsilon, float) or not 0 < epsilon < 1:  # llama.cpp ends the process
        raise ValueError(f"config.json has layer_norm_eps {epsilon}, and it lies between 0 and 1")
    yield _entry("bert.attention.layer_norm_epsilon", F32, struct.pack("<f", epsilon))
    yield _entry("bert.attention.causal", BOOL, b"\0")
    kinds = struct.pack("<I", _count({"type_vocab_size": 2, **config}, "type_vocab_size"))
    yield _entry("tokenizer.ggml.token_type_count", U32, kinds)
    yield _entry("tokenizer.ggml.model", STRING, _text("bert"))
    words = b"".join(_text(_word(token)) for token in vocabulary)
    yield _entry("tokenizer.ggml.tokens", LIST, struct.pack("<IQ", STRING, len(vocabulary)) + words)
    control = [CONTROL if _is_control(token) else NORMAL for token in vocabulary]
    types = struct.pack(f"<IQ{len(control)}i", I32, len(control), *control)
    yield _entry("tokenizer.ggml.token_type", LIST, types)
    place = {mark: vocabulary.index(mark) for mark in MARKS}
    for name, mark in (
        ("padding", "[PAD]"),
        ("unknown", "[UNK]"),
        ("bos", "[CLS]"),
        ("cls", "[CLS]"),
        ("seperator", "[SEP]"),  # spelt like this in the format
    ):
        yield _entry(f"tokenizer.ggml.{name}_token_id", U32, struct.pack("<I", place[mark]))


def _count(config: Mapping[str, object], name: str) -> int:
    """Return a number of the configuration. Raises `ValueError` for none that can be."""
    value = config.get(name)
    if not isinstance(value, int) or value < 1:
        raise ValueError(f"config.json has {name} {value}, and it counts something")
    return value


def _is_control(token: str) -> bool:
    return token in (*MARKS, "[MASK]") or token.startswith("[unused")


def _word(token: str) -> str:
    if token.startswith("##"):
        return token[2:]
    return token if token.startswith("[") and len(token) > 2 else SPACE + token


def _entry(key: str, kind: int, value: bytes) -> bytes:
    return _text(key) + struct.pack("<I", kind) + value


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data
