"""Sparse encoders in llama.cpp: the weights of transformers, from the same files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from models.errors import RuntimeFailed
from models.llama.encoder import MOST_TEXTS
from models.llama.sparse import LlamaSparseEncoder, load_llama_sparse
from models.protocols import Cancelled
from tests.support.in_store import weights_of
from tests.support.toy_torch import encoder

TEXTS = ["ann met bob in oslo", "who?", "", "in " * 30, "bob in oslo"]


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return encoder(tmp_path_factory.mktemp("toy"), "masked words")


@pytest.fixture(scope="module")
def toy(weights: Path) -> Iterator[LlamaSparseEncoder]:
    loaded = load_llama_sparse(weights, "toy")
    yield loaded
    loaded.close()


def by_transformers(folder: Path, texts: list[str]) -> Any:
    """Return log(1 + ReLU) of the head's values, their maximum over a text's tokens."""
    import torch
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    network = AutoModelForMaskedLM.from_pretrained(folder).eval()
    found = []
    with torch.no_grad():
        for text in texts:
            tokens = tokenizer(text, return_tensors="pt", truncation=True, max_length=64)
            values = network(**tokens).logits[0]
            found.append(torch.log1p(torch.relu(values)).max(dim=0).values.numpy())
    return np.stack(found)


def test_weights_are_those_of_transformers(toy: LlamaSparseEncoder, weights: Path) -> None:
    theirs = by_transformers(weights.parent, ["who met bob", *TEXTS])
    question = toy.expand("who met bob")
    order = np.argsort(-theirs[0])[: len(question.terms)]
    assert question.weights == pytest.approx(theirs[0][order], rel=1e-3, abs=5e-3)
    assert question.weights.min() > 0
    assert np.all(np.diff(question.weights) <= 0)
    wanted = theirs[1:, question.terms] @ question.weights
    assert toy.scores(question, TEXTS) == pytest.approx(wanted, rel=1e-3, abs=2e-2)
    assert len(question.words) == len(question.terms)


def test_texts_of_several_batches_keep_their_places(toy: LlamaSparseEncoder) -> None:
    question = toy.expand("who met bob")
    many = [TEXTS[i % len(TEXTS)] for i in range(2 * MOST_TEXTS + 3)]
    alone = toy.scores(question, TEXTS)
    assert toy.scores(question, many) == pytest.approx(
        [alone[i % len(TEXTS)] for i in range(len(many))], rel=2e-3
    )
    assert toy.scores(question, []).shape == (0,)


def test_scoring_stops_when_nobody_waits(toy: LlamaSparseEncoder) -> None:
    before = toy.usage.computed
    with pytest.raises(Cancelled):
        toy.scores(toy.expand("who"), TEXTS, stopped=lambda: True)
    assert toy.usage.computed > before  # the question was weighed


def test_a_closed_sparse_encoder_says_so(weights: Path) -> None:
    loaded = load_llama_sparse(weights, "toy")
    loaded.close()
    assert loaded.closed
    with pytest.raises(RuntimeFailed, match="not loaded"):
        loaded.expand("ann")


def test_an_encoder_without_a_head_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RuntimeFailed, match=r"toy weighs no words: .*cls\.predictions") as failed:
        load_llama_sparse(encoder(tmp_path), "toy")
    assert "models use sparse_encoder" in failed.value.remedy


def test_a_vocabulary_of_another_size_is_refused(weights: Path, tmp_path: Path) -> None:
    for file in weights.parent.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\nann\n")
    with pytest.raises(RuntimeFailed, match="another shape"):
        load_llama_sparse(tmp_path / weights.name, "toy")


def test_weights_that_end_too_early_are_refused(weights: Path, tmp_path: Path) -> None:
    for file in weights.parent.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    cut = tmp_path / weights.name
    cut.write_bytes(cut.read_bytes()[:-4000])
    with pytest.raises(RuntimeFailed, match="toy"):
        load_llama_sparse(cut, "toy")


@pytest.mark.slow
def test_the_real_one_knows_words_of_the_same_meaning() -> None:
    loaded = load_llama_sparse(weights_of("splade-tiny"), "splade-tiny")
    question = loaded.expand("who is my landlord")
    assert {"landlord", "tenant", "owner"} <= set(question.words)
    near, far = loaded.scores(
        question, ["The tenant pays the rent to the owner.", "The ferry leaves at nine."]
    )
    assert near > far
    loaded.close()
