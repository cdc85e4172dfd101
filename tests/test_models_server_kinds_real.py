"""Each kind of server for real: llama.cpp's own, and it behind what other kinds offer and hide.

vLLM itself too, where `ASKANCE_TEST_VLLM` names one that serves the same weights with a context of
2,048 tokens: `packaging/serve_vllm.sh` brings and serves it.
"""

from __future__ import annotations

import json
import math
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from models.errors import ContextExceeded
from models.llama.generator import load_llama
from models.protocols import (
    Beginnings,
    Cancelled,
    Choices,
    GenerationRequest,
    Generator,
    Grammar,
    Message,
    Sampling,
)
from models.server.address import address_of
from models.server.generator import ServerGenerator, connect
from tests.support.in_store import weights_of
from tests.support.stand_in import standing_in

pytestmark = pytest.mark.slow

SMALL = "smollm2-135m-instruct-q4_1"
CHILD = Path(__file__).parent / "support" / "llama_server.py"
SAMPLE = Path(__file__).parents[1] / "app" / "sample" / "data"
CONTEXT = 2048
STAND_INS = ("Ollama", "LM Studio", "bare")
VLLM = os.environ.get("ASKANCE_TEST_VLLM")
KINDS = ("llama-server", *STAND_INS, *(["vLLM"] if VLLM else []))
THROUGHOUT = KINDS if VLLM else ("bare",)
"""Kinds that whole questions are asked of: all of them take a quarter of an hour."""
LONG = ("rewrite", "fb_rag")
"""Strategies that take half a minute each, which only `make prove` has."""
STRATEGIES = [
    pytest.param(name, marks=pytest.mark.prove) if name in LONG else name
    for name in ("iterdrag:k=1,m=0,n=1", "et2rag", *LONG)
]
HOLD_TO_GRAMMARS = ("llama-server", "vLLM")
QUESTION = [
    Message("system", "You answer in one word."),
    Message("user", "Ann met Bob in Oslo. Where did Ann meet Bob?"),
]


@pytest.fixture(scope="module")
def asked() -> dict[str, list[Any]]:
    """The messages that each stand-in was asked, by its kind."""
    return {}


@pytest.fixture(scope="module")
def urls(
    tmp_path_factory: pytest.TempPathFactory, asked: dict[str, list[Any]]
) -> Iterator[dict[str, str]]:
    """Start llama.cpp's server and what stands before it; the address of each kind."""
    if find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp, which holds llama.cpp's server, has no wheel for this machine")
    weights = weights_of(SMALL)
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log"
    with ExitStack() as stack:
        err = stack.enter_context(log.open("wb"))
        command = [sys.executable, str(CHILD), str(weights), str(port), str(CONTEXT)]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=err)
        stack.callback(server.wait)
        stack.callback(server.terminate)
        assert server.stdout is not None
        stack.callback(server.stdout.close)
        assert server.stdout.readline(), log.read_text()
        found = {"llama-server": f"http://127.0.0.1:{port}"}
        if VLLM:
            found["vLLM"] = VLLM
        for kind in STAND_INS:
            stands = standing_in(kind, found["llama-server"], CONTEXT)
            found[kind], asked[kind] = stack.enter_context(stands)
        yield found


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def model(urls: dict[str, str], kind: str) -> Iterator[ServerGenerator]:
    with closing(connect(address_of(urls[kind], None))) as connected:
        yield connected


def replies(model: Generator, prompt: str, **options: object) -> list[str]:
    request = GenerationRequest((prompt,), **{"max_tokens": 12, **options})  # type: ignore[arg-type]
    texts = [""] * request.n
    for piece in model.sample(request):
        texts[piece.index] += piece.text
    return texts


def test_each_kind_says_what_it_is(model: ServerGenerator, kind: str) -> None:
    assert model.served.kind == ("OpenAI-compatible" if kind == "bare" else kind)
    assert model.context == (4096 if kind == "bare" else CONTEXT)


def test_each_says_what_the_model_says_here(model: ServerGenerator) -> None:
    with closing(load_llama(weights_of(SMALL), SMALL, context=512)) as here:
        [alone] = replies(here, here.render(QUESTION))
    assert alone
    assert replies(model, model.render(QUESTION)) == [alone]


def test_each_draws_several_samples(model: ServerGenerator) -> None:
    drawn = replies(model, model.render(QUESTION), n=3, sampling=Sampling(1.0, seed=3))
    assert all(drawn)
    assert len(set(drawn)) > 1


