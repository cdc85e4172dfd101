"""What the benchmarks of models share: texts, clocks, rows."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from models.decoding.generator import BatchGenerator
from models.protocols import GenerationRequest, Sampling

WORDS = "Ann met Bob in room {} about invoice {} and the lease of the boat house. "
GREEDY = Sampling()


def story(model: BatchGenerator, tokens: int, begin: int = 0) -> str:
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


def ours(model: BatchGenerator, text: str, new: int) -> tuple[float, float]:
    """Return seconds of prompt and generation; the watched piece comes between the two."""
    model.forget()
    began = time.perf_counter()
    pieces = model.sample(GenerationRequest((text,), max_tokens=new, sampling=GREEDY, watch=("A",)))
    next(pieces)
    prompted = time.perf_counter()
    for _ in pieces:
        pass
    return prompted - began, time.perf_counter() - prompted
