"""Encoders in llama.cpp: the vectors of transformers, from the same files."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator
from errno import ENOSPC
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from app.local_models.loader import Loader
from app.settings.config import load_config
from models.errors import ContextExceeded, RuntimeFailed
from models.llama.encoder import (
    BATCH_TOKENS,
    MOST_TEXTS,
    LlamaEncoder,
    _batches,
    load_llama_encoder,
)
from models.llama.encoder_file import unlike_bert, write_gguf
from models.protocols import Cancelled
from models.store.catalogue import load_catalogue
from models.store.gguf import read_header
from models.store.store import Store
from models.torch.encoder import TorchEncoder
from tests.support.in_store import weights_of
from tests.support.toy_torch import encoder

TEXTS = ["ann met bob in oslo", "who?", "", "in " * 30, "bob in oslo"]


def toy_files(folder: Path, pooling: str | None = None) -> Path:
    """Write a toy BERT as encoders are published: with a vocabulary, in small letters."""
    weights = encoder(folder, pooling=pooling)
    saved = json.loads((folder / "tokenizer.json").read_bytes())["model"]["vocab"]
    (folder / "vocab.txt").write_text("".join(f"{word}\n" for word in saved))
    return weights


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toy_files(tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="module")
def toy(weights: Path) -> Iterator[LlamaEncoder]:
    loaded = load_llama_encoder(weights, "toy")
    yield loaded
    loaded.close()


@pytest.fixture(scope="module")
def other(weights: Path) -> Iterator[TorchEncoder]:
    loaded = TorchEncoder(weights, "toy", precision="float32")
    yield loaded
    loaded.close()


def test_vectors_are_those_of_transformers(toy: LlamaEncoder, other: TorchEncoder) -> None:
    encoded = toy.encode(TEXTS)
    assert encoded.vectors.shape == (5, toy.dimensions) == (5, 32)
    assert encoded.vectors.dtype == np.float32
    assert encoded.vectors == pytest.approx(other.encode(TEXTS).vectors, abs=2e-3)
    assert toy.count(TEXTS[0]) == other.count(TEXTS[0]) == 5
    assert toy.context == other.context == 64


def test_the_prefix_is_read_and_not_averaged(toy: LlamaEncoder, other: TorchEncoder) -> None:
    """TTRAG A.6: one sequence, the query's tokens masked, the end token inside the mean."""
    pairs = [("who met bob", "ann in oslo"), ("", "ann in oslo")]
    given = toy.encode_conditioned(pairs).vectors
    assert given == pytest.approx(other.encode_conditioned(pairs).vectors, abs=2e-3)
    assert given[1] == pytest.approx(toy.encode(["ann in oslo"]).vectors[0], abs=1e-5)
    assert np.abs(given[0] - given[1]).max() > 1e-3


def test_a_separator_is_read_and_not_averaged(toy: LlamaEncoder) -> None:
    pair = [("who met bob", "ann in oslo")]
    apart, joined = toy.encode_conditioned(pair, separated=True), toy.encode_conditioned(pair)
    assert np.abs(apart.vectors - joined.vectors).max() > 1e-3
    assert np.linalg.norm(apart.vectors) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("pooling", ["cls_token", "max_tokens", "mean_tokens"])
def test_a_model_pools_as_it_was_trained_to(tmp_path: Path, pooling: str) -> None:
    file = toy_files(tmp_path, pooling)
    loaded, torch = load_llama_encoder(file, "toy"), TorchEncoder(file, "toy", precision="float32")
    assert loaded.encode(TEXTS[:2]).vectors == pytest.approx(
        torch.encode(TEXTS[:2]).vectors, abs=2e-3
    )
    loaded.close()


def test_what_is_cut_is_counted(toy: LlamaEncoder) -> None:
    encoded = toy.encode(["ann " * 100, "ann", "ann " * 62])
    assert encoded.cut.tolist() == [38, 0, 0]
    assert encoded.vectors[0] == pytest.approx(encoded.vectors[2], abs=1e-5)
    behind = toy.encode_conditioned([("who met bob", "ann " * 100)], separated=True)
    assert behind.cut.tolist() == [42]


def test_a_prefix_is_never_cut(toy: LlamaEncoder) -> None:
    with pytest.raises(ContextExceeded, match=r"62 tokens.* 64"):
        toy.encode_conditioned([("ann " * 62, "bob")])


