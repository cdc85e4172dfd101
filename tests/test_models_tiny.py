"""The tiny model and what it answers, computed again without llama.cpp."""

from __future__ import annotations

import numpy as np
import pytest

from models.proof.numbers import (
    ATTENTION,
    CHOICES,
    COLUMNS,
    CONTEXT,
    MORE,
    PROMPT,
    PROMPTS,
    QUERY,
    READ_LAYERS,
    TOLERANCE,
    KnownLogprobs,
    Wrong,
    compare,
)
from models.proof.tiny_model import tiny_model
from tests.support.toy_forward import NumpyLlama

pytest.importorskip("gguf", reason="the gguf package, of the extra torch, is not here")
ROUNDED = 0.006
"""Stored numbers have two decimals."""


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> NumpyLlama:
    path = tmp_path_factory.mktemp("tiny") / "tiny.gguf"
    path.write_bytes(tiny_model())
    return NumpyLlama(path)


def logprobs(llama: NumpyLlama, text: str) -> list[float]:
    after = llama.compute(llama.encode(text)).logprobs[-1]
    return [float(value) for value in after[llama.encode(CHOICES)]]


def test_the_file_has_what_real_ones_have(llama: NumpyLlama) -> None:
    quantised = {"Q4_0", "Q4_1", "Q5_0", "Q8_0", "Q4_K", "Q5_K", "Q6_K", "IQ4_XS"}
    assert llama.types == quantised | {"F16", "F32"}
    assert len(tiny_model()) < 1 << 20
    assert all(len(prompt.text) >= 64 for prompt in PROMPTS)


@pytest.mark.parametrize(
    "known",
    [*PROMPTS, KnownLogprobs(PROMPT.text + MORE.text, MORE.logprobs)],
    ids=["1", "2", "3", "more"],
)
def test_stored_numbers_are_those_of_the_weights(llama: NumpyLlama, known: KnownLogprobs) -> None:
    assert logprobs(llama, known.text) == pytest.approx(known.logprobs, abs=ROUNDED)


@pytest.mark.parametrize("known", PROMPTS, ids=["1", "2", "3"])
def test_nothing_comes_near_the_tokens_of_a_reply(llama: NumpyLlama, known: KnownLogprobs) -> None:
    tokens = llama.encode(known.text)
    for wanted in known.reply:
        after = llama.compute(tokens).logprobs[-1]
        *_, second, first = np.argsort(after)
        assert after[first] == pytest.approx(wanted, abs=ROUNDED)
        assert after[first] - after[second] > 1
        assert first > 2  # no control token, which would end the reply
        tokens.append(int(first))


def test_stored_attention_is_that_of_the_weights(llama: NumpyLlama) -> None:
    of = llama.compute(llama.encode(CONTEXT + QUERY)).attention
    for layer, wanted in zip(READ_LAYERS, ATTENTION, strict=True):
        rows = of[layer].mean(axis=0)[:, list(COLUMNS)]
        sums = [*rows[: len(CONTEXT)].sum(axis=0), *rows[len(CONTEXT) :].sum(axis=0)]
        assert sums == pytest.approx(wanted, abs=ROUNDED)


def test_one_matrix_that_is_computed_wrongly_is_found_out(llama: NumpyLlama) -> None:
    wanted = [value for prompt in PROMPTS[:2] for value in prompt.logprobs]
    for name in [name for name, weights in llama.weights.items() if weights.ndim == 2]:
        right = llama.weights[name]
        llama.weights[name] = np.roll(right, 1, axis=0)
        found = [value for prompt in PROMPTS[:2] for value in logprobs(llama, prompt.text)]
        llama.weights[name] = right
        far = max(abs(one - other) for one, other in zip(found, wanted, strict=True))
        assert far > 2 * TOLERANCE, name


@pytest.mark.parametrize(
    "found", [[1.0, float("nan")], [1.0], [1.0, 3.0], [float("-inf"), 2.0], []], ids=str
)
def test_what_is_not_near_is_wrong(found: list[float]) -> None:
    compare("here", [1.1, 1.9], [1.0, 2.0])
    with pytest.raises(Wrong, match="here instead of"):
        compare("here", found, [1.0, 2.0])
