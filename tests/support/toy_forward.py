"""A llama model computed by numpy, from a GGUF file that the gguf package reads and unpacks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass
class Computed:
    """What a model says of a row of tokens."""

    logprobs: Floats
    """(tokens, vocabulary): of the token after each."""
    attention: list[Floats]
    """Of each layer, (heads, tokens, tokens)."""


class NumpyLlama:
    """A GGUF file's weights as float64."""

    def __init__(self, path: Path) -> None:
        import gguf

        file: Any = gguf.GGUFReader(path)
        fields = {name: field.contents() for name, field in file.fields.items()}
        self.weights = {
            tensor.name.removesuffix(".weight"): gguf.quants.dequantize(
                tensor.data, tensor.tensor_type
            ).astype(np.float64)
            for tensor in file.tensors
        }
        self.layers: int = fields["llama.block_count"]
        self.heads: int = fields["llama.attention.head_count"]
        self.kept: int = fields["llama.attention.head_count_kv"]
        self.epsilon: float = fields["llama.attention.layer_norm_rms_epsilon"]
        self.base: float = fields["llama.rope.freq_base"]
        self.tokens: list[str] = fields["tokenizer.ggml.tokens"]
        self.types = {tensor.tensor_type.name for tensor in file.tensors}

    def encode(self, text: str) -> list[int]:
        return [self.tokens.index(f"<0x{byte:02X}>") for byte in text.encode()]

    def compute(self, tokens: list[int]) -> Computed:
        weights, attention = self.weights, []
        x = weights["token_embd"][tokens]
        for layer in range(self.layers):
            w = {name[6:]: w for name, w in weights.items() if name.startswith(f"blk.{layer}.")}
            mixed, seen = self._attend(self._norm(x, w["attn_norm"]), w)
            attention.append(seen)
            x = x + mixed
            h = self._norm(x, w["ffn_norm"])
            gate = h @ w["ffn_gate"].T
            x = x + (gate / (1 + np.exp(-gate)) * (h @ w["ffn_up"].T)) @ w["ffn_down"].T
        logits = self._norm(x, weights["output_norm"]) @ weights["output"].T
        above = logits - logits.max(axis=1, keepdims=True)
        return Computed(above - np.log(np.exp(above).sum(axis=1, keepdims=True)), attention)

    def _norm(self, x: Floats, weight: Floats) -> Floats:
        return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + self.epsilon) * weight

    def _attend(self, h: Floats, w: dict[str, Floats]) -> tuple[Floats, Floats]:
        n = len(h)
        q = self._turned((h @ w["attn_q"].T).reshape(n, self.heads, -1))
        k = self._turned((h @ w["attn_k"].T).reshape(n, self.kept, -1))
        v = (h @ w["attn_v"].T).reshape(n, self.kept, -1)
        k, v = (np.repeat(one, self.heads // self.kept, axis=1) for one in (k, v))
        scores = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(q.shape[-1])
        scores[:, np.triu(np.ones((n, n), bool), 1)] = -np.inf
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        mixed = np.einsum("hij,jhd->ihd", shares, v).reshape(n, -1)
        return mixed @ w["attn_output"].T, shares

    def _turned(self, x: Floats) -> Floats:
        """Rotate each pair of neighbours by the position, as llama's files have them."""
        n, _, width = x.shape
        speeds = self.base ** (-np.arange(0, width, 2) / width)
        angles = np.arange(n)[:, None, None] * speeds
        even, odd, cos, sin = x[..., ::2], x[..., 1::2], np.cos(angles), np.sin(angles)
        turned = np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1)
        return turned.reshape(x.shape)
