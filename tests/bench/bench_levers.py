"""Levers of llama.cpp that a long answer might gain from, as ratios to none of them.

    bench_levers.py MODEL.gguf DRAFT.gguf [--rounds 2] [--words 700] [--new 160]

llama.cpp's own server (xllamacpp) summarises the same page of the project, with: its plain setting;
the smaller model as a draft; drafts from the prompt's own words; one thread in place of all cores.
The seconds are of reading and of writing, best of the rounds, each lever in a process of its own.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

LEVERS: dict[str, Callable[[Any, str], None]] = {}


def lever(name: str) -> Callable[[Callable[[Any, str], None]], Callable[[Any, str], None]]:
    def note(setting: Callable[[Any, str], None]) -> Callable[[Any, str], None]:
        LEVERS[name] = setting
        return setting

    return note


def speculation(name: str) -> Any:
    """Return a kind of speculative decoding, by its name in llama.cpp."""
    import xllamacpp

    return getattr(xllamacpp.common_speculative_type, f"COMMON_SPECULATIVE_TYPE_{name}")


@lever("plain")
def plain(params: Any, draft: str) -> None:
    """Leave everything as it is."""


@lever("draft model")
def with_draft(params: Any, draft: str) -> None:
    import xllamacpp

    params.speculative.draft.mparams.path = draft
    params.speculative.types = [
        xllamacpp.common_speculative_type.COMMON_SPECULATIVE_TYPE_DRAFT_SIMPLE
    ]


@lever("draft from the prompt")
def with_prompt(params: Any, draft: str) -> None:
    import xllamacpp

    params.speculative.types = [
        xllamacpp.common_speculative_type.COMMON_SPECULATIVE_TYPE_NGRAM_SIMPLE
    ]


@lever("one thread")
def one_thread(params: Any, draft: str) -> None:
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1


def served(name: str, given: argparse.Namespace, prompt: str, out: Any) -> None:
    """Serve with one lever, ask so many times, and put the best timings."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = given.model
    params.n_ctx, params.n_parallel = 4096, 1
    cores = len(os.sched_getaffinity(0))
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = cores
    LEVERS[name](params, given.draft)
    server = xllamacpp.Server(params)
    timings = []
    for _ in range(given.rounds):
        asked = {"prompt": prompt, "n_predict": given.new, "temperature": 0, "cache_prompt": False}
        timings.append(server.handle_completions(asked))
    found = [one["timings"] for one in timings]
    out.put(min(found, key=lambda one: one["prompt_ms"] + one["predicted_ms"]))


def main() -> None:
    """Print a row a lever."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("draft")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--words", type=int, default=700)
    parser.add_argument("--new", type=int, default=160)
    given = parser.parse_args()
    page = (Path(__file__).parents[2] / "docs" / "privacy.md").read_text("utf-8").split()
    text = " ".join(page[: given.words])
    prompt = (
        f"<|im_start|>user\n{text}\n\nSummarise this in two paragraphs.<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    base: dict[str, float] = {}
    for name in LEVERS:
        out = multiprocessing.SimpleQueue()
        one = multiprocessing.Process(target=served, args=(name, given, prompt, out))
        one.start()
        one.join(600)
        if out.empty():
            print(f"{name:22} failed", flush=True)
            continue
        found = out.get()
        base = base or found
        reads, writes = (base[key] / found[key] for key in ("prompt_ms", "predicted_per_token_ms"))
        print(
            f"{name:22} reads {found['prompt_per_second']:.1f} tokens/s ({reads:.2f} times), "
            f"writes {found['predicted_per_second']:.1f} ({writes:.2f} times), drafts taken "
            f"{found.get('draft_n_accepted', 0)} of {found.get('draft_n', 0)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