def test_markers_and_broken_characters_are_only_text(toy: LlamaEncoder) -> None:
    assert toy.count("a [SEP] b") > 3
    assert toy.count("ann \ud800") >= 1


def test_encoding_stops_when_nobody_waits(toy: LlamaEncoder) -> None:
    before = toy.usage.computed
    with pytest.raises(Cancelled):
        toy.encode(TEXTS, stopped=lambda: True)
    assert toy.usage.computed == before
    assert toy.encode([]).vectors.shape == (0, 32)


def test_batches_hold_every_text_once_and_never_too_much() -> None:
    lengths = [5, 300, 7, 290, *[1] * 100]
    batches = list(_batches(lengths))
    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    assert all(sum(lengths[i] for i in batch) <= BATCH_TOKENS for batch in batches)
    assert max(map(len, batches)) <= MOST_TEXTS


def test_a_closed_encoder_says_so(weights: Path) -> None:
    loaded = load_llama_encoder(weights, "toy")
    assert not loaded.closed
    loaded.close()
    loaded.close()
    assert loaded.closed
    with pytest.raises(RuntimeFailed, match="not loaded"):
        loaded.encode(["ann"])


def test_the_file_that_is_written_has_every_number(weights: Path, tmp_path: Path) -> None:
    target = tmp_path / "toy.gguf"
    with target.open("wb") as file:
        write_gguf(weights, file)
    header = read_header(target)
    assert (header.architecture, header.layers, header.embedding) == ("bert", 2, 32)
    assert header.tensor_bytes == 4 * header.parameters


@pytest.mark.parametrize(
    ("file", "key", "value", "said"),
    [
        ("config.json", "model_type", "distilbert", "model_type bert"),
        ("config.json", "hidden_act", "relu", "hidden_act gelu"),
        ("tokenizer_config.json", "do_lower_case", False, "small"),
    ],
)
def test_an_encoder_of_another_kind_is_refused(
    tmp_path: Path, file: str, key: str, value: object, said: str
) -> None:
    weights = toy_files(tmp_path)
    assert unlike_bert(tmp_path) is None
    known = json.loads((tmp_path / file).read_bytes())
    (tmp_path / file).write_text(json.dumps(known | {key: value}))
    assert said in (unlike_bert(tmp_path) or "")
    with pytest.raises(RuntimeFailed, match=said) as failed:
        load_llama_encoder(weights, "toy")
    assert "askance[torch]" in failed.value.remedy


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("config.json", "[]", "no table"),
        ("config.json", "{", "no JSON"),
        ("tokenizer_config.json", "1", "no table"),
        ("tokenizer_config.json", None, "No such file"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_reason(
    tmp_path: Path, file: str, content: str | None, said: str
) -> None:
    toy_files(tmp_path)
    (tmp_path / file).unlink()
    if content is not None:
        (tmp_path / file).write_text(content)
    assert said in (unlike_bert(tmp_path) or "")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("num_attention_heads", value) for value in (0, -1, "2", None, [2])),
        *(("layer_norm_eps", value) for value in (0, -1.0, "x", 2.0)),
    ],
)
def test_numbers_that_cannot_be_are_refused(tmp_path: Path, name: str, value: object) -> None:
    weights = toy_files(tmp_path)
    known = json.loads((tmp_path / "config.json").read_bytes())
    (tmp_path / "config.json").write_text(json.dumps(known | {name: value}))
    with pytest.raises(RuntimeFailed, match=name):
        load_llama_encoder(weights, "toy")


@pytest.mark.parametrize("name", ["num_attention_heads", "num_hidden_layers", "hidden_size"])
def test_a_shape_that_the_weights_have_not_is_refused(tmp_path: Path, name: str) -> None:
    weights = toy_files(tmp_path)
    known = json.loads((tmp_path / "config.json").read_bytes())
    (tmp_path / "config.json").write_text(json.dumps(known | {name: 9}))
    with pytest.raises(RuntimeFailed, match="could not load"):
        load_llama_encoder(weights, "toy")


@pytest.mark.parametrize("header", ["[]", '{"embeddings.LayerNorm.bias": 1}', "{"])
def test_a_header_of_another_form_is_refused(tmp_path: Path, header: str) -> None:
    weights = toy_files(tmp_path)
    weights.write_bytes(struct.pack("<Q", len(header)) + header.encode())
    with pytest.raises(RuntimeFailed, match="could not load toy"):
        load_llama_encoder(weights, "toy")


