"""Models of llama.cpp: arrays in, arrays out, an exception on failure.

llama-cpp-python is pinned to one version, since its ctypes structures change with llama.cpp. Only
modules of this package touch them: this one, `context`, `grammar`, `library` and `tensors`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import llama_cpp

from models.errors import RuntimeFailed
from models.llama.grammar import LlamaGrammar
from models.llama.library import forget_errors, last_error
from models.llama.precautions import NONE, Precautions

CACHE_BYTES = 2
"""Of one number in the key-value cache, which is kept in float16."""
THOUGHT_MARKS = ("<think>", "</think>")
"""Written out even where they are control tokens, so that thoughts can be told from replies."""


def rearranging_pays() -> bool:
    """Say whether weights rearranged for this processor are read faster than those of the file.

    On x86 the file's own are, with AVX2 and with AVX-512 (docs/results-machinery.md, "Rearranged
    weights"). They also stay in the page cache, where other programs share them.
    """
    return b"SSE3 = 1" not in llama_cpp.llama_print_system_info()


class LlamaModel:
    """A loaded GGUF file: weights and vocabulary."""

    def __init__(
        self,
        path: Path,
        *,
        gpu_layers: int,
        precautions: Precautions = NONE,
        adapter: Path | None = None,
    ) -> None:
        """Map the file, and load its adapter. Raises `RuntimeFailed` when llama.cpp refuses one."""
        params = llama_cpp.llama_model_default_params()
        params.n_gpu_layers = gpu_layers
        params.use_extra_bufts = precautions.extra_buffers and rearranging_pays()
        self.precautions = precautions
        forget_errors()
        self.pointer = llama_cpp.llama_model_load_from_file(bytes(path), params)
        if not self.pointer:
            raise RuntimeFailed(
                f"llama.cpp could not load the model: {last_error()}.",
                remedy="Run `askance models verify`, then pull the model again.",
                path=path,
            )
        self.adapter = None if adapter is None else self._adapter(adapter)
        """What llama.cpp frees with the model."""
        self.has_adapter = self.adapter is not None
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

    def _adapter(self, path: Path) -> Any:
        pointer = llama_cpp.llama_adapter_lora_init(self.pointer, bytes(path))
        if not pointer:
            self.close()
            raise RuntimeFailed(
                f"llama.cpp could not load the model's adapter: {last_error()}.",
                remedy="Install Askance again.",
                path=path,
            )
        return pointer

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
        return LlamaGrammar(self.vocab, self.vocab_size, gbnf)

    def close(self) -> None:
        """Free the weights."""
        if self.pointer:
            llama_cpp.llama_model_free(self.pointer)
            self.pointer = None
