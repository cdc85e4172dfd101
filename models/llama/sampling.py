"""What llama.cpp draws tokens with: chains of samplers, and grammars."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import llama_cpp
import numpy as np
import numpy.typing as npt

from models.protocols import Sampling

if TYPE_CHECKING:
    from models.llama.api import LlamaContext, LlamaModel


class LlamaSampler:
    """Temperature, top-k, top-p, min-p, then a draw: what transformers does."""

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


class LlamaGrammar:
    """A grammar and how far a reply has come in it."""

    def __init__(self, model: LlamaModel, gbnf: str) -> None:
        """Parse it. Raises `ValueError`."""
        self.pointer = llama_cpp.llama_sampler_init_grammar(model.vocab, gbnf.encode(), b"root")
        if not self.pointer:
            raise ValueError("llama.cpp cannot read this grammar")
        self._all = self._candidates(np.arange(model.vocab_size, dtype=np.int32))

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
