"""A key-value cache of llama.cpp over a model, and what draws tokens from its logits."""

from __future__ import annotations

import ctypes
import sys

import llama_cpp
import numpy as np
import numpy.typing as npt

from models.decoding.runtime import Rows
from models.errors import MemorySpent, RuntimeFailed
from models.llama.library import forget_errors, last_error
from models.llama.model import LlamaModel
from models.llama.tensors import TensorWatcher
from models.llama.thread import computing_thread
from models.protocols import Cancelled, Sampling, Stopped

DECODE_INVALID = -1
"""The status of a batch that llama.cpp refuses; lower numbers mean that computing failed."""


def _c_library() -> ctypes.CDLL:
    return ctypes.cdll.msvcrt if sys.platform == "win32" else ctypes.CDLL(None)


class AbortFlag:
    """Tells llama.cpp, which asks after every node of its graph, whether to go on.

    What it calls is the C library's `strlen` on a buffer: 0 for an empty one, 1 with a byte in
    it. A Python function would be called just as often, wait for the interpreter's lock each
    time, and swallow a Ctrl-C that arrives inside.
    """

    def __init__(self) -> None:
        """Begin lowered."""
        self.buffer = ctypes.create_string_buffer(2)
        self.callback = ctypes.cast(_c_library().strlen, llama_cpp.ggml_abort_callback)

    @property
    def raised(self) -> bool:
        """Whether it was hoisted."""
        return self.buffer[0] != b"\0"

    def hoist(self) -> None:
        """Let the calculation that runs end at once."""
        self.buffer[0] = b"x"

    def lower(self) -> None:
        """Let the next one run."""
        self.buffer[0] = b"\0"


