"""Five look-ahead samples against one, at about 1,500 prompt tokens, in one run.

    python tests/bench/bench_lookahead.py MODEL.gguf

Prints seconds and the ratio (aim: at most 1.35), and the same for five samples drawn one after
another without the shared prefill.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from models.llama import LlamaGenerator, load_llama
from models.protocols import Message, Sampling

WORDS = "Ann met Bob in room {} about invoice {} and the lease of the boat house. "
TOKENS = 64


def draw(model: LlamaGenerator, prompt: str, n: int, *, cached: bool = False) -> float:
    """Return the seconds of `n` samples of 64 tokens."""
    if not cached:
        list(model.sample("x", max_tokens=1, sampling=Sampling()))
    began = time.perf_counter()
    sampling = Sampling(temperature=0.7, seed=1)
    list(model.sample(prompt, n=n, max_tokens=TOKENS, sampling=sampling))
    return time.perf_counter() - began


def main() -> None:
    """Print one line a way of sampling."""
    model = load_llama(Path(sys.argv[1]), Path(sys.argv[1]).stem)
    story = "".join(WORDS.format(i, i * 37) for i in range(75))
    prompt = model.render([Message("user", f"{story}\nTell at length what happened.")])
    print(f"{model.id}: {model.count(prompt)} prompt tokens, {TOKENS} tokens a sample")
    one = min(draw(model, prompt, 1) for _ in range(2))
    five = min(draw(model, prompt, 5) for _ in range(2))
    apart = 5 * one
    print(f"one sample          {one:6.2f} s")
    print(f"five, one prefill   {five:6.2f} s   {five / one:.2f} x one")
    print(f"five, one by one    {apart:6.2f} s   {apart / one:.2f} x one (5 times the first row)")


if __name__ == "__main__":
    main()
