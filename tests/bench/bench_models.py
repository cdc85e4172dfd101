"""What the llama.cpp runtime costs over llama.cpp itself, and what it saves.

    python tests/bench/bench_models.py MODEL.gguf [--runs 5] [--prompt 1500] [--new 64]

Every comparison is made in one run, its sides in turn, and the medians are printed with their
ratio. The bare loop is `llama_decode` of the same binding over the same tokens, with as many
threads and as large batches, and a greedy sampler.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import llama_cpp

from models.llama import CHUNK, LlamaGenerator, load_llama, physical_cores
from models.llama_attention import LlamaAttentionReader
from models.llama_thread import computing_thread
from models.protocols import Cancelled, Sampling

WORDS = "Ann met Bob in room {} about invoice {} and the lease of the boat house. "
GREEDY = Sampling()


def story(model: LlamaGenerator, tokens: int, begin: int = 0) -> str:
    """Return a text of about so many tokens that goes on rather than ends."""
    text, number = "", begin
    while model.count(text) < tokens:
        text += WORDS.format(number, number * 37)
        number += 1
    return text


def seconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def medians(runs: int, *sides: Callable[[], float]) -> list[float]:
    """Run the sides in turn and return the median of each."""
    took: list[list[float]] = [[] for _ in sides]
    for _ in range(runs):
        for side, times in zip(sides, took, strict=True):
            times.append(side())
    return [statistics.median(times) for times in took]


def row(name: str, value: str, note: str = "") -> None:
    print(f"  {name:<34} {value:>12}   {note}")


class Bare:
    """A context over the same weights, used with nothing in between."""

    def __init__(self, model: LlamaGenerator, context: int) -> None:
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = context
        params.n_batch = params.n_ubatch = CHUNK
        params.n_threads = params.n_threads_batch = physical_cores()
        params.no_perf = True
        self.context = llama_cpp.llama_init_from_model(model._model.pointer, params)
        self.memory = llama_cpp.llama_get_memory(self.context)
        chain = llama_cpp.llama_sampler_chain_default_params()
        self.sampler = llama_cpp.llama_sampler_chain_init(chain)
        llama_cpp.llama_sampler_chain_add(self.sampler, llama_cpp.llama_sampler_init_greedy())

    def run(self, tokens: list[int], new: int) -> tuple[float, float]:
        """Return seconds of prompt and generation."""
        llama_cpp.llama_memory_clear(self.memory, False)
        began = time.perf_counter()
        for start in range(0, len(tokens), CHUNK):
            self._decode(tokens[start : start + CHUNK])
        token = llama_cpp.llama_sampler_sample(self.sampler, self.context, -1)
        prompted = time.perf_counter()
        for _ in range(new - 1):
            self._decode([token])
            token = llama_cpp.llama_sampler_sample(self.sampler, self.context, -1)
        return prompted - began, time.perf_counter() - prompted

    def _decode(self, tokens: list[int]) -> None:
        array = (llama_cpp.llama_token * len(tokens))(*tokens)
        if llama_cpp.llama_decode(self.context, llama_cpp.llama_batch_get_one(array, len(tokens))):
            sys.exit("llama_decode failed")

    def close(self) -> None:
        llama_cpp.llama_sampler_free(self.sampler)
        llama_cpp.llama_free(self.context)


def ours(model: LlamaGenerator, text: str, new: int) -> tuple[float, float]:
    """Return seconds of prompt and generation; the watched piece comes between the two."""
    model.forget()
    began = time.perf_counter()
    pieces = model.sample(text, max_tokens=new, sampling=GREEDY, watch=("A",))
    next(pieces)
    prompted = time.perf_counter()
    for _ in pieces:
        pass
    return prompted - began, time.perf_counter() - prompted


def overhead(model: LlamaGenerator, runs: int, prompt: int, new: int) -> None:
    print(f"prompt of {prompt} tokens, {new} generated, against a bare llama_decode loop")
    text = story(model, prompt)
    tokens = model._model.tokenize(text, special=True)
    bare = Bare(model, model.context)
    pairs: dict[str, list[tuple[float, float]]] = {"bare": [], "ours": []}
    for _ in range(runs):
        # In the thread that the runtime computes in too, or OpenMP has two teams and slows both.
        pairs["bare"].append(
            computing_thread().call(partial(bare.run, tokens, new), None, lambda: None)
        )
        pairs["ours"].append(ours(model, text, new))
    bare.close()
    for part, count in ((0, len(tokens)), (1, new)):
        theirs, mine = (statistics.median(pair[part] for pair in side) for side in pairs.values())
        name = ("prompt", "generation")[part]
        row(f"{name}, bare", f"{count / theirs:.1f} t/s")
        row(f"{name}, runtime", f"{count / mine:.1f} t/s", f"{mine / theirs - 1:+.1%} (aim <= 3 %)")


def samples(model: LlamaGenerator, runs: int, prompt: int, new: int) -> None:
    print(f"samples of {new} tokens after {prompt} prompt tokens")
    text = story(model, prompt)

    def draw(n: int, seed: int = 1) -> None:
        warm = Sampling(temperature=0.7, seed=seed)
        list(model.sample(text, n=n, max_tokens=new, sampling=warm))

    def cold(n: int) -> Callable[[], float]:
        def run() -> float:
            model.forget()
            return seconds(lambda: draw(n))

        return run

    def apart() -> float:
        total = 0.0
        for i in range(5):
            model.forget()
            total += seconds(partial(draw, 1, i))
        return total

    one, five, sequential = medians(runs, cold(1), cold(5), apart)
    row("K=1", f"{one:.2f} s")
    row("K=5 together", f"{five:.2f} s", f"{five / one:.2f} x K=1 (aim <= 1.35)")
    row("5 one after another", f"{sequential:.2f} s", f"{sequential / one:.2f} x K=1")


def cache(model: LlamaGenerator, runs: int, prompt: int) -> None:
    print(f"two prompts of {prompt} tokens in turn, three questions each")
    texts = [story(model, prompt, begin) for begin in (0, 500)]

    def ask(*, kept: bool) -> float:
        model.forget()
        total = 0.0
        for question in ("Who?", "Where was it?", "What about?"):
            for text in texts:
                if not kept:
                    model.forget()
                total += seconds(partial(model.next_token_logprobs, text + question, ["A"]))
        return total

    before = (model.usage.prompt, model.usage.computed)
    with_cache = ask(kept=True)
    asked, ran = model.usage.prompt - before[0], model.usage.computed - before[1]
    kept, not_kept = medians(runs, lambda: ask(kept=True), lambda: ask(kept=False))
    row("cache off", f"{not_kept:.2f} s")
    row("cache on", f"{min(kept, with_cache):.2f} s", f"{not_kept / kept:.1f} x as fast")
    row("found in the cache", f"{1 - ran / asked:.0%}", f"{ran} of {asked} tokens computed")


def cancel(model: LlamaGenerator, runs: int) -> None:
    print("from Escape to the end")
    text = story(model, model.context - 300)

    def during(delay: Callable[[], float], prompt: str, new: int) -> Iterator[float]:
        for _ in range(runs):
            model.forget()
            pressed = threading.Event()
            at = [0.0]

            def press(at: list[float] = at, pressed: threading.Event = pressed) -> None:
                at[0] = time.perf_counter()
                pressed.set()

            timer = threading.Timer(delay(), press)
            timer.start()
            try:
                for _ in model.sample(
                    prompt, max_tokens=new, sampling=GREEDY, stopped=pressed.is_set
                ):
                    pass
                print("  (it was over before)")
            except Cancelled:
                yield time.perf_counter() - at[0]
            timer.join()

    for name, times in (
        ("in a prefill", list(during(lambda: 0.7, text, 5))),
        ("while generating", list(during(lambda: 0.7, "Once upon", model.context // 2))),
    ):
        if times:
            worst = f"worst {max(times) * 1000:.0f} ms (aim <= 100)"
            row(name, f"{statistics.median(times) * 1000:.0f} ms", worst)


def attention(model: LlamaGenerator, runs: int, prompt: int) -> None:
    print(f"attention of one layer over {prompt} tokens")
    text = story(model, prompt)
    reader = LlamaAttentionReader(model._model, model.id, model.context)
    last = reader.layers - 1

    def prefill() -> float:
        model.forget()
        return seconds(lambda: model.next_token_logprobs(text, ["A"]))

    def read(layer: int) -> Callable[[], float]:
        return lambda: seconds(lambda: reader.read(text, "Who?", layers=[layer]))

    plain, middle, whole = medians(runs, prefill, read(last // 2), read(last))
    row("prefill alone", f"{plain:.2f} s")
    row(f"read layer {last // 2}", f"{middle:.2f} s", f"{middle / plain:.2f} x")
    row(f"read layer {last}", f"{whole:.2f} s", f"{whole / plain:.2f} x")


def main() -> None:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--prompt", type=int, default=1500)
    parser.add_argument("--new", type=int, default=64)
    parser.add_argument("--context", type=int, default=4096)
    parser.add_argument("--gpu-layers", type=int, default=-1)
    args = parser.parse_args()
    began = time.perf_counter()
    model = load_llama(
        args.model, args.model.stem, context=args.context, gpu_layers=args.gpu_layers
    )
    loaded = time.perf_counter() - began
    model._model.is_end = lambda token: False  # type: ignore[method-assign]  # all go on as long
    print(f"{model.id}, context {model.context}, {physical_cores()} threads")
    row("load", f"{loaded:.2f} s")
    overhead(model, args.runs, args.prompt, args.new)
    samples(model, args.runs, args.prompt, args.new)
    cache(model, args.runs, args.prompt)
    cancel(model, args.runs)
    attention(model, args.runs, args.prompt)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    row("peak memory", f"{peak / 1024:.0f} MB", "weights that are mapped included")
    model.close()


if __name__ == "__main__":
    main()
