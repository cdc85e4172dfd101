"""The llama.cpp runtime on a real model: what every generator keeps to, and what is its own."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import models.decoding.generator
from models.decoding.chat_templates import ChatTemplate
from models.errors import RuntimeFailed
from models.llama.generator import LlamaGenerator, load_llama
from models.protocols import GenerationRequest, Sampling
from models.testing import GeneratorContract, alone, ask, texts
from tests.support.in_store import weights_of

pytestmark = pytest.mark.slow

SMALL = "smollm2-135m-instruct-q4_1"
MAIL = "Ann met Bob in Oslo on Monday. They spoke of the lease of the boat house. " * 8
GREEDY = Sampling()


@pytest.fixture(scope="module")
def model() -> Iterator[LlamaGenerator]:
    loaded = load_llama(weights_of(SMALL), SMALL, context=1024)
    yield loaded
    loaded.close()


class TestSmall(GeneratorContract):
    """With the fixture above."""


@pytest.fixture(autouse=True)
def begin_empty(model: LlamaGenerator) -> None:
    model.forget()


def logits_after(model: LlamaGenerator, prompt: str) -> Any:
    model.next_token_logprobs(prompt, ["Yes"])
    rows = model._context._batch.n_tokens
    return model._context.logits(rows - 1).copy()


def test_a_cached_beginning_gives_the_same_logits(model: LlamaGenerator) -> None:
    """Bit for bit, where the same kernel does both: it takes 64 to 256 tokens at a time."""
    first, second = ask(model, MAIL), ask(model, MAIL + "It rained all week. " * 15)
    cold = logits_after(model, second)
    model.forget()
    logits_after(model, first)
    before = model.usage.computed
    warm = logits_after(model, second)
    assert 64 <= model.usage.computed - before < model.count(second) - 100
    assert np.array_equal(cold, warm)


def test_a_reply_is_in_the_cache_for_the_next_turn(model: LlamaGenerator) -> None:
    prompt = ask(model, MAIL + "Tell it.")
    [reply] = texts(model, [prompt], max_tokens=20)
    before = model.usage.computed
    texts(model, [prompt + reply + "\nAnd then?"], max_tokens=1)
    assert model.usage.computed - before < 12


def test_log_probabilities_agree_with_the_greedy_token(model: LlamaGenerator) -> None:
    prompt = ask(model, "Say yes.")
    greedy = alone(model, prompt, max_tokens=12)
    first = greedy.split()[0].rstrip(",.!")
    likely, unlikely = model.next_token_logprobs(prompt, [first, " zebra"])
    assert likely > unlikely
    assert -20 < likely <= 0


def test_log_probabilities_belong_to_the_tokens(model: LlamaGenerator) -> None:
    prompt = ask(model, "Say yes.")
    pieces = list(model.sample(GenerationRequest((prompt,), max_tokens=5, logprobs=True)))
    given = [value for piece in pieces for value in piece.logprobs]
    assert 1 <= len(given) <= 6
    assert all(-20 < value <= 0 for value in given)
    text = "".join(piece.text for piece in pieces)
    [first] = model.next_token_logprobs(prompt, [text])
    assert given[0] == pytest.approx(first, abs=0.3)
    assert given[0] > math.log(1 / 50)


def thinking(model: LlamaGenerator, **options: Any) -> tuple[str, str | None, int]:
    """Let it reply behind thoughts just opened: text, how it ended, hidden tokens."""
    before = model.usage.hidden
    prompt = ask(model, "What is the capital of France?") + "<think>\n"
    pieces = list(model.sample(GenerationRequest((prompt,), **options)))
    text = "".join(piece.text for piece in pieces)
    return text, pieces[-1].finished, model.usage.hidden - before


def test_thoughts_without_end_are_closed_and_the_reply_follows(
    model: LlamaGenerator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ChatTemplate, "thinks", True)
    monkeypatch.setattr(models.decoding.generator, "THOUGHT_TOKENS", 6)
    text, finished, hidden = thinking(model, max_tokens=8)
    assert finished
    assert text.strip()
    assert "think" not in text
    assert 6 < hidden < 20


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.gguf"
    wrong.write_bytes(b"GGUF" + bytes(200))
    with pytest.raises(RuntimeFailed, match="could not load"):
        load_llama(wrong, "wrong")
