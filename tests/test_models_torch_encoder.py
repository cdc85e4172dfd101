"""Encoders: vectors as transformers gives them, prefixes outside the mean, nothing cut unsaid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from models.errors import ContextExceeded, RuntimeFailed
from models.protocols import Cancelled
from models.torch.encoder import BATCH_TOKENS, TorchEncoder, _batches
from models.torch.loaders import load_encoder
from tests.support.in_store import weights_of
from tests.support.toy_torch import encoder

CLS, SEP = 2, 3
TEXTS = ["Ann met Bob in Oslo", "who?", "", "in " * 30, "bob [SEP] oslo"]


@pytest.fixture(scope="module", params=["bert", "distilbert"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return encoder(tmp_path_factory.mktemp("toy"), request.param)


@pytest.fixture(scope="module")
def toy(folder: Path) -> Iterator[TorchEncoder]:
    loaded = TorchEncoder(folder, "toy", precision="float32")
    yield loaded
    loaded.close()


def states(
    folder: Path, tokens: Sequence[int], segments: Sequence[int] | None = None
) -> npt.NDArray[np.float32]:
    """Return the last hidden states of one sequence, computed alone."""
    from transformers import AutoModel

    network = AutoModel.from_pretrained(folder.parent).eval()
    options: Any = {}
    if segments is not None and network.config.model_type == "bert":
        options["token_type_ids"] = torch.tensor([list(segments)])
    with torch.no_grad():
        said = network(torch.tensor([list(tokens)]), **options).last_hidden_state[0].numpy()
    return np.asarray(said)


def unit(vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return np.asarray(vector / np.linalg.norm(vector))


def test_texts_of_any_length_come_back_in_their_order(toy: TorchEncoder, folder: Path) -> None:
    encoded = toy.encode(TEXTS)
    assert encoded.vectors.shape == (5, toy.dimensions) == (5, 32)
    assert encoded.vectors.dtype == np.float32
    assert encoded.cut.tolist() == [0] * 5
    for text, vector in zip(TEXTS, encoded.vectors, strict=True):
        wanted = unit(states(folder, [CLS, *toy._tokens([text])[0], SEP]).mean(axis=0))
        assert vector == pytest.approx(wanted, abs=1e-5)


def test_the_prefix_is_read_and_not_averaged(toy: TorchEncoder, folder: Path) -> None:
    """TTRAG A.6: one sequence, the query's tokens masked, the end token inside the mean."""
    query, text = (toy._tokens([one])[0] for one in ("who met bob", "ann in oslo"))
    pairs = [("who met bob", "ann in oslo"), ("", "ann in oslo")]
    given = toy.encode_conditioned(pairs).vectors
    whole = states(folder, [CLS, *query, *text, SEP])
    kept = np.delete(whole, range(1, 1 + len(query)), axis=0)
    assert given[0] == pytest.approx(unit(kept.mean(axis=0)), abs=1e-5)
    assert given[1] == pytest.approx(toy.encode(["ann in oslo"]).vectors[0], abs=1e-6)
    assert np.abs(given[0] - given[1]).max() > 1e-3


def test_a_separator_may_stand_between_and_is_not_averaged(toy: TorchEncoder, folder: Path) -> None:
    query, text = (toy._tokens([one])[0] for one in ("who met bob", "ann in oslo"))
    [given] = toy.encode_conditioned([("who met bob", "ann in oslo")], separated=True).vectors
    head = [CLS, *query, SEP]
    segments = [0] * len(head) + [1] * (len(text) + 1)
    whole = states(folder, [*head, *text, SEP], segments)
    kept = np.delete(whole, range(1, len(head)), axis=0)
    assert given == pytest.approx(unit(kept.mean(axis=0)), abs=1e-5)


def test_what_is_cut_is_counted(toy: TorchEncoder) -> None:
    long = "ann " * 100
    assert toy.context == 64
    encoded = toy.encode([long, "ann", "ann " * 62])
    assert encoded.cut.tolist() == [38, 0, 0]
    assert encoded.vectors[0] == pytest.approx(encoded.vectors[2], abs=1e-5)
    behind = toy.encode_conditioned([("who met bob", long), ("", long)], separated=True)
    assert behind.cut.tolist() == [42, 38]


