"""A beginning that is computed once and outlasts the questions that share it, on a real model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from models.errors import ContextExceeded
from models.llama.generator import LlamaGenerator, load_llama
from models.protocols import GenerationRequest
from tests.support.in_store import weights_of

pytestmark = pytest.mark.slow

SMALL = "smollm2-135m-instruct-q4_1"
BEGINNING = "Ann met Bob in Oslo on Monday. They spoke of the lease of the boat house. " * 12
QUESTIONS = ("Who met Bob?", "Where did they meet, and what of?", "When was it?")


@pytest.fixture(scope="module")
def model() -> Iterator[LlamaGenerator]:
    loaded = load_llama(weights_of(SMALL), SMALL, context=1024)
    yield loaded
    loaded.close()


def reply(
    model: LlamaGenerator, question: str, beginning: str = BEGINNING
) -> tuple[str, list[float]]:
    """Return what is said, and how likely each token was to the last bit."""
    text, logprobs = "", list[float]()
    prompt = beginning + question
    for piece in model.sample(GenerationRequest((prompt,), max_tokens=12, logprobs=True)):
        text += piece.text
        logprobs += piece.logprobs
    return text, logprobs


def test_what_is_kept_is_paid_once_and_changes_nothing(model: LlamaGenerator) -> None:
    model.keep("")  # nothing is kept
    model.forget()
    alone = []
    for question in QUESTIONS:
        model.keep("Something else.")
        model.keep(BEGINNING)
        alone.append(reply(model, question))
    before = model.usage.computed
    model.keep(BEGINNING)
    assert model.usage.computed == before
    for question, expected in [*zip(QUESTIONS, alone, strict=True)] * 2:
        model.forget()
        model.keep(BEGINNING)
        assert reply(model, question) == expected
    computed = model.usage.computed - before
    assert computed < 6 * 40  # the question and the reply, never the beginning


def test_keeping_counts_as_computed_and_not_as_asked(model: LlamaGenerator) -> None:
    model.keep("Something else.")
    before = (model.usage.prompt, model.usage.computed, model.usage.calls)
    model.keep(BEGINNING)
    after = (model.usage.prompt, model.usage.computed, model.usage.calls)
    assert (after[0], after[2]) == (before[0], before[2])
    assert after[1] - before[1] == pytest.approx(model.count(BEGINNING), abs=2)


def test_room_for_a_question_that_begins_otherwise_is_made(model: LlamaGenerator) -> None:
    model.keep(BEGINNING)
    other = "Ice melts at zero degrees. " * 120
    assert reply(model, "Why?", other)[0]
    model.forget()
    model.keep(BEGINNING)
    assert reply(model, QUESTIONS[0])[0]


def test_a_beginning_beyond_the_context_is_refused(model: LlamaGenerator) -> None:
    with pytest.raises(ContextExceeded, match="1024"):
        model.keep(BEGINNING * 8)