def test_each_keeps_to_a_form_or_is_asked_again(
    model: ServerGenerator, kind: str, asked: dict[str, list[Any]]
) -> None:
    prompt = model.render(QUESTION)
    [chosen] = replies(model, prompt, constraint=Choices(("Lisbon", "Oslo")))
    [held] = replies(model, prompt, constraint=Grammar('root ::= "x" [a-z]+ "."'), max_tokens=30)
    begun = ("Follow up: ", "So the final answer is: ")
    [line] = replies(model, prompt, constraint=Beginnings(begun), max_tokens=30)
    assert chosen in ("Lisbon", "Oslo")
    assert held.startswith("x") == (kind in HOLD_TO_GRAMMARS)
    if kind == "bare" and not line.startswith(begun):  # nothing holds it there but words
        first, again = asked[kind][-2:]
        assert "Begin your reply with one of these" in first[-1]["content"]
        assert again[-1]["content"].startswith("That is not the form.")
        assert again[-2]["role"] == "assistant"
    else:
        assert line.startswith(begun)


def test_each_judges(model: ServerGenerator, kind: str, asked: dict[str, list[Any]]) -> None:
    prompt = model.render([Message("user", "Is Oslo in Norway? Reply Yes or No.")])
    yes, no = model.next_token_logprobs(prompt, ("Yes", "No"))
    assert yes < 0
    assert no < 0
    if kind == "bare" and yes == no:  # the model replied with neither, twice
        assert (yes, no) == (math.log(0.5), math.log(0.5))
        assert asked[kind][-1][-1]["content"].startswith("That is not the form.")
    else:
        assert yes != no


def test_each_refuses_what_it_cannot_read_whole(model: ServerGenerator) -> None:
    with pytest.raises(ContextExceeded):
        replies(model, model.render([Message("user", "word " * 5000)]))
    assert replies(model, model.render(QUESTION))


def test_each_can_be_cancelled_and_asked_on(model: ServerGenerator) -> None:
    come: list[str] = []
    asked = model.render([Message("user", "Tell a long story.")])
    request = GenerationRequest((asked,), max_tokens=500, stopped=lambda: len(come) > 3)
    with pytest.raises(Cancelled):
        come.extend(piece.text for piece in model.sample(request))
    assert len(come) < 60
    assert replies(model, model.render(QUESTION))


def run(url: str, home: Path, *args: str, said: str = "") -> subprocess.CompletedProcess[str]:
    environ = os.environ | {
        "ASKANCE_SERVER_URL": url,
        "ASKANCE_MODELS_RUNTIME": "server",
        "ASKANCE_ANSWER_EFFORT": "quick",
    }
    command = [sys.executable, "-m", "app.main", *args]
    return subprocess.run(
        command, cwd=home, env=environ, input=said, capture_output=True, text=True, timeout=500
    )


@pytest.mark.prove
@pytest.mark.parametrize("kind", KINDS)
def test_the_demo_runs_over_a_server(urls: dict[str, str], kind: str, home: Path) -> None:
    done = run(urls[kind], home, "demo", "--json")
    assert done.returncode in (0, 1), done.stderr
    shown = json.loads(done.stdout)
    assert len(shown["answers"]) == 3
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("kind", THROUGHOUT)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_strategies_run_over_a_server(
    urls: dict[str, str], kind: str, strategy: str, home: Path
) -> None:
    asked = "What is the licence plate of Tomas Lindqvist's car?"
    few = ("--max-context", "1400")  # a model without a GPU reads 65 tokens a second on some cores
    paths = (str(SAMPLE / "mail"), "--json", "--strategy", strategy, *few)
    done = run(urls[kind], home, "ask", asked, *paths)
    assert done.returncode in (0, 3), done.stderr
    assert json.loads(done.stdout)["tokens"]["generator"]["generated"] > 0


@pytest.mark.parametrize("kind", THROUGHOUT)
def test_questions_follow_one_another_over_a_server(
    urls: dict[str, str], kind: str, home: Path
) -> None:
    lines = "Who sent the order of one water sampler?\nAnd when was it sent?\nTo whom?\n/quit\n"
    done = run(urls[kind], home, "--plain", "--source", str(SAMPLE / "mail"), said=lines)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Took ") == 3, done.stdout
