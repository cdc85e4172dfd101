"""Different prompts together, the prefix cache, sampling and forms, on a real model."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import models.generating
from models.catalogue import load_catalogue
from models.llama import LlamaGenerator, load_llama
from models.llama_templates import ChatTemplate
from models.protocols import Beginnings, Choices, Grammar, Message, Sampling
from models.store import Store

pytestmark = pytest.mark.slow

SMALL = "smollm2-135m-instruct-q4_1"
MAIL = "Ann met Bob in Oslo on Monday. They spoke of the lease of the boat house. " * 8
GREEDY = Sampling()
WARM = Sampling(temperature=1.0, seed=5)


@pytest.fixture(scope="module")
def model() -> Iterator[LlamaGenerator]:
    row = load_catalogue().row(SMALL)
    store = Store.default(os.environ)
    if store.state(row) != "present":
        if os.environ.get("CI") == "true":
            pytest.fail(f"{SMALL} is not in the store; `make test` pulls it")
        pytest.skip(f"{SMALL} is not in the store")
    loaded = load_llama(store.open(row), SMALL, context=2048)
    yield loaded
    loaded.close()


@pytest.fixture(autouse=True)
def begin_empty(model: LlamaGenerator) -> None:
    model.forget()


def ask(model: LlamaGenerator, text: str) -> str:
    return model.render([Message("user", text)])


def texts(model: LlamaGenerator, prompts: Sequence[str], n: int = 1, **options: Any) -> list[str]:
    replies = [""] * (len(prompts) * n)
    options = {"max_tokens": 10, "sampling": GREEDY} | options
    for piece in model.sample_many(prompts, n=n, **options):
        replies[piece.index] += piece.text
    return replies


def alone(model: LlamaGenerator, prompt: str, **options: Any) -> str:
    """Return what is said with nothing else in the cache."""
    model.forget()
    return texts(model, [prompt], **options)[0]


def test_prompts_decoded_together_say_what_they_say_alone(model: LlamaGenerator) -> None:
    questions = ["What is the capital of France?", "Count from one to five.", "Is ice cold?"]
    prompts = [ask(model, question) for question in questions]
    together = texts(model, prompts)
    assert together == [alone(model, prompt) for prompt in prompts]
    assert len(set(together)) == 3


def test_a_common_beginning_is_computed_once(model: LlamaGenerator) -> None:
    prompts = [ask(model, f"{MAIL} {q}") for q in ("Who?", "Where was it?", "What about?")]
    before = model.usage.computed
    texts(model, prompts, max_tokens=2)
    longest = max(len(model._model.tokenize(prompt, special=True)) for prompt in prompts)
    assert model.usage.computed - before < longest + 40


def test_more_prompts_than_fit_wait_their_turn(model: LlamaGenerator) -> None:
    """Each reserves 600 tokens of 2,048 for a reply that takes fewer."""
    prompts = [ask(model, f"Answer with the word {word}.") for word in ("red", "blue", "green")]
    options = {"max_tokens": 600, "constraint": Choices(("red", "blue", "green"))}
    together = texts(model, [*prompts, *prompts], **options)
    assert together == [alone(model, prompt, **options) for prompt in prompts] * 2


def test_each_prompt_is_watched_and_continued_n_times(model: LlamaGenerator) -> None:
    prompts = [ask(model, "Name a colour."), ask(model, "Name an animal.")]
    pieces = list(
        model.sample_many(prompts, n=2, max_tokens=5, sampling=WARM, watch=("Blue", "Not"))
    )
    assert [piece.index for piece in pieces if piece.watched] == [0, 2]
    assert {piece.index for piece in pieces if piece.finished} == {0, 1, 2, 3}


def test_alternating_prompts_hit_the_cache(model: LlamaGenerator) -> None:
    prompts = [ask(model, MAIL), ask(model, MAIL.replace("Ann", "Eve"))]
    for prompt in prompts:
        texts(model, [prompt], max_tokens=2)
    before = model.usage.computed
    for prompt in prompts * 3:
        texts(model, [prompt], max_tokens=2)
    assert model.usage.computed - before == 6
    assert 0 < model.usage.hit_rate < 1


def test_a_reply_is_in_the_cache_for_the_next_turn(model: LlamaGenerator) -> None:
    prompt = ask(model, MAIL + "Tell it.")
    [reply] = texts(model, [prompt], max_tokens=20)
    before = model.usage.computed
    texts(model, [prompt + reply + "\nAnd then?"], max_tokens=1)
    assert model.usage.computed - before < 12


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


def test_log_probabilities_belong_to_the_tokens(model: LlamaGenerator) -> None:
    prompt = ask(model, "Say yes.")
    pieces = list(model.sample(prompt, max_tokens=5, sampling=GREEDY, logprobs=True))
    given = [value for piece in pieces for value in piece.logprobs]
    assert 1 <= len(given) <= 6
    assert all(-20 < value <= 0 for value in given)
    text = "".join(piece.text for piece in pieces)
    [first] = model.next_token_logprobs(prompt, [text])
    assert given[0] == pytest.approx(first, abs=0.3)
    assert given[0] > math.log(1 / 50)


@pytest.mark.parametrize(
    "sampling",
    [
        Sampling(temperature=1.5, top_k=1, seed=3),
        Sampling(temperature=1.5, top_p=0.0, seed=3),
        Sampling(temperature=1.5, min_p=1.0, top_k=0, top_p=1.0, seed=3),
    ],
    ids=["top-k", "top-p", "min-p"],
)
def test_the_narrowest_sampling_is_greedy(model: LlamaGenerator, sampling: Sampling) -> None:
    prompt = ask(model, "Name a colour.")
    texts(model, [prompt])
    assert texts(model, [prompt], sampling=sampling) == texts(model, [prompt])


def test_a_reply_is_one_of_the_choices(model: LlamaGenerator) -> None:
    choices = Choices(("summary", "key-value", "aggregate", "question"))
    prompt = ask(model, "How many mails did Ann write?")
    replies = texts(model, [prompt], n=4, sampling=WARM, constraint=choices, max_tokens=1)
    assert set(replies) <= set(choices.texts)
    pieces = list(model.sample(prompt, max_tokens=9, sampling=GREEDY, constraint=choices))
    assert pieces[-1].finished == "stop"


def test_a_choice_that_begins_another_can_be_taken(model: LlamaGenerator) -> None:
    prompt = model.render([Message("user", "Count.")], primed="1, 2,")
    [reply] = texts(model, [prompt], constraint=Choices((" 3", " 3, 4, 5, 6, 7")))
    assert reply in (" 3", " 3, 4, 5, 6, 7")


def test_a_reply_begins_as_told_and_goes_on_freely(model: LlamaGenerator) -> None:
    starts = ("Follow up: ", "So the final answer is: ")
    prompt = ask(model, "What is the capital of France?")
    [reply] = texts(model, [prompt], constraint=Beginnings(starts), max_tokens=20)
    assert reply.startswith(starts)
    assert len(reply) > len("So the final answer is: ") + 3


def test_a_reply_follows_a_grammar(model: LlamaGenerator) -> None:
    gbnf = r"""