class LlamaContext:
    """A key-value cache over a model, and the batch that feeds it."""

    def __init__(
        self,
        model: LlamaModel,
        *,
        context: int,
        sequences: int,
        threads: int,
        chunk: int,
        watcher: TensorWatcher | None = None,
    ) -> None:
        """Allocate for `context` tokens shared by `sequences` sequences.

        With `kv_unified`, every sequence may use all cells; without it, only its share. A
        `watcher` turns flash attention off, which would show it nothing.
        Raises `RuntimeFailed` when memory is short.
        """
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = context
        params.n_batch = params.n_ubatch = chunk
        params.n_seq_max = sequences
        params.n_threads = params.n_threads_batch = threads
        params.kv_unified = True
        params.no_perf = True
        # "auto" is on, except where the device that holds a layer has no kernel for it.
        params.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_AUTO
        if watcher is not None or not model.precautions.flash_attention:
            params.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED
        if watcher is not None:
            params.cb_eval = watcher.callback
        self._watcher = watcher
        forget_errors()
        self.pointer = llama_cpp.llama_init_from_model(model.pointer, params)
        if not self.pointer:
            raise MemorySpent(
                f"llama.cpp could not allocate a context of {context} tokens: {last_error()}.",
                remedy="Close other programs or choose a smaller model.",
            )
        self.memory = llama_cpp.llama_get_memory(self.pointer)
        self.chunk = chunk
        self.vocab_size = model.vocab_size
        self._adapter = model.adapter
        self._adapted = False
        self._batch = llama_cpp.llama_batch_init(chunk, 0, 1)
        self._abort = AbortFlag()
        llama_cpp.llama_set_abort_callback(
            self.pointer, self._abort.callback, ctypes.addressof(self._abort.buffer)
        )

    def decode(self, rows: Rows, stopped: Stopped | None = None, *, adapted: bool = False) -> None:
        """Run one batch of at most `chunk` rows, with the model's adapter or without.

        Ctrl-C and `stopped()` end it within milliseconds where the CPU computes; a GPU finishes
        the batch. What was computed until then is in the cache, and the caller has to cut it.
        Raises `Cancelled`, `MemorySpent` and `RuntimeFailed`.
        """
        if not self.pointer:
            raise RuntimeFailed("The model was unloaded while it was at work.", remedy="Ask again.")
        self._adapt(adapted)
        batch = self._batch
        batch.n_tokens = len(rows)
        for i, (token, position, sequence, wanted) in enumerate(rows):
            batch.token[i] = token
            batch.pos[i] = position
            batch.n_seq_id[i] = 1
            batch.seq_id[i][0] = sequence
            batch.logits[i] = wanted
        self._abort.lower()
        forget_errors()
        status = computing_thread().call(
            lambda: int(llama_cpp.llama_decode(self.pointer, batch)), stopped, self._abort.hoist
        )
        if self._watcher is not None:
            self._watcher.reraise()
        if self._abort.raised:
            raise Cancelled
        if status != 0:
            failure = MemorySpent if status < DECODE_INVALID else RuntimeFailed
            raise failure(
                f"llama.cpp failed to decode a batch (status {status}): {last_error()}.",
                remedy="Lower --max-context or choose a smaller model.",
            )

    def _adapt(self, adapted: bool) -> None:
        if adapted == self._adapted or self._adapter is None:
            return
        adapters = (llama_cpp.llama_adapter_lora_p_ctypes * 1)(self._adapter)
        scales = (ctypes.c_float * 1)(1.0)
        llama_cpp.llama_set_adapters_lora(self.pointer, adapters, int(adapted), scales)
        self._adapted = adapted

    def logits(self, row: int) -> npt.NDArray[np.float32]:
        """Return the logits of a batch row that wanted them, shape (vocabulary,).

        They are llama.cpp's own memory: what is written there is what a sampler sees, and the
        next batch overwrites them.
        """
        values = llama_cpp.llama_get_logits_ith(self.pointer, row)
        return np.ctypeslib.as_array(values, shape=(self.vocab_size,))

    def sampler(self, sampling: Sampling, seed: int) -> LlamaSampler:
        """Return what draws the tokens of one sequence."""
        return LlamaSampler(self, sampling, seed)

    def copy_sequence(self, source: int, target: int, start: int = 0, end: int = -1) -> None:
        """Let `target` share the cells of `source` at these positions; nothing is computed."""
        llama_cpp.llama_memory_seq_cp(self.memory, source, target, start, end)

    def cut_sequence(self, sequence: int, start: int = 0) -> None:
        """Forget the sequence from position `start` on.

        An iterator that somebody still holds calls this when the model is long closed.
        """
        if self.pointer:
            llama_cpp.llama_memory_seq_rm(self.memory, sequence, start, -1)

    def clear(self) -> None:
        """Forget every sequence."""
        llama_cpp.llama_memory_clear(self.memory, False)

    def close(self) -> None:
        """Free the cache."""
        if self.pointer:
            llama_cpp.llama_batch_free(self._batch)
            llama_cpp.llama_free(self.pointer)
            self.pointer = None


class LlamaSampler:
    """Top-k, temperature, top-p, min-p, then a draw; transformers draws the same."""

    def __init__(self, context: LlamaContext, sampling: Sampling, seed: int) -> None:
        """Build the chain; a temperature of 0 is greedy and needs none."""
        self._context = context
        self.pointer = None
        if sampling.temperature <= 0:
            return
        params = llama_cpp.llama_sampler_chain_default_params()
        self.pointer = llama_cpp.llama_sampler_chain_init(params)
        # Temperature does not change which tokens are the likeliest k, and k are fewer to scale.
        self._add(llama_cpp.llama_sampler_init_top_k(sampling.top_k))
        self._add(llama_cpp.llama_sampler_init_temp(sampling.temperature))
        self._add(llama_cpp.llama_sampler_init_top_p(sampling.top_p, 1))
        self._add(llama_cpp.llama_sampler_init_min_p(sampling.min_p, 1))
        self._add(llama_cpp.llama_sampler_init_dist(seed & 0xFFFFFFFF))

    def _add(self, sampler: object) -> None:
        llama_cpp.llama_sampler_chain_add(self.pointer, sampler)

    def draw(self, row: int) -> int:
        """Draw a token from the logits of a batch row."""
        if self.pointer is None:
            return int(self._context.logits(row).argmax())
        return int(llama_cpp.llama_sampler_sample(self.pointer, self._context.pointer, row))

    def close(self) -> None:
        """Free the chain."""
        if self.pointer:
            llama_cpp.llama_sampler_free(self.pointer)
            self.pointer = None