def test_a_prefix_is_never_cut(toy: TorchEncoder) -> None:
    with pytest.raises(ContextExceeded, match=r"62 tokens.* 64"):
        toy.encode_conditioned([("ann " * 62, "bob")])
    assert toy.encode_conditioned([("ann " * 61, "bob bob")]).cut.tolist() == [1]


def test_markers_in_a_text_are_only_text(toy: TorchEncoder) -> None:
    assert SEP not in toy._tokens(["a [SEP] b"])[0]
    assert toy.count("[CLS] ann") > 2
    assert toy.count("ann \ud800") >= 1


@pytest.mark.parametrize(
    ("pooling", "pool"),
    [
        ("cls_token", lambda rows: rows[0]),
        ("max_tokens", lambda rows: rows.max(axis=0)),
        ("mean_tokens", lambda rows: rows.mean(axis=0)),
    ],
)
def test_a_model_pools_as_it_was_trained_to(tmp_path: Path, pooling: str, pool: Any) -> None:
    file = encoder(tmp_path, pooling=pooling)
    toy = TorchEncoder(file, "toy", precision="float32")
    rows = states(file, [CLS, *toy._tokens(["ann met bob"])[0], SEP])
    assert toy.encode(["who", "ann met bob"]).vectors[1] == pytest.approx(
        unit(pool(rows)), abs=1e-5
    )


def test_a_pooling_nobody_knows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RuntimeFailed, match="weightedmean"):
        TorchEncoder(encoder(tmp_path, pooling="weightedmean_tokens"), "toy")


def test_files_that_are_no_encoder_are_refused(folder: Path, tmp_path: Path) -> None:
    for file in folder.parent.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes()[:4000])
    with pytest.raises(RuntimeFailed, match="could not load toy"):
        TorchEncoder(tmp_path / folder.name, "toy")


def test_encoding_stops_when_nobody_waits(toy: TorchEncoder) -> None:
    before = toy.usage.computed
    with pytest.raises(Cancelled):
        toy.encode(TEXTS, stopped=lambda: True)
    assert toy.usage.computed == before
    assert toy.encode([]).vectors.shape == (0, 32)


def test_bfloat16_ranks_about_the_same(toy: TorchEncoder, folder: Path) -> None:
    half = TorchEncoder(folder, "toy", precision="bfloat16")
    assert half.encode(TEXTS).vectors == pytest.approx(toy.encode(TEXTS).vectors, abs=0.05)


def test_batches_hold_like_lengths_and_every_text_once() -> None:
    lengths = [5, 100, 7, 90, 6, 2000, 1]
    batches = list(_batches(lengths, 200))
    assert sorted(i for batch in batches for i in batch) == list(range(7))
    assert batches == [[5], [1, 3], [2, 4, 0, 6]]


def test_a_closed_encoder_says_so(folder: Path) -> None:
    loaded = load_encoder(folder, "toy", precision="bfloat16")
    assert loaded.encode(["ann"]).vectors.shape == (1, 32)
    loaded.close()
    with pytest.raises(RuntimeFailed, match="not loaded"):
        loaded.encode(["ann"])


@pytest.mark.slow
def test_a_real_encoder_knows_what_is_alike() -> None:
    loaded = load_encoder(weights_of("all-minilm-l6-v2"), "all-minilm-l6-v2")
    texts = [
        "The boat house is let to Eve.",
        "Eve rents the boat house.",
        "Ice melts at zero degrees.",
        "Water freezes when it is cold.",
    ]
    vectors = loaded.encode(texts * 40).vectors  # more than one batch
    assert loaded.usage.prompt > BATCH_TOKENS["cpu"]
    alike = vectors[:4] @ vectors[:4].T
    assert alike[0, 1] > 0.7 > alike[0, 2]
    assert alike[2, 3] > alike[1, 2]
    assert vectors[-4:] == pytest.approx(vectors[:4], abs=1e-2)
    assert (loaded.context, loaded.dimensions) == (512, 384)