root ::= "{" ws "\"city\":" ws string "," ws "\"year\":" ws [0-9]{4} "}"
string ::= "\"" [A-Za-z ]{1,20} "\""
ws ::= " "?
"""
    prompt = ask(model, "Where and when was Ann born? As JSON.")
    for reply in texts(
        model, [prompt], n=3, sampling=WARM, constraint=Grammar(gbnf), max_tokens=60
    ):
        assert set(json.loads(reply)) == {"city", "year"}


def test_a_grammar_that_cannot_be_read_is_refused_at_once(model: LlamaGenerator) -> None:
    with pytest.raises(ValueError, match="grammar"):
        model.sample("Hi", max_tokens=3, sampling=GREEDY, constraint=Grammar("root ::= ("))


def thinking(model: LlamaGenerator, **options: Any) -> tuple[str, str | None, int]:
    """Let it reply behind thoughts just opened: text, how it ended, hidden tokens."""
    before = model.usage.hidden
    prompt = ask(model, "What is the capital of France?") + "<think>\n"
    pieces = list(model.sample(prompt, sampling=GREEDY, **options))
    text = "".join(piece.text for piece in pieces)
    return text, pieces[-1].finished, model.usage.hidden - before


def test_thoughts_without_end_are_closed_and_the_reply_follows(
    model: LlamaGenerator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ChatTemplate, "thinks", True)
    monkeypatch.setattr(models.generating, "THOUGHT_TOKENS", 6)
    text, finished, hidden = thinking(model, max_tokens=8)
    assert finished
    assert text.strip()
    assert "think" not in text
    assert 6 < hidden < 20


def test_thoughts_that_nobody_expected_are_bounded_too(model: LlamaGenerator) -> None:
    assert thinking(model, max_tokens=5) == ("", "length", 5)
