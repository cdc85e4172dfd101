"""Query likelihood in llama.cpp, by the starter's ranker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from models.decoding.sampler import log_softmax
from models.errors import RuntimeFailed
from models.llama.context import LlamaContext
from models.llama.likelihood import (
    BATCH_TOKENS,
    BRIDGE,
    SEQUENCES,
    TEXT_TOKENS,
    LlamaRanker,
    load_llama_ranker,
)
from models.llama.model import LlamaModel
from models.protocols import Cancelled
from tests.support.in_store import weights_of

pytestmark = pytest.mark.slow

SMALL = "smollm2-135m-instruct-q4_1"
QUESTION = "How much did the vet charge?"
TEXTS = [
    "Remember the cheese for the walk on Sunday.",
    "Joe: the bill of the vet was 120 pounds in the end, for both ponies",
    "The vet has moved to a new building behind the station, next to the baker.",
]


@pytest.fixture(scope="module")
def ranker() -> Iterator[LlamaRanker]:
    loaded = load_llama_ranker(weights_of(SMALL), SMALL)
    yield loaded
    loaded.close()


def test_the_text_that_answers_comes_first(ranker: LlamaRanker) -> None:
    likely = ranker.likelihoods(QUESTION, TEXTS)
    assert likely.shape == (3,)
    assert (likely < 0).all()
    assert likely.argmax() == 1


def test_a_likelihood_is_the_mean_over_the_tokens_of_the_question(ranker: LlamaRanker) -> None:
    """Computed token by token, from the weights as the file has them."""
    model = LlamaModel(weights_of(SMALL), gpu_layers=0)
    cells = LlamaContext(model, context=256, sequences=1, threads=2, chunk=256)
    tokens = model.tokenize(TEXTS[1] + BRIDGE, special=False)
    asked = model.tokenize(QUESTION, special=False)
    found = []
    try:
        for at, token in enumerate((*tokens, *asked)):
            if at >= len(tokens):
                found.append(log_softmax(cells.logits(0))[token])
            cells.decode([(token, at, 0, True)])
    finally:
        cells.close()
        model.close()
    assert ranker.likelihoods(QUESTION, TEXTS[1:2])[0] == pytest.approx(np.mean(found), abs=0.1)


def test_texts_of_several_batches_keep_their_places(ranker: LlamaRanker) -> None:
    alone = ranker.likelihoods(QUESTION, TEXTS)
    many = [TEXTS[i % 3] for i in range(2 * SEQUENCES + 3)]
    found = ranker.likelihoods(QUESTION, many)
    assert found == pytest.approx([alone[i % 3] for i in range(len(many))], abs=0.05)
    assert ranker.likelihoods(QUESTION, []).shape == (0,)
    assert ranker.likelihoods("", TEXTS).tolist() == [0.0] * 3


def test_of_a_long_text_the_beginning_counts(ranker: LlamaRanker) -> None:
    begin = "The animal doctor wanted 120 pounds in the end. " * (TEXT_TOKENS // 8)
    found = ranker.likelihoods(QUESTION, [begin, begin + "Cheese for the walk. " * 900])
    assert found[0] == pytest.approx(found[1], abs=0.05)
    long = ranker.likelihoods("Why? " * 2 * BATCH_TOKENS, [begin])
    assert long.shape == (1,)


def test_ranking_stops_when_nobody_waits(ranker: LlamaRanker) -> None:
    before = ranker.usage.computed
    with pytest.raises(Cancelled):
        ranker.likelihoods(QUESTION, TEXTS, stopped=lambda: True)
    assert ranker.usage.computed == before
    ranker.likelihoods(QUESTION, TEXTS)
    assert ranker.usage.computed > before


def test_a_closed_ranker_says_so() -> None:
    loaded = load_llama_ranker(weights_of(SMALL), SMALL)
    loaded.close()
    assert loaded.closed
    with pytest.raises(RuntimeFailed, match="not loaded"):
        loaded.likelihoods(QUESTION, TEXTS)


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "no.gguf"
    file.write_bytes(b"GGUF" + bytes(64))
    with pytest.raises(RuntimeFailed, match="could not round the weights"):
        load_llama_ranker(file, "no")
