"""The attention function of the transformers runtime: fused, or explicit where it is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface

from models.errors import RuntimeFailed

ATTENTION = "askance"
"""The name under which transformers knows it."""
FEW_ROWS = 32
"""Up to so many rows, heads that share keys are folded into rows, so that keys are read once."""


class Enough(Exception):
    """The last layer to be read is computed; the rest is not wanted."""


@dataclass
class AttentionWatch:
    """The layers whose attention is read, and what their columns received from the batch."""

    layers: Sequence[int] = ()
    stops: bool = True
    """Whether computing stops after the last of them."""
    context_rows: int = 0
    """How many of the batch's first rows belong to the context."""
    sums: dict[int, tuple[torch.Tensor, torch.Tensor]] = field(default_factory=dict)
    """Each layer's sums over heads: from the context's rows, from the others; shape (cells,)."""

    def add(self, layer: int, weights: torch.Tensor) -> None:
        """Add one head group's attention, shape (heads, rows, cells)."""
        parts = (weights[:, : self.context_rows], weights[:, self.context_rows :])
        sums = [part.sum(dim=(0, 1), dtype=torch.float64) for part in parts]
        if layer in self.sums:
            sums = [one + other for one, other in zip(self.sums[layer], sums, strict=True)]
        self.sums[layer] = (sums[0], sums[1])


def attend(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor,
    *,
    scaling: float | None = None,
    softcap: float | None = None,
    s_aux: torch.Tensor | None = None,
    watch: AttentionWatch | None = None,
    **_others: Any,
) -> tuple[torch.Tensor, None]:
    """Return what the rows take in, shape (1, rows, heads, width).

    `query` has the shape (1, heads, rows, width), `key` and `value` (1, kept heads, cells, width),
    the additive mask (1, 1, rows, cells). Raises `Enough` after the last layer watched, where
    the watch stops there.
    """
    if s_aux is not None:
        raise RuntimeFailed(
            "The model's attention has sinks of its own, which this runtime does not compute.",
            remedy="Choose another model, or its GGUF file.",
        )
    layer = int(module.layer_idx)  # type: ignore[arg-type]  # every attention module has one
    _, heads, rows, width = query.shape
    kept = key.shape[1]
    grouped = query[0].reshape(kept, heads // kept, rows, width)
    scale = width**-0.5 if scaling is None else scaling
    reading = watch if watch is not None and layer in watch.layers else None
    if softcap is None and reading is None:
        taken = _fused(grouped, key, value, attention_mask, scale)
    else:
        read = partial(reading.add, layer) if reading else None
        taken = _explicit(grouped, key[0], value[0], attention_mask[0, 0], scale, softcap, read)
    if reading is not None and reading.stops and layer == max(reading.layers):
        raise Enough
    return taken.reshape(heads, rows, -1).transpose(0, 1)[None].contiguous(), None


def _fused(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor, scale: float
) -> torch.Tensor:
    kept, group, rows, width = query.shape
    if rows <= FEW_ROWS:
        taken = scaled_dot_product_attention(
            query.reshape(1, kept, group * rows, width),
            key,
            value,
            attn_mask=mask.repeat(1, 1, group, 1),
            scale=scale,
        )
        return taken.reshape(kept, group, rows, -1)
    keys, values = (one.transpose(0, 1).expand(-1, group, -1, -1) for one in (key, value))
    return scaled_dot_product_attention(query, keys, values, attn_mask=mask, scale=scale)


def _explicit(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor,
    scale: float,
    softcap: float | None,
    read: Callable[[torch.Tensor], None] | None,
) -> torch.Tensor:
    """Compute in float32, a group of heads at a time: a block is never wider than that."""
    taken = []
    for heads, keys, values in zip(query, key, value, strict=True):
        scores = (heads.float() @ keys.float().T) * scale
        if softcap is not None:
            scores = softcap * torch.tanh(scores / softcap)
        weights = torch.softmax(scores + mask.float(), dim=-1)
        if read is not None:
            read(weights)
        taken.append(weights.to(values.dtype) @ values)
    return torch.stack(taken)


AttentionInterface.register(ATTENTION, attend)
