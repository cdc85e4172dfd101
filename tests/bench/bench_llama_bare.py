"""What the llama.cpp runtime costs over llama.cpp itself."""

from __future__ import annotations

import statistics
import sys
import time
from functools import partial
from pathlib import Path
from unittest.mock import patch

import llama_cpp
from bench_parts import ours, row, story

from models.llama.generator import CHUNK, LlamaGenerator, load_llama, physical_cores
from models.llama.thread import computing_thread


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


def rearranged(path: Path, runs: int, prompt: int, new: int) -> None:
    """Print what weights rearranged for the processor are worth over those of the file."""
    print(f"weights rearranged or as in the file, prompt of {prompt} tokens, {new} generated")
    models: list[LlamaGenerator] = []
    for pays in (True, False):
        with patch("models.llama.model.rearranging_pays", partial(bool, pays)):
            models.append(load_llama(path, path.stem, context=prompt + 2 * new))
    text = story(models[0], prompt)
    tokens = models[0].count(text)
    took = [[ours(model, text, new) for model in models] for _ in range(runs)]
    for part, name, count in ((0, "prompt", tokens), (1, "generation", new)):
        moved, plain = (
            count / statistics.median(run[side][part] for run in took) for side in (0, 1)
        )
        row(f"{name}, rearranged", f"{moved:.1f} t/s")
        row(f"{name}, as in the file", f"{plain:.1f} t/s", f"{plain / moved:.2f} x")
    for model in models:
        model.close()
