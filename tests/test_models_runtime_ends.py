"""How a model's work ends otherwise than well: Escape, Ctrl-C, no memory, a wrong file."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import llama_cpp
import pytest

from models.errors import MemorySpent, RuntimeFailed
from models.llama.context import AbortFlag
from models.llama.generator import LlamaGenerator, load_llama
from models.llama.thread import CallThread
from models.protocols import Cancelled, GenerationRequest, Message
from tests.support.in_store import weights_of

SMALL = "smollm2-135m-instruct-q4_1"
LONG = "Ann met Bob in Oslo on Monday. " * 240


class Work:
    """A call that goes on until it is aborted."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.aborted = threading.Event()
        self.over = False

    def __call__(self) -> str:
        self.begun.set()
        self.aborted.wait()
        self.over = True
        return "aborted"


@pytest.fixture
def thread() -> CallThread:
    return CallThread()


def test_a_call_returns_what_it_returns(thread: CallThread) -> None:
    assert thread.call(lambda: 7, None, lambda: None) == 7
    with pytest.raises(ZeroDivisionError):
        thread.call(lambda: 1 // 0, None, lambda: None)


def test_a_call_is_aborted_when_nobody_waits(thread: CallThread) -> None:
    work = Work()
    assert thread.call(work, work.begun.is_set, work.aborted.set) == "aborted"


def test_an_interrupt_ends_the_call_before_it_goes_on(thread: CallThread) -> None:
    work = Work()

    def interrupted() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        thread.call(work, interrupted, work.aborted.set)
    assert work.over


def test_calls_of_two_threads_take_turns(thread: CallThread) -> None:
    at_work = [0]
    most = [0]

    def work() -> int:
        at_work[0] += 1
        most[0] = max(most[0], at_work[0])
        threading.Event().wait(0.001)
        at_work[0] -= 1
        return threading.get_ident()

    seen: set[int] = set()
    callers = [
        threading.Thread(target=lambda: seen.update(thread.call(work, None, int) for _ in "abcde"))
        for _ in range(4)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert most == [1]
    assert len(seen) == 1


def test_the_abort_flag_is_read_by_c() -> None:
    flag = AbortFlag()
    address = ctypes.addressof(flag.buffer)
    assert not flag.callback(address)
    flag.hoist()
    assert flag.raised
    assert flag.callback(address)
    flag.lower()
    assert not flag.callback(address)


@pytest.fixture(scope="module")
def weights() -> Path:
    return weights_of(SMALL)


@pytest.fixture
def model(weights: Path) -> Iterator[LlamaGenerator]:
    loaded = load_llama(weights, SMALL, context=4096)
    yield loaded
    loaded.close()


def says(model: LlamaGenerator, text: str) -> str:
    prompt = model.render([Message("user", text)])
    pieces = model.sample(GenerationRequest((prompt,), max_tokens=5))
    return "".join(piece.text for piece in pieces)


@pytest.mark.slow
def test_escape_ends_a_prefill(model: LlamaGenerator) -> None:
    whole = says(model, "Is ice cold?")
    begun = threading.Event()
    threading.Timer(0.1, begun.set).start()
    with pytest.raises(Cancelled):
        list(model.sample(GenerationRequest((LONG,), max_tokens=5, stopped=begun.is_set)))
    assert model.usage.computed < model.count(LONG)
    model.forget()
    assert says(model, "Is ice cold?") == whole


@pytest.mark.slow
def test_ctrl_c_ends_a_prefill(model: LlamaGenerator) -> None:
    timer = threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.next_token_logprobs(LONG, ["Yes"])
    timer.join()
    assert model.usage.computed < model.count(LONG)
    assert says(model, "Is ice cold?")


@pytest.mark.slow
def test_a_model_whose_memory_ran_out_is_unloaded(
    model: LlamaGenerator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llama_cpp, "llama_decode", lambda context, batch: -2)
    with pytest.raises(MemorySpent, match=r"was unloaded") as caught:
        says(model, "Who?")
    assert "--max-context" in caught.value.remedy
    assert model.closed
    with pytest.raises(RuntimeFailed, match="not loaded"):
        model.sample(GenerationRequest(("Hi",), max_tokens=1))


@pytest.mark.slow
def test_a_batch_that_is_refused_leaves_the_model_loaded(
    model: LlamaGenerator, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(llama_cpp, "llama_decode", lambda context, batch: 1)
        with pytest.raises(RuntimeFailed, match="status 1"):
            says(model, "Who?")
    assert not model.closed
    assert says(model, "Is ice cold?")


@pytest.mark.slow
def test_an_iterator_outlives_its_model(weights: Path) -> None:
    """A traceback may hold one until the models are closed."""
    for finish in (lambda pieces: pieces.close(), list):
        model = load_llama(weights, SMALL, context=512)
        pieces = model.sample(GenerationRequest(("Once upon a time",), max_tokens=9))
        next(pieces)
        model.close()
        with contextlib.suppress(RuntimeFailed):
            finish(pieces)


@pytest.mark.slow
def test_a_context_beyond_memory_is_refused_with_both_numbers(weights: Path) -> None:
    with pytest.raises(MemorySpent, match=r"4096 tokens takes 94 MB .* 1 MB are free"):
        load_llama(weights, SMALL, context=4096, memory=1_000_000)


@pytest.mark.slow
def test_a_context_that_cannot_be_allocated_is_one_clear_error(
    weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llama_cpp, "llama_init_from_model", lambda model, params: None)
    with pytest.raises(MemorySpent, match="could not allocate a context of 512 tokens"):
        load_llama(weights, SMALL, context=512)


@pytest.mark.slow
def test_a_file_cut_short_is_refused(weights: Path, tmp_path: Path) -> None:
    short = tmp_path / "short.gguf"
    with weights.open("rb") as file:
        short.write_bytes(file.read(4 << 20))
    with pytest.raises(RuntimeFailed, match="could not load"):
        load_llama(short, "short")


@pytest.mark.slow
def test_an_unknown_architecture_is_refused(weights: Path, tmp_path: Path) -> None:
    strange = tmp_path / "strange.gguf"
    with weights.open("rb") as file:
        head = file.read(4 << 20)
    strange.write_bytes(head.replace(b"llama", b"lxxma"))
    with pytest.raises(RuntimeFailed, match="could not load"):
        load_llama(strange, "strange")
