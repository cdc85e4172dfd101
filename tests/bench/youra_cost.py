"""What reading attention costs: one pass against two, peak memory, and flash attention left out."""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

from engine.attention.sentence_attention import QUERY
from engine.strategies.youra import DEPTH
from models.llama.attention import load_llama_attention
from models.llama.generator import load_llama
from models.protocols import GenerationRequest, Sampling
from models.torch.loading import load_torch_attention
from tests.bench.youra_runs import stored_layer

TEXT = "The lease of the boathouse was signed by Berta Lindqvist in Harlow. "
QUESTION = QUERY.format("Who signed the lease?")
ROOM = 256
LOADERS = {"llama": load_llama_attention, "transformers": load_torch_attention}


def cost(args: argparse.Namespace) -> None:
    """Time a pass over context and query against a pass over each of C and C·Q; say peak memory.

    Each length has a process of its own. A first pass, untimed, gives its peak; then passes over C
    and over C·Q alternate, and medians are shown.
    """
    for tokens in args.tokens:
        measure = (args.model, args.runtime, tokens, args.depth, args.repeats)
        print(alone(passes, *measure), flush=True)


def alone(measure: Callable[..., str], *args: Any) -> str:
    """Return what is measured in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(measure, *args).result()


def passes(model: Path, runtime: str, size: int, depth: float, repeats: int) -> str:
    """Return one line about readings of `size` tokens, the query's included."""
    reader: Any = LOADERS[runtime](model, model.stem, context=size + ROOM)
    layer = layer_of(model, reader.layers, depth)
    query = reader._model.tokenize(QUESTION, special=False)
    context = reader._model.tokenize(TEXT * (size // 8), special=False)[: size - len(query)]
    loaded = peak()
    both = [*context, *query]

    def read(tokens: list[int]) -> float:
        began = time.monotonic()
        reader._sums(tokens, len(context), [layer], None)
        return time.monotonic() - began

    first = read(both)
    said = f"{size} tokens, layer {layer} of {reader.layers}, {runtime}: {first:.2f} s at first, "
    said += f"peak {peak()} MB ({loaded} before)"
    if not repeats:
        return said
    times = alternating({"C": lambda: read(context), "C·Q": lambda: read(both)}, repeats)
    one, two = times["C·Q"], times["C"] + times["C·Q"]
    return f"{said}; C {times['C']:.2f} s, C·Q {one:.2f} s, one pass / two {one / two:.3f}"


def prefill(args: argparse.Namespace) -> None:
    """Time the look-ahead model's prefill: with flash attention, without, and read along."""
    for tokens in args.tokens:
        print(alone(prefills, args.model, tokens, args.depth, args.repeats), flush=True)


def prefills(path: Path, size: int, depth: float, repeats: int) -> str:
    """Return one line about prefills of `size` tokens, each for one token of a reply."""
    plain, attentive = (
        load_llama(path, path.stem, context=size + ROOM, attentive=reads) for reads in (False, True)
    )
    layer = layer_of(path, attentive.layers, depth)
    context = TEXT * ((size - plain.count(QUESTION)) // plain.count(TEXT))
    prompt, options = context + QUESTION, {"max_tokens": 1, "sampling": Sampling()}

    def timed(sample: Callable[[], Any]) -> float:
        plain.forget()
        attentive.forget()
        began = time.monotonic()
        list(sample())
        return time.monotonic() - began

    ways = {
        "flash": lambda: timed(lambda: plain.sample(GenerationRequest((prompt,), **options))),
        "without": lambda: timed(lambda: attentive.sample(GenerationRequest((prompt,), **options))),
        "read": lambda: timed(
            lambda: attentive.sample_and_read(
                GenerationRequest((prompt,), **options), until=len(context), layers=[layer]
            )
        ),
    }
    for way in ways.values():
        way()
    times = alternating(ways, max(1, repeats))
    said = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in times.items())
    more = times["read"] / times["flash"] - 1
    return f"{plain.count(prompt)} tokens, layer {layer}: {said}; reading along {more:+.1%}"


def alternating(ways: dict[str, Callable[[], float]], repeats: int) -> dict[str, float]:
    """Return the median seconds of each way; they take turns, every other round backwards."""
    found: dict[str, list[float]] = {name: [] for name in ways}
    for round_ in range(repeats):
        for name in list(ways)[:: -1 if round_ % 2 else 1]:
            found[name].append(ways[name]())
    return {name: median(seconds) for name, seconds in found.items()}


def layer_of(model: Path, layers: int, depth: float) -> int:
    """Return the layer that is stored for a model; at a depth where none is, or one is given."""
    stored = stored_layer(model)
    if depth or stored is None:
        return round((depth or DEPTH) * (layers - 1))
    return stored


def peak() -> int:
    """Return the largest memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
