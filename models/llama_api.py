"""Every low-level call into llama.cpp, and a self-test of what they assume.

llama-cpp-python is pinned to one version: its ctypes structures change with llama.cpp. No
other file touches them. The calls are thin: arrays in, arrays out, an exception on failure.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path

import llama_cpp
import numpy as np
import numpy.typing as npt

from models.errors import RuntimeFailed

PINNED = "0.3.36"
"""The version whose structures were checked; pyproject.toml pins the same."""

LOG_LEVEL_ERROR = 3
"""`GGML_LOG_LEVEL_ERROR` of this version; the Python package does not name it."""

_log_lines: list[str] = []


@llama_cpp.llama_log_callback  # type: ignore[untyped-decorator]
def _collect_log(level: int, text: bytes, _data: ctypes.c_void_p) -> None:
    """Keep the last errors for an exception's message; llama.cpp never logs a prompt."""
    if level == LOG_LEVEL_ERROR:
        _log_lines.append(text.decode("utf-8", "replace").strip())
        del _log_lines[:-5]


def self_test() -> None:
    """Check version and structure layout once. Raises `RuntimeFailed` on a mismatch."""
    if llama_cpp.__version__ != PINNED:
        raise RuntimeFailed(
            f"llama-cpp-python {llama_cpp.__version__} is installed; Askance needs {PINNED}.",
            remedy=f"Install it again: pip install llama-cpp-python=={PINNED}.",
        )
    context = llama_cpp.llama_context_default_params()
    model = llama_cpp.llama_model_default_params()
    sane = 0 < context.n_batch <= 1 << 16 and context.n_seq_max == 1 and not model.vocab_only
    if not sane:
        raise RuntimeFailed(
            "The llama.cpp library does not match its Python structures.",
            remedy="Reinstall llama-cpp-python without a cached wheel.",
        )
    llama_cpp.llama_log_set(_collect_log, ctypes.c_void_p(0))
    llama_cpp.llama_backend_init()


def gpu_offload_supported() -> bool:
    """Say whether this build of llama.cpp can offload layers to a GPU."""
    return bool(llama_cpp.llama_supports_gpu_offload())


class LlamaModel:
    """A loaded GGUF file: weights and vocabulary."""

    def __init__(self, path: Path, *, gpu_layers: int) -> None:
        """Map the file. Raises `RuntimeFailed` when llama.cpp refuses it."""
        params = llama_cpp.llama_model_default_params()
        params.n_gpu_layers = gpu_layers
        _log_lines.clear()
        self.pointer = llama_cpp.llama_model_load_from_file(bytes(path), params)
        if not self.pointer:
            raise RuntimeFailed(
                f"llama.cpp could not load the model: {_last_error()}.",
                remedy="Run `askance models verify`, then pull the model again.",
                path=path,
            )
        self.vocab = llama_cpp.llama_model_get_vocab(self.pointer)
        template = llama_cpp.llama_model_chat_template(self.pointer, None)
        self.chat_template: bytes = template or b"chatml"
        self.train_context = int(llama_cpp.llama_model_n_ctx_train(self.pointer))

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
        """Return the bytes of one token; control tokens give none."""
        buffer = ctypes.create_string_buffer(64)
        size = llama_cpp.llama_token_to_piece(self.vocab, token, buffer, 64, 0, False)
        if size < 0:
            buffer = ctypes.create_string_buffer(-size)
            size = llama_cpp.llama_token_to_piece(self.vocab, token, buffer, -size, 0, False)
        return bytes(buffer.raw[:size])

    def is_end(self, token: int) -> bool:
        """Say whether the token ends a reply."""
        return bool(llama_cpp.llama_vocab_is_eog(self.vocab, token))

    def control_texts(self) -> list[str]:
        """Return the written forms of all control tokens, longest first."""
        texts = []
        for token in range(llama_cpp.llama_vocab_n_tokens(self.vocab)):
            if llama_cpp.llama_vocab_is_control(self.vocab, token):
                texts.append(llama_cpp.llama_vocab_get_text(self.vocab, token).decode())
        return sorted(texts, key=len, reverse=True)

    def apply_template(self, turns: Sequence[tuple[str, str]]) -> str:
        """Return the chat prompt of (role, content) turns, opened for the reply."""
        chat = (llama_cpp.llama_chat_message * len(turns))()
        for slot, (role, content) in zip(chat, turns, strict=True):
            slot.role = role.encode()
            slot.content = content.encode("utf-8", "replace")
        room = 2 * sum(len(content.encode("utf-8", "replace")) for _, content in turns) + 4096
        buffer = ctypes.create_string_buffer(room)
        size = llama_cpp.llama_chat_apply_template(
            self.chat_template, chat, len(turns), True, buffer, room
        )
        if not 0 <= size <= room:
            raise RuntimeFailed(
                "llama.cpp does not know this model's chat template.",
                remedy="Choose another model with `askance models use`.",
            )
        return buffer.raw[:size].decode("utf-8", "replace")

    def close(self) -> None:
        """Free the weights."""
        if self.pointer:
            llama_cpp.llama_model_free(self.pointer)
            self.pointer = None


