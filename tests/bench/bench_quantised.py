"""How fast a model reads in other quantisations of its own weights, and how far that changes it.

    python tests/bench/bench_quantised.py MODEL.gguf... [--types Q8_0 Q4_0 …]

Each type is made from the file by llama.cpp, in a folder that goes with the run. Tokens a second of
processor time, 800 read together and 32 written one by one behind them, the best of three, with the
ratio to the file as it is. Agreement with that file over what is read: the share of tokens whose
likeliest successor is the same, and the mean divergence of Kullback and Leibler, in nats.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import llama_cpp
import numpy as np
import numpy.typing as npt

TOKENS = 800
WRITTEN = 32
TEXT = Path(__file__).parents[2] / "docs" / "architecture.md"


def quantised(source: Path, kind: str, folder: Path) -> Path:
    """Write a model in another quantisation. Raises `ValueError` where llama.cpp will not."""
    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype = getattr(llama_cpp, f"LLAMA_FTYPE_MOSTLY_{kind}")
    params.allow_requantize = True
    made = folder / f"{source.stem}.{kind}.gguf"
    if llama_cpp.llama_model_quantize(bytes(source), bytes(made), ctypes.byref(params)):
        raise ValueError(f"llama.cpp cannot make {kind} of {source}")
    return made


def loaded(model: Path, *, all_rows: bool) -> Any:
    cores = len(os.sched_getaffinity(0))
    return llama_cpp.Llama(
        str(model),
        n_ctx=TOKENS + WRITTEN + 8,
        n_threads=cores,
        n_threads_batch=cores,
        logits_all=all_rows,
        verbose=False,
    )


def speeds(model: Path) -> tuple[float, float]:
    """Return tokens read, and tokens written, a second of processor time; the best of three."""
    with closing(loaded(model, all_rows=False)) as llama:
        tokens = tokens_of(llama)
        reading, writing = [], []
        for _ in range(3):
            llama.reset()
            reading.append(seconds(llama, [tokens]))
            writing.append(seconds(llama, [[token] for token in tokens[:WRITTEN]]))
    return TOKENS / min(reading), WRITTEN / min(writing)


def seconds(llama: Any, batches: list[list[int]]) -> float:
    began = time.process_time()
    for batch in batches:
        llama.eval(batch)
    return time.process_time() - began


def tokens_of(llama: Any) -> list[int]:
    return list(llama.tokenize(TEXT.read_bytes())[:TOKENS])


def logprobs(model: Path) -> npt.NDArray[np.float32]:
    """Return the log-probabilities behind each token, shape (tokens, vocabulary)."""
    with closing(loaded(model, all_rows=True)) as llama:
        llama.eval(tokens_of(llama))
        rows: npt.NDArray[np.float32] = llama.scores[:TOKENS].astype(np.float32)
    rows -= rows.max(axis=1, keepdims=True)
    rows -= np.log(np.exp(rows).sum(axis=1, keepdims=True))
    return rows


def compared(source: Path, kinds: list[str]) -> Iterator[str]:
    """Yield a line for the file as it is and for each type."""
    (reads, writes), known = speeds(source), logprobs(source)
    size = f"{source.stat().st_size / 1e6:,.0f}"
    yield f"| as it is | {size} | {reads:.0f} | {writes:.1f} | | |"
    for kind in kinds:
        with TemporaryDirectory() as folder:
            made = quantised(source, kind, Path(folder))
            (fast, said), other = speeds(made), logprobs(made)
            size = f"{made.stat().st_size / 1e6:,.0f}"
        same = float((known.argmax(axis=1) == other.argmax(axis=1)).mean())
        apart = float((np.exp(known) * (known - other)).sum(axis=1).mean())
        speed = f"{fast:.0f} ({fast / reads:.2f} x) | {said:.1f} ({said / writes:.2f} x)"
        yield f"| {kind} | {size} | {speed} | {same:.3f} | {apart:.3f} |"


def main() -> None:
    """Print a table for each model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--types", nargs="+", default=["Q8_0", "Q4_0"])
    given = parser.parse_args()
    for model in given.models:
        print(f"\n**{model.name}**, {len(os.sched_getaffinity(0))} cores\n")
        print("| type | MB | read a second | written a second | same successor | divergence |")
        print("|---" * 6 + "|")
        for line in compared(model, given.types):
            print(line, flush=True)


if __name__ == "__main__":
    main()
