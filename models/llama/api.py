"""Models and contexts of llama.cpp: arrays in, arrays out, an exception on failure.

llama-cpp-python is pinned to one version: its ctypes structures change with llama.cpp. Only this
file, `llama_library`, `llama_sampling` and `llama_tensors` touch them.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import llama_cpp
import numpy as np
import numpy.typing as npt

from models.decoding.runtime import Rows
from models.errors import MemorySpent, RuntimeFailed
from models.llama.library import forget_errors, last_error
from models.llama.precautions import NONE, Precautions
from models.llama.sampling import LlamaGrammar, LlamaSampler
from models.llama.tensors import TensorWatcher
from models.llama.thread import computing_thread
from models.protocols import Cancelled, Sampling, Stopped

CACHE_BYTES = 2
"""Of one number in the key-value cache, which is kept in float16."""
THOUGHT_MARKS = ("<think>", "</think>")
"""Written out even where they are control tokens, so that thoughts can be told from replies."""

DECODE_INVALID = -1
"""The status of a batch that llama.cpp refuses; beyond it are failures to compute."""


class LlamaModel:
    """A loaded GGUF file: weights and vocabulary."""

    def __init__(self, path: Path, *, gpu_layers: int, precautions: Precautions = NONE) -> None:
        """Map the file. Raises `RuntimeFailed` when llama.cpp refuses it."""
        params = llama_cpp.llama_model_default_params()
        params.n_gpu_layers = gpu_layers
        params.use_extra_bufts = precautions.extra_buffers
        self.precautions = precautions
        forget_errors()
        self.pointer = llama_cpp.llama_model_load_from_file(bytes(path), params)
        if not self.pointer:
            raise RuntimeFailed(
                f"llama.cpp could not load the model: {last_error()}.",
                remedy="Run `askance models verify`, then pull the model again.",
                path=path,
            )
        self.vocab = llama_cpp.llama_model_get_vocab(self.pointer)
        self.chat_template: bytes | None = llama_cpp.llama_model_chat_template(self.pointer, None)
        self.train_context = int(llama_cpp.llama_model_n_ctx_train(self.pointer))
        self.vocab_size = int(llama_cpp.llama_vocab_n_tokens(self.vocab))
        self.layers = int(llama_cpp.llama_model_n_layer(self.pointer))
        self.heads = int(llama_cpp.llama_model_n_head(self.pointer))
        self.adds_bos = bool(llama_cpp.llama_vocab_get_add_bos(self.vocab))
        recurrent = llama_cpp.llama_model_is_recurrent(self.pointer)
        self.cuts = not (recurrent or llama_cpp.llama_model_is_hybrid(self.pointer))
        """Whether a cached sequence can be cut back; a recurrent state cannot."""
        self.window = int(llama_cpp.llama_model_n_swa(self.pointer))
        """Tokens back that some layers attend to at most; 0 where all attend to everything."""
        self._marks = self._control_marks()

    def _control_marks(self) -> dict[int, bytes]:
        tokenized = {text: self.tokenize(text, special=True) for text in THOUGHT_MARKS}
        return {ids[-1]: text.encode() for text, ids in tokenized.items() if len(ids) == 1}

    def cache_bytes(self, context: int) -> int:
        """Return about how much memory a context of so many tokens takes beside the weights."""
        kept_heads = int(llama_cpp.llama_model_n_head_kv(self.pointer))
        width = int(llama_cpp.llama_model_n_embd(self.pointer)) // self.heads
        return 2 * CACHE_BYTES * self.layers * kept_heads * width * context

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """Return token ids; with `special`, template markers become their control tokens."""
        data = text.encode("utf-8", "replace")
        room = len(data) + 8
        buffer = (llama_cpp.llama_token * room)()
        count = llama_cpp.llama_tokenize(
            self.vocab, data, len(data), buffer, room, special, special
        )
        if count < 0:
            raise RuntimeFailed("The text could not be tokenised.", remedy="Report this.")
        return list(buffer[:count])

    def piece(self, token: int) -> bytes:
        """Return the bytes of one token; control tokens give none, but for thought marks."""
        if token in self._marks:
            return self._marks[token]
        buffer = ctypes.create_string_buffer(64)
        size = llama_cpp.llama_token_to_piece(self.vocab, token, buffer, 64, 0, False)
        if size < 0:
            buffer = ctypes.create_string_buffer(-size)
            size = llama_cpp.llama_token_to_piece(self.vocab, token, buffer, -size, 0, False)
        return bytes(buffer.raw[:size])

    @cached_property
    def pieces(self) -> list[bytes]:
        """The bytes of every token. Reading them takes a tenth of a second, once."""
        return [self.piece(token) for token in range(self.vocab_size)]

    @cached_property
    def ends(self) -> list[int]:
        """The tokens that end a reply."""
        return [token for token in range(self.vocab_size) if self.is_end(token)]

    def is_end(self, token: int) -> bool:
        """Say whether the token ends a reply."""
        return bool(llama_cpp.llama_vocab_is_eog(self.vocab, token))

    def control_texts(self) -> list[str]:
        """Return the written forms of all control tokens, longest first."""
        texts = []
        for token in range(self.vocab_size):
            if llama_cpp.llama_vocab_is_control(self.vocab, token):
                texts.append(self._text(token))
        return sorted(texts, key=len, reverse=True)

    def _text(self, token: int) -> str:
        if token < 0:
            return ""
        return str(llama_cpp.llama_vocab_get_text(self.vocab, token).decode("utf-8", "replace"))

    def first_and_last_texts(self) -> tuple[str, str]:
        """Return what a template calls `bos_token` and `eos_token`; empty where there is none."""
        bos = llama_cpp.llama_vocab_bos(self.vocab)
        return self._text(bos), self._text(llama_cpp.llama_vocab_eos(self.vocab))

    def apply_template(self, turns: Sequence[tuple[str, str]]) -> str | None:
        """Return the chat prompt of (role, content) turns, opened for the reply.

        None where llama.cpp does not know the model's template. A model without one gets the
        usual, ChatML.
        """
        chat = (llama_cpp.llama_chat_message * len(turns))()
        for slot, (role, content) in zip(chat, turns, strict=True):
            slot.role = role.encode()
            slot.content = content.encode("utf-8", "replace")
        room = 2 * sum(len(content.encode("utf-8", "replace")) for _, content in turns) + 4096
        buffer = ctypes.create_string_buffer(room)
        size = llama_cpp.llama_chat_apply_template(
            self.chat_template or b"chatml", chat, len(turns), True, buffer, room
        )
        if not 0 <= size <= room:
            return None
        return buffer.raw[:size].decode("utf-8", "replace")

    def grammar(self, gbnf: str) -> LlamaGrammar:
        """Parse a grammar. Raises `ValueError`."""
        return LlamaGrammar(self, gbnf)

    def close(self) -> None:
        """Free the weights."""
        if self.pointer:
            llama_cpp.llama_model_free(self.pointer)
            self.pointer = None


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

        `kv_unified` lets every sequence use the whole; without it each gets its share only.
        With a `watcher`, flash attention is off, or there would be nothing to watch.
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
        self._batch = llama_cpp.llama_batch_init(chunk, 0, 1)
        self._abort = AbortFlag()
        llama_cpp.llama_set_abort_callback(
            self.pointer, self._abort.callback, ctypes.addressof(self._abort.buffer)
        )

    def decode(self, rows: Rows, stopped: Stopped | None = None) -> None:
        """Run one batch of at most `chunk` rows.

        Ctrl-C and `stopped()` end it within milliseconds where the CPU computes; a GPU finishes
        the batch. What it computed by then is in the cache, and the caller has to cut it.
        Raises `Cancelled`, `MemorySpent` and `RuntimeFailed`.
        """
        if not self.pointer:
            raise RuntimeFailed("The model was unloaded while it was at work.", remedy="Ask again.")
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
