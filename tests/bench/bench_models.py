"""What each runtime gives, what it costs over llama.cpp itself, and what it saves.

    python tests/bench/bench_models.py MODEL.gguf|FOLDER [--runtime llama|transformers]
        [--encoder FOLDER] [--runs 5] [--prompt 1500] [--new 64] [--rearranged]

Every comparison is made in one run, its sides in turn, and the medians are printed with their
ratio. Each runtime runs in a process of its own: their threads, and what they take of memory,
would mix. llama.cpp is also compared with a bare loop, `llama_decode` of the same binding over
the same tokens, with as many threads and as large batches, and a greedy sampler. A runtime that
is not installed is passed over with a note. Outside an installation, set PYTHONPATH to the
project's root.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench_parts import GREEDY, medians, ours, row, seconds, story

from models.decoding.columns import ColumnReader
from models.decoding.generator import BatchGenerator
from models.protocols import Cancelled, GenerationRequest, Sampling

RUNTIMES = {"llama": "llama_cpp", "transformers": "transformers"}
"""Each with the package that it needs."""


def speed(model: BatchGenerator, runs: int, prompt: int, new: int) -> None:
    print(f"prompt of {prompt} tokens, {new} generated")
    text = story(model, prompt)
    tokens = len(model._model.tokenize(text, special=True))
    took = [ours(model, text, new) for _ in range(runs)]
    for part, name, count in ((0, "prompt", tokens), (1, "generation", new)):
        row(name, f"{count / statistics.median(pair[part] for pair in took):.1f} t/s")


def samples(model: BatchGenerator, runs: int, prompt: int, new: int) -> None:
    print(f"samples of {new} tokens after {prompt} prompt tokens")
    text = story(model, prompt)

    def draw(n: int, seed: int = 1) -> None:
        warm = Sampling(temperature=0.7, seed=seed)
        list(model.sample(GenerationRequest((text,), n=n, max_tokens=new, sampling=warm)))

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


def cache(model: BatchGenerator, runs: int, prompt: int) -> None:
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


def cancel(model: BatchGenerator, runs: int) -> None:
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
                    GenerationRequest(
                        (prompt,), max_tokens=new, sampling=GREEDY, stopped=pressed.is_set
                    )
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


def attention(model: BatchGenerator, reader: ColumnReader, runs: int, prompt: int) -> None:
    print(f"attention of one layer over {prompt} tokens")
    text = story(model, prompt)
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


def load(runtime: str, args: argparse.Namespace) -> tuple[BatchGenerator, ColumnReader]:
    """Return a generator and a reader of attention over the same weights."""
    if runtime == "llama":
        from models.llama.attention import LlamaAttentionReader
        from models.llama.generator import load_llama

        model: Any = load_llama(
            args.model, args.model.stem, context=args.context, gpu_layers=args.gpu_layers
        )
        return model, LlamaAttentionReader(model._model, model.id, model.context)
    from models.torch.attention import TorchAttentionReader
    from models.torch.generator import load_generator

    model = load_generator(
        args.model, args.model.stem, context=args.context, precision=args.precision
    )
    return model, TorchAttentionReader(model._model, model.id, model.context)


def measure(runtime: str, args: argparse.Namespace) -> None:
    """Print all of one runtime."""
    began = time.perf_counter()
    model, reader = load(runtime, args)
    loaded = time.perf_counter() - began
    model._model.is_end = lambda token: False  # type: ignore[method-assign]  # all go on as long
    print(f"{runtime}: {model.id}, context {model.context}, {machine(runtime, model)}")
    row("load", f"{loaded:.2f} s", "the runtime's own import included")
    if runtime == "llama":
        from bench_llama_bare import overhead

        overhead(model, args.runs, args.prompt, args.new)  # type: ignore[arg-type]
    else:
        speed(model, args.runs, args.prompt, args.new)
    samples(model, args.runs, args.prompt, args.new)
    cache(model, args.runs, args.prompt)
    cancel(model, args.runs)
    attention(model, reader, args.runs, args.prompt)
    peak_memory(runtime)
    model.close()


def machine(runtime: str, model: Any) -> str:
    """Name what computes."""
    if runtime == "llama":
        from models.llama.generator import physical_cores

        return f"{physical_cores()} threads"
    import torch

    device, number = model._model.device, str(model._model.type)[6:]
    if device.type == "cuda":
        return f"{torch.cuda.get_device_name(device)}, {number}"
    return f"{torch.get_num_threads()} threads, {number}"


def peak_memory(runtime: str) -> None:
    """Print the most memory that was taken, on a GPU its own too."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    row("peak memory", f"{peak / 1024:.0f} MB", "weights that are mapped included")
    if runtime == "transformers":
        import torch

        if torch.cuda.is_available():
            row("peak memory of the GPU", f"{torch.cuda.max_memory_allocated() / 1e6:.0f} MB")


