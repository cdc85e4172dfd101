"""Grammars of llama.cpp: which tokens a reply may go on with."""

from __future__ import annotations

import ctypes

import llama_cpp
import numpy as np
import numpy.typing as npt


class LlamaGrammar:
    """A grammar and how far a reply has come in it."""

    def __init__(self, vocab: object, vocab_size: int, gbnf: str) -> None:
        """Parse it for llama.cpp's pointer to a vocabulary. Raises `ValueError`."""
        self.pointer = llama_cpp.llama_sampler_init_grammar(vocab, gbnf.encode(), b"root")
        if not self.pointer:
            raise ValueError("llama.cpp cannot read this grammar")
        self._all = self._candidates(np.arange(vocab_size, dtype=np.int32))

    def _candidates(self, tokens: npt.NDArray[np.int32]) -> npt.NDArray[np.void]:
        """Return llama.cpp's `llama_token_data` for these tokens."""
        data = np.zeros(len(tokens), dtype=[("id", "<i4"), ("logit", "<f4"), ("p", "<f4")])
        data["id"] = tokens
        return data

    def _apply(self, data: npt.NDArray[np.void]) -> npt.NDArray[np.float32]:
        """Return the logits, minus infinity where the grammar forbids the token."""
        array = llama_cpp.llama_token_data_array(
            data=data.ctypes.data_as(ctypes.POINTER(llama_cpp.llama_token_data)),
            size=len(data),
            selected=-1,
            sorted=False,
        )
        llama_cpp.llama_sampler_apply(self.pointer, ctypes.byref(array))
        logits: npt.NDArray[np.float32] = data["logit"]
        return logits

    def allows(self, token: int) -> bool:
        """Say whether the reply may go on with this token."""
        one = self._candidates(np.array([token], dtype=np.int32))
        return bool(np.isfinite(self._apply(one)[0]))

    def mask(self, logits: npt.NDArray[np.float32]) -> None:
        """Forbid, in place, what the grammar does. Looks at every token: milliseconds."""
        self._all["logit"] = logits
        logits[:] = self._apply(self._all)

    def accept(self, token: int) -> None:
        """Go on. The token must be allowed: llama.cpp ends the process otherwise."""
        llama_cpp.llama_sampler_accept(self.pointer, token)

    def close(self) -> None:
        """Free it."""
        if self.pointer:
            llama_cpp.llama_sampler_free(self.pointer)
            self.pointer = None
