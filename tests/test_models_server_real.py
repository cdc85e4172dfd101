"""The generator at a real server: llama-cpp-python's own, on loopback, with SmolLM2-135M."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from models.errors import ContextExceeded
from models.llama.generator import load_llama
from models.protocols import Cancelled, Choices, GenerationRequest, Generator, Message, Sampling
from models.server.address import address_of
from models.server.errors import ServerFailed
from models.server.generator import ServerGenerator, connect
from models.server.prompts import estimated_tokens
from tests.support.in_store import weights_of

pytestmark = pytest.mark.slow

SMALL = "smollm2-135m-instruct-q4_1"
NEEDS = ("fastapi", "uvicorn", "sse_starlette", "starlette_context", "pydantic_settings")
SAMPLE = Path(__file__).parents[1] / "app" / "sample" / "data"
QUESTION = [
    Message("system", "You answer in one word."),
    Message("user", "Ann met Bob in Oslo. Where did Ann meet Bob?"),
]


@pytest.fixture(scope="module")
def model_file() -> Path:
    return weights_of(SMALL)


@pytest.fixture(scope="module")
def url(model_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start the server; its address."""
    missing = [name for name in NEEDS if find_spec(name) is None]
    if missing:
        pytest.skip(f"llama_cpp.server needs {', '.join(missing)}")
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            [
                *(sys.executable, "-W", "ignore", "-m", "llama_cpp.server"),
                *("--model", str(model_file), "--host", "127.0.0.1", "--port", str(port)),
                # One thread: two that wait for each other take minutes on a busy machine.
                *("--n_ctx", "2048", "--n_threads", "1", "--n_threads_batch", "1"),
                *("--verbose", "false"),
            ],
            stdout=out,
            stderr=out,
        )
    try:
        wait_for(port, server, log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait()


def wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        with closing(socket.socket()) as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert server.poll() is None, log.read_text()
        time.sleep(0.1)
    pytest.fail(log.read_text())


@pytest.fixture
def model(url: str) -> Iterator[ServerGenerator]:
    with closing(connect(address_of(url, None))) as connected:
        yield connected


@pytest.fixture(scope="module")
def here(model_file: Path) -> Iterator[Generator]:
    with closing(load_llama(model_file, SMALL, context=2048)) as loaded:
        yield loaded


def text_of(model: Generator, prompt: str, n: int = 1, **options: Any) -> list[str]:
    replies = [""] * n
    options = {"max_tokens": 12, "sampling": Sampling()} | options
    for piece in model.sample(GenerationRequest((prompt,), n=n, **options)):
        replies[piece.index] += piece.text
    return replies


def test_it_says_what_it_is(model: ServerGenerator) -> None:
    assert model.served.kind == "llama-cpp-python"
    assert model.id.startswith("SmolLM2-135M-Instruct.Q4_1.gguf@127.0.0.1:")
    assert model.counts_exactly


def test_it_says_what_the_same_model_says_here(model: ServerGenerator, here: Generator) -> None:
    [alone] = text_of(here, here.render(QUESTION))
    assert alone
    assert text_of(model, model.render(QUESTION)) == [alone]
    assert text_of(model, here.render(QUESTION)) == [alone]  # the prompt as a text


def test_likelihoods_are_those_found_here(model: ServerGenerator, here: Generator) -> None:
    words = ["O", "Ann", "The"]
    alone = here.next_token_logprobs(here.render(QUESTION), words)
    there = model.next_token_logprobs(model.render(QUESTION), words)
    seen = [(a, b) for a, b in zip(alone, there, strict=True) if a > -4]
    assert seen
    for exact, told in seen:
        assert told == pytest.approx(exact, abs=0.3)


def test_three_replies_differ_and_come_again(model: ServerGenerator) -> None:
    prompt = model.render([Message("user", "Name an animal.")])
    drawn = Sampling(temperature=1.0, seed=3)
    first = text_of(model, prompt, n=3, sampling=drawn)
    assert len(set(first)) > 1
    assert text_of(model, prompt, n=3, sampling=drawn) == first
    assert model.usage.calls == 2


def test_a_stop_string_and_a_choice(model: ServerGenerator) -> None:
    prompt = model.render([Message("user", "Count from one to ten, with commas: 1, 2, 3")])
    [whole] = text_of(model, prompt, max_tokens=30)
    stop = whole[len(whole) // 2 :][:2]
    assert text_of(model, prompt, max_tokens=30, stop=(stop,)) == [whole.partition(stop)[0]]
    assert text_of(model, prompt, constraint=Choices(("Lisbon", "Oslo"))) in (["Lisbon"], ["Oslo"])


def test_tokens_are_those_counted_here(model: ServerGenerator, here: Generator) -> None:
    text = "Ann met Bob in Oslo on 3 September."
    assert model.count(text) == here.count(text)
    prompt = here.render(QUESTION)
    text_of(model, prompt)
    assert model.usage.prompt == pytest.approx(here.count(prompt), abs=20)
    assert 0 < model.usage.generated <= 12


@pytest.mark.parametrize("path", sorted(SAMPLE.rglob("*.md")) + sorted(SAMPLE.rglob("*.eml")))
def test_an_estimate_is_rather_too_high(here: Generator, path: Path) -> None:
    text = path.read_text("utf-8", "replace")
    assert here.count(text) <= estimated_tokens(text) <= 2 * here.count(text)


@pytest.mark.parametrize(
    "text",
    [
        "Grüße aus München: die Überweisung für Straße 7 fehlt noch.",
        "会议改到下周三下午三点请带上合同。",
        "Встреча перенесена на среду в три часа дня.",
        "https://example.org/a/b?c=ZGVtbw%3D%3D&id=550e8400-e29b-41d4-a716-446655440000",
        "TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5IGhpcyByZWFzb24=",
        "def f(x):\n    return {k: v for k, v in x.items() if v > 3.14}\n",
        "😀🎉 12:30-13:45, 1.234,56 €",
    ],
)
def test_an_estimate_of_odd_text_is_never_too_low(here: Generator, text: str) -> None:
    assert estimated_tokens(text) >= here.count(text)


def test_cancelling_leaves_the_server_ready(model: ServerGenerator) -> None:
    come: list[str] = []
    prompt = model.render([Message("user", "Tell a long story.")])
    pieces = model.sample(
        GenerationRequest((prompt,), max_tokens=500, stopped=lambda: len(come) > 3)
    )
    with pytest.raises(Cancelled):
        come.extend(piece.text for piece in pieces)
    assert len(come) < 30
    assert text_of(model, model.render(QUESTION))


def test_a_prompt_too_long_names_both_numbers(model: ServerGenerator) -> None:
    with pytest.raises(ContextExceeded, match=r"30\d\d tokens; .* room for 2048"):
        text_of(model, model.render([Message("user", "word " * 3000)]))
    assert text_of(model, model.render(QUESTION))


def test_a_model_it_does_not_have(url: str) -> None:
    with pytest.raises(ServerFailed, match=r"it lists: .*SmolLM2"):
        connect(address_of(url, None), model="other")


def test_a_question_is_answered_by_a_server(url: str, home: Path) -> None:
    environ = os.environ | {"ASKANCE_SERVER_URL": url, "ASKANCE_MODELS_RUNTIME": "server"}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "app.main", "ask", "Where do I meet Dana about the lease?"),
            *(str(SAMPLE / "calendars"), "--json", "--strategy", "vanilla", "--effort", "quick"),
        ],
        cwd=home,
        env=environ,
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert done.returncode in (0, 3), done.stderr
    shown = json.loads(done.stdout)
    assert shown["models"]["generator"].startswith("SmolLM2-135M-Instruct.Q4_1.gguf@127.0.0.1:")
    assert shown["tokens"]["generator"]["generated"] > 0
    assert done.stderr.startswith("Text goes to the server 127.0.0.1:")
