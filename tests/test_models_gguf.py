"""GGUF headers: what they say, and that no lie in one costs more than a message."""

from __future__ import annotations

import ctypes
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.store.architectures import unusable
from models.store.gguf import gguf_fault, read_header
from models.store.gguf_types import FILE_TYPES, TENSOR_TYPES
from models.store.store import Store
from tests.support.toy_models import SHAPE, gguf, metadata, tensor, text

GOOD = gguf()
START = struct.Struct("<4sIQQ")


def written(folder: Path, data: bytes) -> Path:
    path = folder / "toy.gguf"
    path.write_bytes(data)
    return path


def fault(folder: Path, data: bytes) -> str:
    found = gguf_fault(written(folder, data))
    assert found
    return found


def entries(data: bytes, count: int = 1) -> bytes:
    """A file with one tensor whose metadata entries are `data`."""
    return START.pack(b"GGUF", 3, 1, count) + data + bytes(200)


def test_a_header_tells_the_models_shape(tmp_path: Path) -> None:
    header = read_header(written(tmp_path, GOOD))
    assert (header.architecture, header.name, header.licence) == ("qwen2", "Toy", "apache-2.0")
    assert (header.context, header.layers, header.embedding, header.heads) == (4096, 2, 64, 4)
    assert header.kv_heads == (2, 2)
    assert (header.key_length, header.value_length, header.vocabulary) == (16, 16, 3)
    assert (header.quantisation, header.chat_template, header.splits) == ("Q4_K_M", True, 1)
    assert header.tensor_bytes == 4 * header.parameters > 0
    assert unusable(header) is None


def test_heads_may_differ_from_layer_to_layer(tmp_path: Path) -> None:
    values = SHAPE | {"qwen2.attention.head_count_kv": [4, 1], "qwen2.attention.key_length": 32}
    header = read_header(written(tmp_path, gguf(values)))
    assert header.kv_heads == (4, 1)
    assert (header.key_length, header.value_length) == (32, 16)


@pytest.mark.parametrize("kept", [0, 3, 23, 24, 60, 300, len(GOOD) - 700, len(GOOD) - 4])
def test_a_file_that_was_cut_short_is_told_by_its_header(tmp_path: Path, kept: int) -> None:
    assert gguf_fault(written(tmp_path, GOOD)) is None
    assert fault(tmp_path, GOOD[:kept])


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"GGML" + GOOD[4:], "does not begin"),
        (START.pack(b"GGUF", 1, 2, 2) + bytes(200), "version 1"),
        (struct.pack(">4sIQQ", b"GGUF", 3, 2, 2) + bytes(200), "version 50331648"),
        (START.pack(b"GGUF", 3, 0, 2) + bytes(200), "promises 0 tensors"),
        (START.pack(b"GGUF", 3, 1 << 40, 2) + bytes(200), "promises 1099511627776"),
        (START.pack(b"GGUF", 3, 1, 1 << 63) + bytes(200), "metadata entries, which cannot be"),
        (entries(struct.pack("<Q", 1 << 62)), "a key of 4611686018427387904 bytes"),
        (entries(text("k") + struct.pack("<I", 77)), "unknown type 77"),
        (entries(text("k") + struct.pack("<IIQ", 9, 9, 1)), "list of the unknown type 9"),
        (entries(text("k") + struct.pack("<IIQ", 9, 8, 1 << 60)), "strings"),
        (entries(text("k") + struct.pack("<IIQQ", 9, 8, 1, 1 << 60)), "cut short, or lies, in k"),
        (entries(text("k") + struct.pack("<IIQ", 9, 4, 1 << 62)), "numbers"),
        (entries(text("k") + struct.pack("<IQ", 8, 1 << 63)), "cut short, or lies, in k"),
        (entries(metadata({"k": 1}) * 2, 2), "'k' twice"),
        (entries(metadata({"k": 1})), "0 dimensions"),
        (entries(metadata({"k": 1}) + text("t") + struct.pack("<I", 1 << 31)), "dimensions"),
        (entries(metadata({"k": 1}) + tensor("t", 1 << 62, 0)), "cut short: its tensors end"),
        (entries(metadata({"k": 1}) + tensor("t", 1, 1 << 62)), "cut short: its tensors end"),
        (entries(metadata({"k": 1}) + tensor("t", 1, 0)), "does not name its architecture"),
        (gguf(SHAPE | {"qwen2.block_count": 1 << 30}), "1073741824 layers"),
    ],
)
def test_a_hostile_header_is_a_message(tmp_path: Path, data: bytes, says: str) -> None:
    assert says in fault(tmp_path, data)


def test_lists_and_texts_that_fit_the_file_are_bounded_as_well(tmp_path: Path) -> None:
    path = written(tmp_path, entries(text("k") + struct.pack("<IIQ", 9, 8, 1 << 23)))
    with path.open("r+b") as file:
        file.truncate(1 << 27)  # sparse: 8 million empty strings
    assert "more than 4,194,304 strings" in (gguf_fault(path) or "")
    path = written(tmp_path, entries(text("k") + struct.pack("<IQ", 8, 1 << 25)))
    with path.open("r+b") as file:
        file.truncate(1 << 26)
    assert "more than 16,777,216 bytes of text" in (gguf_fault(path) or "")


@given(st.data())
def test_no_flipped_byte_escapes(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    damaged = bytearray(GOOD[: data.draw(st.integers(0, len(GOOD)))])
    for at in data.draw(st.lists(st.integers(0, 700), max_size=4)):
        if at < len(damaged):
            damaged[at] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "flipped.gguf"
    path.write_bytes(damaged)
    gguf_fault(path)  # raises nothing


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"architecture": "frobnicator9"}, "architecture 'frobnicator9', which this llama.cpp"),
        ({"architecture": "\x1b[31m"}, "architecture '\\x1b[31m'"),
        ({"splits": 3}, "one of 3 files"),
        ({"context": 0}, "context length"),
        ({"heads": 0}, "number of heads"),
        ({"chat_template": False}, "no chat template"),
    ],
)
def test_what_cannot_answer_is_known_before_it_is_loaded(
    tmp_path: Path, changes: dict[str, object], says: str
) -> None:
    header = read_header(written(tmp_path, GOOD))
    changed = replace(header, **changes)  # type: ignore[arg-type]
    assert says in (unusable(changed) or "")


def test_sizes_and_names_are_those_of_the_installed_library() -> None:
    import llama_cpp

    folder = Path(llama_cpp.__file__).parent / "lib"
    library = ctypes.CDLL(str(next(folder.glob("*ggml-base.*"))))
    library.ggml_type_size.restype = ctypes.c_size_t
    library.ggml_blck_size.restype = ctypes.c_int64
    for kind, sizes in TENSOR_TYPES.items():
        assert (library.ggml_blck_size(kind), library.ggml_type_size(kind)) == sizes, kind
    names = {
        value: name for name, value in vars(llama_cpp).items() if name.startswith("LLAMA_FTYPE_")
    }
    for kind, name in FILE_TYPES.items():
        assert names[kind].endswith(f"_{name}"), kind


@pytest.mark.slow
def test_a_real_file_says_what_its_catalogue_row_says() -> None:
    import os

    from models.store.catalogue import load_catalogue

    row = load_catalogue().row("smollm2-135m-instruct-q4_1")
    header = read_header(Store.default(os.environ).file(row))
    assert (header.parameters, header.context) == (row.parameters, row.context)
    assert header.quantisation == row.quantisation
    assert unusable(header) is None
