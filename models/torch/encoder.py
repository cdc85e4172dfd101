"""A bidirectional encoder over transformers: BERT and its kin."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from transformers import AutoModel

from models.decoding.encoder import BatchEncoder, EncoderInput, EncoderShape
from models.errors import RuntimeFailed
from models.pool import Pooling, pooling_of
from models.protocols import Stopped
from models.torch.errors import computing_errors, loading_errors
from models.torch.fit import refuse_too_large
from models.torch.model import (
    Precision,
    best_device,
    best_type,
    model_folder,
    open_network,
    open_tokenizer,
    quiet,
)

BATCH_TOKENS = {"cpu": 1024, "cuda": 65_536}
"""Tokens of a batch, padding included. Larger ones exceed a CPU's caches: MiniLM took twice as long
with 16,384."""


class TorchEncoder(BatchEncoder):
    """A folder with safetensors, a configuration and a tokenizer."""

    def __init__(self, path: Path, model_id: str, *, precision: Precision | None = None) -> None:
        """Load it. Use `models.torch.loaders.load_encoder`.

        Raises `RuntimeFailed` and `MemorySpent`.
        """
        self._device = best_device()
        with quiet(), loading_errors(model_id, path):
            number = best_type(self._device, precision)
            refuse_too_large(path, model_id, number, self._device)
            network = open_network(AutoModel, path, dtype=number)
            self._network = network.to(self._device)
            tokenizer = open_tokenizer(path)
            pooling = pooling_of(model_folder(path))
        self._segmented = "token_type_ids" in inspect.signature(network.forward).parameters
        self._backend = tokenizer.backend_tokenizer
        self._backend.no_truncation()
        self._backend.no_padding()
        self._backend.encode_special_tokens = True
        size, width = _length(network.config, tokenizer), int(network.config.hidden_size)
        super().__init__(model_id, EncoderShape(size, width, *_frame(tokenizer), pooling))

    @property
    def closed(self) -> bool:
        """Whether the weights are freed."""
        return self._network is None

    def close(self) -> None:
        """Free the weights."""
        self._network = None

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        whole = [text.encode("utf-8", "replace").decode() for text in texts]
        return [one.ids for one in self._backend.encode_batch(whole, add_special_tokens=False)]

    def _batches(self, lengths: Sequence[int]) -> Iterator[list[int]]:
        return _batches(lengths, BATCH_TOKENS[self._device.type])

    def _run(
        self, inputs: Sequence[EncoderInput], pooling: Pooling, stopped: Stopped | None
    ) -> npt.NDArray[np.float32]:
        with computing_errors(), torch.inference_mode():
            return self._pooled(inputs, pooling)

    def _pooled(self, inputs: Sequence[EncoderInput], pooling: Pooling) -> npt.NDArray[np.float32]:
        width = max(len(one.tokens) for one in inputs)
        shape = (len(inputs), width)
        tokens, present = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        pooled, second = np.zeros(shape, bool), np.zeros(shape, np.int64)
        for row, one in enumerate(inputs):
            size = len(one.tokens)
            tokens[row, :size], present[row, :size], pooled[row, :size] = one.tokens, 1, True
            pooled[row, one.left_out.start : one.left_out.stop] = False
            second[row, one.second : size] = 1
        options = {"token_type_ids": self._tensor(second)} if self._segmented else {}
        said = self._network(
            input_ids=self._tensor(tokens), attention_mask=self._tensor(present), **options
        )
        states = said.last_hidden_state.float()
        taken = POOLS[pooling](states, self._tensor(pooled)[..., None])
        vectors: npt.NDArray[np.float32] = torch.nn.functional.normalize(taken).cpu().numpy()
        return vectors

    def _tensor(self, values: Any) -> torch.Tensor:
        return torch.from_numpy(values).to(self._device)


def _batches(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Yield the numbers of the texts in batches of similar length, longest first.

    So a batch that does not fit into memory fails first.
    """
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if batch and (len(batch) + 1) * lengths[batch[0]] > most:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def _mean(states: torch.Tensor, pooled: torch.Tensor) -> torch.Tensor:
    return (states * pooled).sum(dim=1) / pooled.sum(dim=1)


def _largest(states: torch.Tensor, pooled: torch.Tensor) -> torch.Tensor:
    return states.masked_fill(~pooled, -torch.inf).amax(dim=1)


def _first_state(states: torch.Tensor, pooled: torch.Tensor) -> torch.Tensor:
    return states[:, 0]


POOLS: dict[Pooling, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "mean": _mean,
    "max": _largest,
    "cls": _first_state,
}
"""From hidden states, shape (texts, tokens, d), and what is pooled, (texts, tokens, 1)."""


def _frame(tokenizer: Any) -> tuple[int, int]:
    """Return the tokens before and behind a text."""
    first, last = tokenizer.cls_token_id, tokenizer.sep_token_id
    first = tokenizer.bos_token_id if first is None else first
    last = tokenizer.eos_token_id if last is None else last
    if first is None or last is None:
        raise RuntimeFailed(
            "The encoder's tokenizer has no tokens for begin and end.",
            remedy="Choose another encoder.",
        )
    return int(first), int(last)


def _length(config: Any, tokenizer: Any) -> int:
    """Return how many tokens the model takes. RoBERTa counts positions behind its padding's."""
    positions = int(config.max_position_embeddings)
    if "roberta" in config.model_type:
        positions -= int(config.pad_token_id) + 1
    return min(positions, int(tokenizer.model_max_length))
