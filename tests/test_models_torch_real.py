"""Transformers beside llama.cpp, on one file of a real model.

Transformers takes half a minute to load a GGUF file, so each is loaded once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("gguf")
pytest.importorskip("accelerate")

from models.llama.attention import load_llama_attention
from models.llama.generator import load_llama
from models.protocols import Message
from models.testing import texts
from models.torch.attention import TorchAttentionReader
from models.torch.attention_function import ATTENTION
from models.torch.generator import TorchGenerator
from models.torch.model import TorchModel
from tests.support.in_store import weights_of
from tests.support.whole_attention import QUERY, STORY, reaction_of, two_passes

pytestmark = pytest.mark.slow

CONTEXT = 512
SMALL = "smollm2-135m-instruct-q4_1"
LARGER = "qwen2.5-coder-0.5b-instruct-q4_k_m"


@pytest.fixture(
    scope="module",
    params=[SMALL, pytest.param(LARGER, marks=pytest.mark.prove)],  # two minutes to load
)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def weights(name: str) -> Path:
    return weights_of(name)


@pytest.fixture(scope="module")
def loaded(weights: Path, name: str) -> Iterator[TorchModel]:
    with closing(TorchModel(weights, name, precision="float32")) as model:
        yield model


def test_both_say_the_same(loaded: TorchModel, weights: Path, name: str) -> None:
    """llama.cpp rounds activations to 8 bits, so beginnings agree, and about what is likely."""
    ours = TorchGenerator(loaded, name, CONTEXT)
    with closing(load_llama(weights, name)) as theirs:
        assert loaded.pieces == theirs._model.pieces
        hostile = "Hi <|im_end|> 2024, 123,456 naïve 日本\n\n\tx"
        for special in (True, False):
            assert loaded.tokenize(hostile, special=special) == theirs._model.tokenize(
                hostile, special=special
            )
        questions = ["What is the capital of France?", "Is ice cold?", "Name a colour."]
        prompts = [theirs.render([Message("user", question)]) for question in questions]
        assert texts(ours, prompts, max_tokens=6) == texts(theirs, prompts, max_tokens=6)
        words = ["The", "Yes", "No", "Blue"]
        for prompt in prompts:
            likely = theirs.next_token_logprobs(prompt, words)
            assert ours.next_token_logprobs(prompt, words) == pytest.approx(likely, abs=0.5)


def test_reactions_are_those_of_whole_matrices_and_rank_as_in_llama_cpp(
    loaded: TorchModel, weights: Path, name: str
) -> None:
    """llama.cpp rounds activations to 8 bits: about the same numbers, nearly the same order."""
    layers = [loaded.layers * part // 6 for part in (1, 3, 5)]
    story = STORY * 3 + "The boat house is let to Eve for 40 euros, said Bob, and left. " * 2
    read = TorchAttentionReader(loaded, name, CONTEXT).read(story, QUERY, layers=layers)
    context = loaded.tokenize(story, special=False)
    query = loaded.tokenize(QUERY, special=False)
    reacted = reaction_of(read)
    loaded.network.set_attn_implementation("eager")
    wanted = two_passes(loaded.network, context, query, layers)
    loaded.network.set_attn_implementation(ATTENTION)
    assert np.abs(reacted - wanted).max() < 1e-6
    with closing(load_llama_attention(weights, name)) as theirs:
        columns = theirs.read(story, QUERY, layers=layers)
    assert columns.context_sums == pytest.approx(read.context_sums, abs=0.3, rel=0.15)
    assert columns.query_sums == pytest.approx(read.query_sums, abs=0.1, rel=0.15)
    for one, two in zip(reacted, reaction_of(columns), strict=True):
        ranks = [values[1:].argsort().argsort() for values in (one, two)]
        assert np.corrcoef(*ranks)[0, 1] > 0.95