class LlamaContext:
    """A key-value cache over a model, and the batch that feeds it."""

    def __init__(
        self, model: LlamaModel, *, context: int, sequences: int, threads: int, chunk: int
    ) -> None:
        """Allocate for `context` tokens shared by `sequences` sequences.

        `kv_unified` lets every sequence use the whole; without it each gets its share only.
        Raises `RuntimeFailed` when memory is short.
        """
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = context
        params.n_batch = params.n_ubatch = chunk
        params.n_seq_max = sequences
        params.n_threads = params.n_threads_batch = threads
        params.kv_unified = True
        params.no_perf = True
        _log_lines.clear()
        self.pointer = llama_cpp.llama_init_from_model(model.pointer, params)
        if not self.pointer:
            raise RuntimeFailed(
                f"llama.cpp could not allocate a context of {context} tokens: {_last_error()}.",
                remedy="Close other programs or choose a smaller model.",
            )
        self.memory = llama_cpp.llama_get_memory(self.pointer)
        self.chunk = chunk
        self.vocab_size = int(llama_cpp.llama_vocab_n_tokens(model.vocab))
        self._batch = llama_cpp.llama_batch_init(chunk, 0, 1)

    def decode(self, rows: Sequence[tuple[int, int, int, bool]]) -> None:
        """Run one batch of (token, position, sequence, wants logits), at most `chunk` rows."""
        batch = self._batch
        batch.n_tokens = len(rows)
        for i, (token, position, sequence, wanted) in enumerate(rows):
            batch.token[i] = token
            batch.pos[i] = position
            batch.n_seq_id[i] = 1
            batch.seq_id[i][0] = sequence
            batch.logits[i] = wanted
        status = llama_cpp.llama_decode(self.pointer, batch)
        if status != 0:
            raise RuntimeFailed(
                f"llama.cpp failed to decode a batch (status {status}): {_last_error()}.",
                remedy="Lower --max-context or choose a smaller model.",
            )

    def logits(self, row: int) -> npt.NDArray[np.float32]:
        """Return a copy of the logits of a batch row that wanted them, shape (vocabulary,)."""
        values = llama_cpp.llama_get_logits_ith(self.pointer, row)
        return np.ctypeslib.as_array(values, shape=(self.vocab_size,)).copy()

    def copy_sequence(self, source: int, target: int) -> None:
        """Let `target` share the cells of `source`; nothing is computed."""
        llama_cpp.llama_memory_seq_cp(self.memory, source, target, -1, -1)

    def cut_sequence(self, sequence: int, start: int = 0) -> None:
        """Forget the sequence from position `start` on."""
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
    """Temperature, top-k, top-p, then a draw: the order transformers uses."""

    def __init__(self, *, temperature: float, top_k: int, top_p: float, seed: int) -> None:
        """Build the chain; a temperature of 0 is greedy."""
        params = llama_cpp.llama_sampler_chain_default_params()
        self.pointer = llama_cpp.llama_sampler_chain_init(params)
        if temperature <= 0:
            self._add(llama_cpp.llama_sampler_init_greedy())
            return
        self._add(llama_cpp.llama_sampler_init_temp(temperature))
        self._add(llama_cpp.llama_sampler_init_top_k(top_k))
        self._add(llama_cpp.llama_sampler_init_top_p(top_p, 1))
        self._add(llama_cpp.llama_sampler_init_dist(seed & 0xFFFFFFFF))

    def _add(self, sampler: object) -> None:
        llama_cpp.llama_sampler_chain_add(self.pointer, sampler)

    def draw(self, context: LlamaContext, row: int) -> int:
        """Draw a token from the logits of a batch row."""
        return int(llama_cpp.llama_sampler_sample(self.pointer, context.pointer, row))

    def close(self) -> None:
        """Free the chain."""
        if self.pointer:
            llama_cpp.llama_sampler_free(self.pointer)
            self.pointer = None


def _last_error() -> str:
    return _log_lines[-1] if _log_lines else "no reason given"
