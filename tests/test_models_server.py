"""A generator at a server: what is asked of each kind, and what becomes of every failure."""

from __future__ import annotations

import gc
import json
import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from models.errors import ContextExceeded, ModelUnknown, RuntimeFailed
from models.protocols import (
    Beginnings,
    Cancelled,
    Choices,
    GenerationRequest,
    Grammar,
    Message,
    OtherBeginnings,
    Sampling,
)
from models.server import link as server_link
from models.server.address import Address, address_of
from models.server.errors import ServerFailed
from models.server.generator import ServerGenerator, connect
from models.server.prompts import estimated_tokens
from models.system.secrets import KeyringClosed
from tests.support.toy_server import CONTEXT, MODEL, ToyServer, serving

SECRET = "The lease of the boathouse ends in December."
QUESTION = [Message("system", "Be brief."), Message("user", SECRET)]
KINDS = ("llama-server", "vLLM", "Ollama", "LM Studio", "stranger")
Open = Callable[..., tuple[ServerGenerator, ToyServer]]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Start toys and connect to them."""
    monkeypatch.setattr(server_link, "FIRST_PAUSE", 0.01)
    with ExitStack() as stack:

        def open_(
            kind: str = "vLLM", *, model: str | None = None, say: Any = print, **is_: Any
        ) -> tuple[ServerGenerator, ToyServer]:
            in_memory = {"loaded": {MODEL: CONTEXT}}
            toy = stack.enter_context(serving(ToyServer(kind, **(in_memory | is_))))
            generator = connect(address_of(toy.url, None), model=model, say=say)
            stack.callback(generator.close)
            return generator, toy

        yield open_


def replies(model: ServerGenerator, prompt: str, **options: Any) -> list[tuple[str, str]]:
    """Return text and end of each reply."""
    texts: dict[int, str] = {}
    ends: dict[int, str] = {}
    options = {"max_tokens": 20, "sampling": Sampling()} | options
    for piece in model.sample(GenerationRequest((prompt,), **options)):
        texts[piece.index] = texts.get(piece.index, "") + piece.text
        ends[piece.index] = piece.finished or ""
    return [(texts[index], ends[index]) for index in sorted(texts)]


# Where text may go


@pytest.mark.parametrize(
    ("url", "means"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://localhost:8080/v1", "http://localhost:8080"),
        ("http://[::1]:8080/v1/", "http://[::1]:8080"),
        ("https://LocalHost/llm/v1", "https://localhost/llm"),
        ("http://127.8.9.1", "http://127.8.9.1"),
    ],
)
def test_this_machine_needs_no_permission(url: str, means: str) -> None:
    address = address_of(url, None)
    assert address.loopback
    assert address.url == means


@pytest.mark.parametrize(
    ("url", "allowed", "reason"),
    [
        ("https://gpu.example.org", None, "another machine, gpu.example.org"),
        ("https://gpu.example.org", "example.org", "another machine"),
        ("https://gpu.example.org", "gpu.example.org:8000", "another machine"),
        ("http://gpu.example.org", "gpu.example.org", "unencrypted"),
        ("http://192.168.1.5:8000", "192.168.1.5", "unencrypted"),
        ("http://localhost.example.org", None, "another machine"),
        ("http://127.0.0.1.example.org", None, "another machine"),
        ("http://[::ffff:8.8.8.8]", None, "another machine"),
        ("http://127.0.0.1@example.org", None, "form"),
        ("http://ann:pass@127.0.0.1", None, "form"),
        ("http://127.0.0.1/?key=x", None, "form"),
        ("ftp://127.0.0.1", None, "form"),
        ("127.0.0.1:8080", None, "form"),
    ],
)
def test_other_machines_need_a_name_and_encryption(
    url: str, allowed: str | None, reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        address_of(url, allowed)


@pytest.mark.parametrize("allowed", ["gpu.example.org", "GPU.example.org:8000"])
def test_a_named_host_may_be_reached_over_tls(allowed: str) -> None:
    address = address_of("https://gpu.example.org:8000/v1", allowed)
    assert (address.url, address.loopback) == ("https://gpu.example.org:8000", False)
    assert address.key_name == "server:gpu.example.org:8000"


# What is asked, and what comes


@pytest.mark.parametrize("kind", KINDS)
def test_text_comes_as_it_is_written(opened: Open, kind: str) -> None:
    model, toy = opened(kind)
    pieces = list(model.sample(GenerationRequest((model.render(QUESTION),), max_tokens=20)))
    assert "".join(piece.text for piece in pieces) == "Ann met Bob in Oslo ."
    assert len(pieces) > 4
    assert [piece.finished for piece in pieces if piece.finished] == ["stop"]
    assert replies(model, model.render(QUESTION), max_tokens=3) == [("Ann met Bob", "length")]
    assert model.id == f"{MODEL}@{toy.url.removeprefix('http://')}"
    assert SECRET in json.dumps(toy.bodies[0])
    assert toy.bodies[0]["temperature"] == 0.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("offers", ["yes", "no", "refused"])
def test_several_replies_come_whatever_is_offered(opened: Open, kind: str, offers: str) -> None:
    model, toy = opened(kind, offers_n=offers)
    for _ in range(2):
        several = replies(model, model.render(QUESTION), n=3, sampling=Sampling(0.8, seed=5))
        assert several == [("Ann met Bob in Oslo .", "stop")] * 3
    if offers == "yes":
        assert [body["n"] for body in toy.bodies] == [3, 3]
    else:
        *_, first, second, third = toy.bodies
        assert {one["seed"] for one in (first, second, third)} == {5, 6, 7}
        # It is not asked again for what it has refused once.
        assert sum(body["n"] == 3 for body in toy.bodies) == 1
    assert model.usage.prompt == 200


def test_prompts_are_answered_side_by_side(opened: Open) -> None:
    model, toy = opened("vLLM")
    prompts = [model.render([Message("user", word)]) for word in ("one", "two", "three")]
    pieces = list(model.sample(GenerationRequest(tuple(prompts), n=2, max_tokens=20)))
    assert {piece.index for piece in pieces} == set(range(6))
    assert len(toy.bodies) == 3
    assert model.usage.calls == 3


def test_llama_server_renders_and_goes_on_with_a_reply(opened: Open) -> None:
    model, toy = opened("llama-server")
    hostile = Message("user", "Quoted <|im_end|> and </s> and [/INST].")
    prompt = model.render([hostile], "Well,")
    assert prompt == "<|user|>Quoted < |im_end|> and < /s> and [ /INST].<|assistant|>Well,"
    replies(model, prompt, sampling=Sampling(0.5, top_p=0.8, top_k=7, min_p=0.1, seed=3))
    body = toy.bodies[0]
    assert body["prompt"] == prompt
    drawn = [body[name] for name in ("temperature", "top_p", "top_k", "min_p", "seed")]
    assert drawn == [0.5, 0.8, 7, 0.1, 3]
    assert body["repeat_penalty"] == 1.0
    assert model.count("one two three") == 3


def test_vllm_goes_on_with_a_message(opened: Open) -> None:
    model, toy = opened("vLLM")
    replies(model, model.render(QUESTION, "Well,"))
    replies(model, model.render(QUESTION))
    begun, plain = toy.bodies
    assert begun["messages"][-1] == {"role": "assistant", "content": "Well,"}
    assert (begun["continue_final_message"], begun["add_generation_prompt"]) == (True, False)
    assert plain["messages"][-1]["role"] == "user"
    assert (plain["continue_final_message"], plain["add_generation_prompt"]) == (False, True)
    assert "<|im_start|>" not in json.dumps(model.render([Message("user", "<|im_start|>")]))


def test_a_stranger_is_asked_to_begin_so_and_its_repetition_left_out(opened: Open) -> None:
    model, toy = opened("stranger", says="Well, it ends in December.")
    assert replies(model, model.render(QUESTION, "Well,")) == [(" it ends in December.", "stop")]
    assert "Begin your reply with: Well," in toy.bodies[0]["messages"][-1]["content"]
    assert {"top_k", "min_p", "cache_salt"}.isdisjoint(toy.bodies[0])
    toy.says = "It ends in December."
    assert replies(model, model.render(QUESTION, "Well,")) == [("It ends in December.", "stop")]
    toy.says = "We"
    assert replies(model, model.render(QUESTION, "Well,")) == [("We", "stop")]
    with pytest.raises(ServerFailed, match="already begun"):
        replies(model, model.render(QUESTION, "Well,"), watch=("No",))


@pytest.mark.parametrize("obeys", [True, False])
def test_a_stop_string_ends_a_reply_whoever_sees_it(opened: Open, obeys: bool) -> None:
    model, toy = opened("vLLM", obeys_stop=obeys)
    assert replies(model, model.render(QUESTION), stop=(" in",)) == [("Ann met Bob", "stop")]
    assert toy.bodies[0]["stop"] == [" in"]


@pytest.mark.parametrize("kind", KINDS)
def test_first_tokens_are_watched(opened: Open, kind: str) -> None:
    model, _ = opened(kind)
    first, *rest = model.sample(
        GenerationRequest((model.render(QUESTION),), max_tokens=9, watch=("Not", "Ann", "Yes"))
    )
    assert first.text == ""
    # "No" and "N" both begin "Not": the longer is what a tokenizer takes. Of "Yes" it is known
    # that it is no likelier than the least that is listed.
    assert first.watched == pytest.approx([math.log(p) for p in (0.1, 0.5, 0.1)])
    assert not any(piece.watched for piece in rest)
    assert model.next_token_logprobs(model.render(QUESTION), ["Ann"]) == [math.log(0.5)]


def test_raw_prompts_and_their_older_lists_of_likely_tokens(opened: Open) -> None:
    model, toy = opened("vLLM")
    assert model.next_token_logprobs("Who?", ["Ann", "No"]) == [math.log(0.5), math.log(0.1)]
    assert toy.bodies[0]["prompt"] == "Who?"


def test_every_token_has_its_likelihood(opened: Open) -> None:
    model, _ = opened("vLLM")
    options: dict[str, Any] = {"max_tokens": 9, "sampling": Sampling(), "logprobs": True}
    pieces = list(model.sample(GenerationRequest((model.render(QUESTION),), **options)))
    assert [len(piece.logprobs) for piece in pieces[:-1]] == [1] * 6
    assert pieces[0].logprobs == (math.log(0.5),)


def test_a_server_without_likelihoods_is_named(opened: Open) -> None:
    model, toy = opened("vLLM", top={})
    with pytest.raises(ServerFailed, match=f"{toy.url} gives no log-probabilities"):
        replies(model, model.render(QUESTION), watch=("Not",))


def test_likelihoods_that_a_server_does_not_give_are_left_out(opened: Open) -> None:
    model, _ = opened("vLLM", top={})
    request = GenerationRequest((model.render(QUESTION),), max_tokens=9, logprobs=True)
    pieces = list(model.sample(request))
    assert "".join(piece.text for piece in pieces)
    assert all(piece.logprobs == () for piece in pieces)


def test_tokens_are_counted_as_the_server_does(opened: Open) -> None:
    model, toy = opened("vLLM")
    list(model.sample(GenerationRequest((model.render(QUESTION),), max_tokens=20)))
    used = model.usage
    assert (used.prompt, used.computed, used.generated, used.calls) == (100, 40, 6, 1)
    assert model.count("one two three") == 3
    assert model.count("one two three") == 3
    assert toy.paths("/tokenize") == 1
    assert model.counts_exactly


def test_what_is_not_in_a_prompt_is_not_sent_elsewhere(opened: Open) -> None:
    _, toy = opened("vLLM")
    away = Address(toy.url, "gpu.example.org", loopback=False)
    model = connect(away)
    assert not model.counts_exactly
    assert model.count(SECRET) == estimated_tokens(SECRET) >= 8
    assert toy.paths("/tokenize") == 0
    model.close()


def test_thoughts_are_hidden_and_counted(opened: Open) -> None:
    model, toy = opened("stranger", says="<think> Let me see. \n\n So. </think> In Oslo.")
    assert replies(model, model.render(QUESTION)) == [("In Oslo.", "stop")]
    assert model.usage.hidden >= 5
    # From now on a stop string is looked for behind the thoughts only.
    assert replies(model, model.render(QUESTION), stop=("\n\n",)) == [("In Oslo.", "stop")]
    assert "stop" not in toy.bodies[1]


def test_a_new_question_shares_no_cache(opened: Open) -> None:
    model, toy = opened("vLLM")
    for _ in range(2):
        replies(model, model.render(QUESTION))
    model.forget()
    replies(model, model.render(QUESTION))
    first, second, third = (body["cache_salt"] for body in toy.bodies)
    assert first == second != third


# Forms


@pytest.mark.parametrize(
    ("kind", "version", "constraint", "member", "value"),
    [
        (
            "vLLM",
            "0.11.2",
            Choices(("Ann", "Bob")),
            "structured_outputs",
            {"choice": ["Ann", "Bob"]},
        ),
        ("vLLM", "0.10.1", Choices(("Ann", "Bob")), "guided_choice", ["Ann", "Bob"]),
        ("vLLM", "0.10.1", Grammar('root ::= "Ann"'), "guided_grammar", 'root ::= "Ann"'),
        (
            *("vLLM", "0.12.0", Beginnings(("Ann", "B.")), "structured_outputs"),
            {"regex": "(Ann|B\\.)[\\s\\S]*"},
        ),
        ("llama-server", "", Choices(("Ann", 'a"b')), "grammar", 'root ::= ("Ann" | "a\\"b")\n'),
        ("llama-server", "", Beginnings(("Ann",)), "grammar", 'root ::= ("Ann") [^\\x00]*\n'),
        ("llama-server", "", Grammar('root ::= "Ann"'), "grammar", 'root ::= "Ann"'),
    ],
)
def test_forms_are_asked_for_as_each_server_knows_them(
    opened: Open, kind: str, version: str, constraint: Any, member: str, value: Any
) -> None:
    model, toy = opened(kind, version=version, says="Ann")
    assert replies(model, model.render(QUESTION), constraint=constraint) == [("Ann", "stop")]
    assert toy.bodies[0][member] == value


@pytest.mark.parametrize("kind", ["llama-server", "stranger"])
def test_no_server_bars_a_beginning(opened: Open, kind: str) -> None:
    model, toy = opened(kind)
    with pytest.raises(ValueError, match="beginning"):
        replies(model, model.render(QUESTION), constraint=OtherBeginnings(("Eve",)))
    assert toy.bodies == []


@pytest.mark.parametrize("constraint", [Choices(("Eve", "Bob")), Beginnings(("Eve",))])
def test_a_reply_out_of_form_is_none(opened: Open, constraint: Any) -> None:
    model, _ = opened("vLLM")
    with pytest.raises(ServerFailed, match="did not hold its reply to the form"):
        replies(model, model.render(QUESTION), constraint=constraint)


LOADING = ("Ollama", "LM Studio")
OTHERS = (*LOADING, "stranger")


@pytest.mark.parametrize("kind", OTHERS)
def test_replies_are_held_to_a_schema_where_there_are_no_grammars(opened: Open, kind: str) -> None:
    model, toy = opened(kind, in_json={"begin": "Ann", "text": " Lee"})
    asked = model.render(QUESTION)
    assert replies(model, asked, constraint=Choices(("Bob", "Ann"))) == [("Ann", "stop")]
    schema = toy.bodies[-1]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["begin"]["enum"] == ["Bob", "Ann"]
    several = replies(model, asked, constraint=Beginnings(("Bob: ", "Ann")), n=2)
    assert several == [("AnnLee", "stop")] * 2


@pytest.mark.parametrize("kind", OTHERS)
def test_replies_are_asked_for_in_words_where_there_is_no_schema(opened: Open, kind: str) -> None:
    model, toy = opened(kind, schema=False)
    asked = model.render(QUESTION)
    assert replies(model, asked, constraint=Choices(("Bob", "Eve"))) == [("Bob", "stop")]
    both = replies(model, asked, constraint=Choices(("Bob", "Ann")))
    assert both == [("Ann met Bob in Oslo .", "stop")]  # it named both, when asked twice
    toy.says = '"eve."'
    before = len(toy.bodies)
    assert replies(model, asked, constraint=Choices(("Bob", "Eve"))) == [("Eve", "stop")]
    assert len(toy.bodies) == before + 1
    assert "word for word, and nothing else:\nBob\nEve" in toy.bodies[-1]["messages"][-1]["content"]
    toy.says = "neither of them"
    assert replies(model, asked, constraint=Choices(("Bob", "Eve"))) == [(toy.says, "stop")]
    last, again = toy.bodies[-1]["messages"][-2:]
    assert last == {"role": "assistant", "content": toy.says}
    assert again["content"].startswith("That is not the form.")
    toy.says = "Follow up: who else?"
    begun = model.render(QUESTION, "Follow up: who?\nIntermediate answer: Ann\n")
    form = Beginnings(("Follow up: ", "So the final answer is: "))
    assert replies(model, begun, constraint=form) == [("Follow up: who else?", "stop")]
    assert "Intermediate answer: Ann" in toy.bodies[-1]["messages"][-1]["content"]


def test_a_grammar_that_a_server_does_not_take_is_left_to_who_asks(opened: Open) -> None:
    model, toy = opened("Ollama")
    free = replies(model, model.render(QUESTION), constraint=Grammar('root ::= "x"'))
    assert free == [("Ann met Bob in Oslo .", "stop")]
    assert "response_format" not in toy.bodies[-1]


@pytest.mark.parametrize("kind", ["vLLM", *OTHERS])
@pytest.mark.parametrize("schema", [True, False])
def test_without_likelihoods_a_reply_decides(opened: Open, kind: str, schema: bool) -> None:
    model, toy = opened(kind, top={}, schema=schema, says="No", in_json={"begin": "No"})
    yes, no = model.next_token_logprobs(model.render(QUESTION), ("Yes", "No"))
    assert (yes, no) == (pytest.approx(math.log(0.1)), math.log(0.9))
    toy.says, toy.in_json = "Perhaps", {"begin": ""}
    if kind == "vLLM" or not schema:
        said = model.next_token_logprobs(model.render(QUESTION), ("Yes", "No"))
        assert said == [math.log(0.5)] * 2


@pytest.mark.parametrize("kind", ["vLLM", *OTHERS])
@pytest.mark.parametrize("effort", ["obeys", "ignores", "refuses"])
def test_a_model_that_thinks_first_has_room_to_or_is_told_not_to(
    opened: Open, kind: str, effort: str
) -> None:
    model, toy = opened(kind, thoughts=200, knows_effort=effort)
    asked = model.render(QUESTION)
    assert replies(model, asked, max_tokens=20) == [("Ann met Bob in Oslo .", "stop")]
    assert replies(model, asked, max_tokens=3) == [("Ann met Bob", "length")]
    assert all(body["max_tokens"] > 500 for body in toy.bodies[-1:])
    silent = kind != "vLLM" and effort != "refuses"  # vLLM is told by its chat template
    assert ("reasoning_effort" in toy.bodies[-1]) == silent


@pytest.mark.parametrize("effort", ["obeys", "ignores", "refuses"])
def test_a_choice_comes_behind_thoughts_too(opened: Open, effort: str) -> None:
    model, _ = opened("Ollama", thoughts=200, knows_effort=effort, in_json={"begin": "Ann"})
    asked = model.render(QUESTION)
    assert replies(model, asked, constraint=Choices(("Bob", "Ann"))) == [("Ann", "stop")]
    assert (model.usage.hidden == 0) == (effort == "obeys")


@pytest.mark.parametrize("kind", OTHERS)
def test_no_judgement_is_read_off_a_thought(opened: Open, kind: str) -> None:
    model, toy = opened(
        kind, thoughts=200, knows_effort="ignores", says="Yes", in_json={"begin": "Yes"}
    )
    toy.top = {"No": 0.9, "Yes": 0.01}  # what a thought begins with
    yes, no = model.next_token_logprobs(model.render(QUESTION), ("Yes", "No"))
    assert yes > no


def test_a_reply_that_is_all_thoughts_is_an_error(opened: Open) -> None:
    model, toy = opened("LM Studio", thoughts=5000, knows_effort="ignores")
    with pytest.raises(ServerFailed, match="spent its whole reply on thoughts") as caught:
        replies(model, model.render(QUESTION))
    assert "Turn its thinking off there" in caught.value.remedy
    assert len(toy.bodies) == 2  # it was asked again with room for them


def test_two_models_in_one_answer_are_told(opened: Open) -> None:
    model, _ = opened("vLLM", offers_n="no", replied_by=["toy-7b", "other-70b"])
    with pytest.raises(ServerFailed, match="other-70b, toy-7b in place of"):
        replies(model, model.render(QUESTION), n=2)


@pytest.mark.parametrize("kind", LOADING)
def test_the_context_is_that_of_the_model_in_memory(opened: Open, kind: str) -> None:
    model, toy = opened(kind, loaded={MODEL: 4000})
    assert (model.served.kind, model.context) == (kind, 4000)
    assert not toy.bodies  # nothing was written to find that out
    model, toy = opened(kind, loaded={})
    assert model.context == 2048
    assert [body["max_tokens"] for body in toy.bodies] == [1]


@pytest.mark.parametrize("kind", LOADING)
def test_of_several_models_the_one_in_memory_is_meant(opened: Open, kind: str) -> None:
    several = {"models": ("a", "b:latest", "c"), "loaded": {"c": 4000}}
    assert opened(kind, **several)[0].id.startswith("c@")
    assert opened(kind, **several, model="b")[0].id.startswith("b:latest@")
    with pytest.raises(ServerFailed, match="just one model"):
        opened(kind, models=("a", "b"), loaded={})


def test_an_unknown_context_is_the_smallest_usual_one(opened: Open) -> None:
    assert opened("stranger")[0].context == 4096


@pytest.mark.parametrize("kind", OTHERS)
def test_a_prompt_that_a_server_cut_gets_no_answer(opened: Open, kind: str) -> None:
    model, _ = opened(kind, took=1500, loaded={MODEL: 8192})
    asked = model.render([Message("user", "word " * 1600)])
    with pytest.raises(
        ContextExceeded, match="read 1500 tokens of a prompt that has 1600"
    ) as caught:
        replies(model, asked)
    assert "set `context` under [server] to 1500" in caught.value.remedy
    assert replies(model, model.render([Message("user", "word " * 1400)]))


@pytest.mark.parametrize("kind", ["vLLM", *OTHERS])
def test_another_model_in_between_is_told(opened: Open, kind: str) -> None:
    model, toy = opened(kind, replied_by=["toy-7b"])
    assert replies(model, model.render(QUESTION))
    toy.replied_by = ["other-70b"]
    with pytest.raises(ServerFailed, match="replied with other-70b in place of toy-7b"):
        replies(model, model.render(QUESTION))


# Failures


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ServerFailed, match=r"127\.0\.0\.1:9 cannot be reached") as caught:
        connect(address_of("http://127.0.0.1:9", None))
    assert "[server] url" in caught.value.remedy


def test_a_key_comes_from_the_keyring_and_goes_nowhere_else(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def keyring(user: str) -> str:
        asked.append(user)
        return "sk-right"

    monkeypatch.setattr(server_link, "secret_from_keyring", keyring)
    model, toy = opened("vLLM", key="sk-right")
    assert replies(model, model.render(QUESTION))
    assert asked == [f"server:{toy.url.removeprefix('http://')}"]
    toy.key = "sk-other"
    with pytest.raises(ServerFailed, match="refused the key in your keyring") as caught:
        replies(model, model.render(QUESTION))
    assert "sk-right" not in str(caught.value)
    assert "askance secrets set server:127.0.0.1" in caught.value.remedy


def test_without_a_key_nothing_is_sent_along(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_keyring(user: str) -> str:
        raise KeyringClosed("This machine has no keyring")

    monkeypatch.setattr(server_link, "secret_from_keyring", no_keyring)
    with pytest.raises(ServerFailed, match="wants a key"):
        opened("vLLM", key="sk-right")


def test_a_key_is_not_looked_for_unless_it_is_wanted(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_link, "secret_from_keyring", lambda user: pytest.fail("asked"))
    model, toy = opened("vLLM")
    assert replies(model, model.render(QUESTION))
    assert not any("authorization" in headers for _, _, headers in toy.asked)


@pytest.mark.parametrize("models", [(), ("a", "b")])
def test_which_model_must_be_clear(opened: Open, models: tuple[str, ...]) -> None:
    with pytest.raises(ServerFailed, match="just one model") as caught:
        opened("vLLM", models=models)
    assert "`model` under [server]" in caught.value.remedy
    if models:
        assert opened("vLLM", models=models, model="b")[0].id.startswith("b@")
        with pytest.raises(ServerFailed, match='no model "c"; it lists: a, b'):
            opened("vLLM", models=models, model="c")


def refused(status: int, message: str = "", **error: Any) -> tuple[int, dict[str, str], Any]:
    return (status, {"Retry-After": "0"}, {"error": {"message": message, **error}})


def test_a_model_that_went_away(opened: Open) -> None:
    model, toy = opened("vLLM")
    toy.answers.append(refused(404, "The model `toy-7b` does not exist."))
    with pytest.raises(ModelUnknown, match=r"no such model: The model `toy-7b` does not exist\."):
        replies(model, model.render(QUESTION))


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_asked_again_and_the_wait_shown(opened: Open, status: int) -> None:
    said: list[str] = []
    model, toy = opened("vLLM", say=said.append)
    toy.answers += [refused(status), (status, {}, {"error": {"message": "Loading model"}})]
    assert replies(model, model.render(QUESTION)) == [("Ann met Bob in Oslo .", "stop")]
    assert len(toy.bodies) == 3
    assert said[0].endswith("is busy; asking again in 0 s")
    toy.answers += [refused(status, "Loading model")] * 9
    with pytest.raises(ServerFailed, match=f"status {status}: Loading model"):
        replies(model, model.render(QUESTION))
    assert len(toy.answers) == 9 - server_link.TRIES


def test_a_server_that_wants_a_long_pause_gets_its_way(opened: Open) -> None:
    model, toy = opened("vLLM")
    toy.answers.append((429, {"Retry-After": "3600"}, {}))
    with pytest.raises(ServerFailed, match="asked again after 3600 s"):
        replies(model, model.render(QUESTION))


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        (
            refused(
                400,
                "This model's maximum context length is 4096 tokens. However, you requested 5000 "
                "tokens (4744 in the messages, 256 in the completion).",
            ),
            ("5000", "4096"),
        ),
        (
            refused(
                400,
                "This model's maximum context length is 4096 tokens. However, you requested 256 "
                "output tokens and your prompt contains at least 4000 input tokens, for a total "
                "of at least 4256 tokens.",
            ),
            ("4256", "4096"),
        ),
        (
            refused(
                400,
                "the request exceeds the available context size",
                type="exceed_context_size_error",
                n_prompt_tokens=5000,
                n_ctx=4096,
            ),
            ("5000", "4096"),
        ),
    ],
)
def test_a_context_exceeded_says_both_numbers(
    opened: Open, answer: Any, numbers: tuple[str, str]
) -> None:
    model, toy = opened("vLLM")
    toy.answers.append(answer)
    with pytest.raises(ContextExceeded) as caught:
        replies(model, model.render(QUESTION))
    assert all(number in caught.value.message for number in numbers)


def test_a_prompt_too_long_is_not_even_sent(opened: Open) -> None:
    model, toy = opened("llama-server")
    with pytest.raises(ContextExceeded, match=f"5001 tokens and .* 20; .* room for {CONTEXT}"):
        replies(model, "word " * 5001)
    assert toy.bodies == []


@pytest.mark.parametrize("fault", ["cut", "done", "error event"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_reply_that_breaks_off_is_no_answer(opened: Open, kind: str, fault: str) -> None:
    model, _ = opened(kind, fault=fault)
    with pytest.raises(ServerFailed, match="broke off"):
        replies(model, model.render(QUESTION))
    assert not model.closed


@pytest.mark.parametrize("fault", ["garbage", "html"])
def test_what_is_no_stream_of_json_is_said(opened: Open, fault: str) -> None:
    model, _ = opened("vLLM", fault=fault)
    with pytest.raises(ServerFailed, match="does not answer like an OpenAI-compatible"):
        replies(model, model.render(QUESTION))


def test_a_refusal_that_repeats_the_prompt_is_not_repeated(opened: Open) -> None:
    model, toy = opened("vLLM")
    toy.answers.append(refused(422, f"Input should be shorter, input_value='{SECRET[:30]}...'"))
    with pytest.raises(ServerFailed, match="status 422") as caught:
        replies(model, model.render(QUESTION))
    assert "boathouse" not in str(caught.value)


def test_redirects_are_not_followed(opened: Open) -> None:
    model, toy = opened("vLLM")
    _, other = opened("vLLM")
    seen = len(other.asked)
    toy.answers.append((307, {"Location": f"{other.url}/v1/chat/completions"}, {}))
    with pytest.raises(ServerFailed, match="sends requests elsewhere"):
        replies(model, model.render(QUESTION))
    assert len(other.asked) == seen


def test_a_proxy_is_not_told_what_goes_to_loopback(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    model, _ = opened("vLLM")
    assert replies(model, model.render(QUESTION))


def test_a_certificate_must_be_vouched_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.test_models_hub_tls import self_signed

    certificate = self_signed(tmp_path)
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with serving(ToyServer(), certificate) as toy:
        with pytest.raises(ServerFailed, match="certificate that cannot be trusted"):
            connect(address_of(toy.url, None))
        assert toy.asked == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        connect(address_of(toy.url, None)).close()


def test_whoever_changes_their_mind_closes_the_connection(opened: Open) -> None:
    model, toy = opened("vLLM", fault="hang")
    come: list[str] = []
    pieces = model.sample(
        GenerationRequest((model.render(QUESTION),), max_tokens=20, stopped=lambda: len(come) == 3)
    )
    with pytest.raises(Cancelled):
        come.extend(piece.text for piece in pieces)
    assert toy.gone.wait(10)


def test_closing_the_iterator_closes_the_connection(opened: Open) -> None:
    model, toy = opened("vLLM", fault="hang")
    pieces = model.sample(GenerationRequest((model.render(QUESTION),), max_tokens=20))
    assert next(pieces).text == "Ann"
    pieces.close()  # type: ignore[attr-defined]
    assert toy.gone.wait(10)
    toy.fault = ""
    assert replies(model, model.render(QUESTION)) == [("Ann met Bob in Oslo .", "stop")]
    assert model.usage.prompt > 100
    model.close()
    assert model.closed
    with pytest.raises(RuntimeFailed, match="not connected any more"):
        model.render(QUESTION)


def test_nothing_is_left_running_by_who_stops_and_closes_at_once(
    opened: Open, caplog: pytest.LogCaptureFixture
) -> None:
    _, toy = opened("vLLM")
    body = {"prompt": "a", "stream": True, "max_tokens": 20}
    for _ in range(20):
        link = server_link.Link(address_of(toy.url, None), print)
        with pytest.raises(Cancelled):
            next(link.events("/v1/completions", [body] * 3, 3, lambda: True))
        link.close()
    gc.collect()
    assert [record.message for record in caplog.records if record.name == "asyncio"] == []
