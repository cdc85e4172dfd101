"""A bidirectional encoder over transformers: BERT and its kin."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoModel

from models.encoder import Encoded
from models.errors import ContextExceeded, RuntimeFailed
from models.pool import Pooling, pooling_of
from models.protocols import Cancelled, Stopped, TokenCount
from models.stopping import stopped_by
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


@dataclass(frozen=True, slots=True)
class Input:
    """One text as the model takes it."""

    tokens: list[int]
    left_out: range
    """Positions left out of the average: the prefix and its separator."""
    second: int
    """Where the second segment begins; beyond the end where there is none."""
    cut: int


class TorchEncoder:
    """A folder with safetensors, a configuration and a tokenizer."""

    def __init__(self, path: Path, model_id: str, *, precision: Precision | None = None) -> None:
        """Load it. Use `models.torch.loaders.load_encoder`.

        Raises `RuntimeFailed` and `MemorySpent`.
        """
        self._id = model_id
        self._device = best_device()
        with quiet(), loading_errors(model_id, path):
            number = best_type(self._device, precision)
            refuse_too_large(path, model_id, number, self._device)
            network = open_network(AutoModel, path, dtype=number)
            self._network = network.to(self._device)
            tokenizer = open_tokenizer(path)
            self._pooling = pooling_of(model_folder(path))
        self._segmented = "token_type_ids" in inspect.signature(network.forward).parameters
        self._backend = tokenizer.backend_tokenizer
        self._backend.no_truncation()
        self._backend.no_padding()
        self._backend.encode_special_tokens = True
        self._first, self._last = _frame(tokenizer)
        self._size = _length(network.config, tokenizer)
        self._dimensions = int(network.config.hidden_size)
        self._usage = TokenCount()

    @property
    def id(self) -> str:
        """Catalogue id."""
        return self._id

    @property
    def context(self) -> int:
        """Tokens of one text, control tokens included."""
        return self._size

    @property
    def dimensions(self) -> int:
        """Numbers of a vector."""
        return self._dimensions

    @property
    def closed(self) -> bool:
        """Whether the weights are freed."""
        return self._network is None

    @property
    def usage(self) -> TokenCount:
        """Running totals since loading."""
        return self._usage

    def count(self, text: str) -> int:
        """Return the number of tokens in `text`, without control tokens."""
        return len(self._tokens([text])[0])

    def encode(self, texts: Sequence[str], *, stopped: Stopped | None = None) -> Encoded:
        """Return a vector for each text, by the pooling that the model was trained for."""
        inputs = [self._input([], tokens, separated=False) for tokens in self._tokens(texts)]
        return self._encoded(inputs, self._pooling, stopped)

    def encode_conditioned(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        separated: bool = False,
        stopped: Stopped | None = None,
    ) -> Encoded:
        """Return a vector for each (prefix, text), averaged over all tokens but the prefix's."""
        prefixes = self._tokens([prefix for prefix, _ in pairs])
        # With a space, where the tokenizer keeps spaces, since both are one text.
        texts = self._tokens([f" {text}" if prefix else text for prefix, text in pairs])
        inputs = [
            self._input(prefix, tokens, separated=separated and bool(prefix))
            for prefix, tokens in zip(prefixes, texts, strict=True)
        ]
        return self._encoded(inputs, "mean", stopped)

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        whole = [text.encode("utf-8", "replace").decode() for text in texts]
        return [one.ids for one in self._backend.encode_batch(whole, add_special_tokens=False)]

    def _input(self, prefix: list[int], tokens: list[int], *, separated: bool) -> Input:
        head = [self._first, *prefix, *([self._last] if separated else [])]
        room = self._size - len(head) - 1
        if room < min(len(tokens), 1):
            raise ContextExceeded(
                f"The prefix has {len(prefix)} tokens; with a text behind it {self._id} has room "
                f"for {self._size}.",
                remedy="Ask a shorter question.",
            )
        kept = tokens[:room]
        return Input(
            [*head, *kept, self._last],
            range(1, len(head)),
            len(head) if separated else self._size,
            len(tokens) - len(kept),
        )

    def _encoded(
        self, inputs: Sequence[Input], pooling: Pooling, stopped: Stopped | None
    ) -> Encoded:
        if self._network is None:
            raise RuntimeFailed(f"{self._id} is not loaded any more.", remedy="Ask again.")
        vectors = np.empty((len(inputs), self._dimensions), dtype=np.float32)
        stopped = stopped_by(stopped)
        for batch in _batches([len(one.tokens) for one in inputs], BATCH_TOKENS[self._device.type]):
            if stopped is not None and stopped():
                raise Cancelled
            with computing_errors(), torch.inference_mode():
                vectors[batch] = self._run([inputs[i] for i in batch], pooling)
        return Encoded(vectors, np.array([one.cut for one in inputs], dtype=np.int64))

    def _run(self, inputs: Sequence[Input], pooling: Pooling) -> Any:
        """Return the vectors of one batch."""
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
        self._usage.prompt += int(present.sum())
        self._usage.computed += int(present.sum())
        states = said.last_hidden_state.float()
        taken = POOLS[pooling](states, self._tensor(pooled)[..., None])
        return torch.nn.functional.normalize(taken).cpu().numpy()

    def _tensor(self, values: Any) -> torch.Tensor:
        return torch.from_numpy(values).to(self._device)

    def close(self) -> None:
        """Free the weights."""
        self._network = None


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