def test_an_encoder_without_a_vocabulary_is_refused(tmp_path: Path) -> None:
    weights = encoder(tmp_path)
    assert unlike_bert(tmp_path) is None  # tokenizer.json has one
    (tmp_path / "tokenizer.json").write_text('{"model": {"type": "BPE", "vocab": {}}}')
    assert "tokenizer.json" in (unlike_bert(tmp_path) or "")
    with pytest.raises(RuntimeFailed, match="list of tokens"):
        load_llama_encoder(weights, "toy")


@pytest.mark.parametrize("cut", [4, 400, 4000])
def test_weights_that_were_cut_short_are_refused(tmp_path: Path, cut: int) -> None:
    weights = toy_files(tmp_path)
    weights.write_bytes(weights.read_bytes()[:cut])
    with pytest.raises(RuntimeFailed, match="could not load toy"):
        load_llama_encoder(weights, "toy")


def test_a_full_disk_is_named(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: Path, target: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr("models.llama.encoder.write_gguf", full)
    with pytest.raises(RuntimeFailed, match="No space left") as failed:
        load_llama_encoder(weights, "toy")
    assert "TMPDIR" in failed.value.remedy


def test_where_no_file_lies_in_memory_one_lies_on_disk_for_a_moment(
    weights: Path, toy: LlamaEncoder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delattr(os, "memfd_create")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    loaded = load_llama_encoder(weights, "toy")
    assert loaded.encode(TEXTS).vectors == pytest.approx(toy.encode(TEXTS).vectors, abs=1e-6)
    assert list(tmp_path.iterdir()) == []
    loaded.close()


def test_tensors_of_another_model_are_refused(weights: Path, tmp_path: Path) -> None:
    for file in weights.parent.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    changed = weights.read_bytes().replace(b"attention.self.query", b"attention.self.quest")
    (tmp_path / weights.name).write_bytes(changed)
    with pytest.raises(ValueError, match="which BERT has not"):
        write_gguf(tmp_path / weights.name, BytesIO())


@pytest.mark.parametrize(
    ("runtime", "config", "wanted"),
    [
        ("auto", {}, LlamaEncoder),
        ("llama", {}, LlamaEncoder),
        ("transformers", {}, TorchEncoder),
        ("auto", {"hidden_act": "relu"}, TorchEncoder),
        ("llama", {"hidden_act": "relu"}, None),
    ],
)
def test_llama_cpp_runs_an_encoder_where_it_can(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    runtime: str,
    config: dict[str, str],
    wanted: type | None,
) -> None:
    weights = toy_files(tmp_path)
    known = json.loads((tmp_path / "config.json").read_bytes())
    (tmp_path / "config.json").write_text(json.dumps(known | config))
    store = Store.default(os.environ)
    monkeypatch.setattr(store, "open", lambda row: weights)
    settings = load_config({"ASKANCE_MODELS_RUNTIME": runtime})
    loader = Loader(settings, load_catalogue(), store, 1024, lambda text: None)
    if wanted is None:
        with pytest.raises(RuntimeFailed, match="hidden_act"):
            loader.encoder("all-minilm-l6-v2")
        return
    loaded = loader.encoder("all-minilm-l6-v2")
    assert type(loaded) is wanted
    loaded.close()


@pytest.mark.slow
def test_a_real_encoder_has_the_vectors_of_transformers() -> None:
    file = weights_of("all-minilm-l6-v2")
    texts = [
        "The painter's mobile number?",
        "Decorator: Café Élan, 086 555 0127.",
        "The boat house is let to Eve.",
        "Eve rents the boat house.",
        "Größe, 東京 and an emoji 🙂",
        "word " * 600,
    ]
    loaded, torch = load_llama_encoder(file, "minilm"), TorchEncoder(file, "minilm")
    ours, theirs = loaded.encode(texts * 20), torch.encode(texts * 20)
    assert (ours.vectors * theirs.vectors).sum(axis=1).min() > 0.999
    assert ours.cut.tolist() == theirs.cut.tolist()
    assert [loaded.count(text) for text in texts] == [torch.count(text) for text in texts]
    assert (loaded.context, loaded.dimensions) == (512, 384)
    loaded.close()