def encoder(folder: Path, runs: int) -> None:
    """Print passages a second, plain and behind a query, by both runtimes, and how like they are.

    transformers in float32 is what the others are compared with.
    """
    from models.llama.encoder import load_llama_encoder
    from models.torch.encoder import TorchEncoder

    line = "Ann met Bob in room 7 about the lease of the boat house, and Eve was told later. "
    passages = [f"{i} {line * (1 + i % 9)}" for i in range(128)]
    pairs = [("Who met Bob about the lease?", passage) for passage in passages]
    models = {
        "transformers, float32": TorchEncoder(folder, folder.name, precision="float32"),
        "transformers, bfloat16": TorchEncoder(folder, folder.name, precision="bfloat16"),
        "llama.cpp, float32": load_llama_encoder(folder / "model.safetensors", folder.name),
    }
    first = next(iter(models.values()))
    tokens = statistics.mean(map(first.count, passages))
    print(f"{first.id}, {len(passages)} passages of {tokens:.0f} tokens")
    wanted = first.encode(passages).vectors
    for name, model in models.items():
        alike = (model.encode(passages).vectors * wanted).sum(axis=1).min()
        row(name, f"least cosine {alike:.5f}")
    for what in ("alone", "behind a query"):
        sides = [
            partial(model.encode, passages)
            if what == "alone"
            else partial(model.encode_conditioned, pairs)
            for model in models.values()
        ]
        took = medians(runs, *(partial(seconds, side) for side in sides))
        for name, each in zip(models, took, strict=True):
            row(f"{what}, {name}", f"{len(passages) / each:.1f} /s, {each / took[0]:.2f} of it")
    for model in models.values():
        model.close()


def main() -> None:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--runtime", choices=list(RUNTIMES))
    parser.add_argument("--encoder", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--prompt", type=int, default=1500)
    parser.add_argument("--new", type=int, default=64)
    parser.add_argument("--context", type=int, default=4096)
    parser.add_argument("--gpu-layers", type=int, default=-1)
    parser.add_argument("--precision", choices=["float32", "bfloat16"])
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--rearranged", action="store_true", help="only what rearranging is worth")
    args = parser.parse_args()
    if args.rearranged:
        from bench_llama_bare import rearranged

        rearranged(args.model, args.runs, args.prompt, args.new)
        return
    wanted = [args.runtime] if args.runtime else list(RUNTIMES)
    for runtime in wanted:
        if find_spec(RUNTIMES[runtime]) is None:
            print(f"{runtime}: passed over, {RUNTIMES[runtime]} is not installed")
        elif runtime == "llama" and args.model.suffix != ".gguf":
            print("llama: passed over, it reads GGUF files alone")
        elif len(wanted) == 1:
            measure(runtime, args)
        else:
            again = [sys.executable, __file__, *sys.argv[1:], "--runtime", runtime, "--child"]
            subprocess.run(again, check=True)
    if args.encoder is not None and not args.child:
        encoder(args.encoder, args.runs)


if __name__ == "__main__":
    main()
