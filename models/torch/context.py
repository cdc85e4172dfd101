"""Batches of rows through a transformers model, over cells that sequences share."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from models.decoding.runtime import Rows
from models.decoding.sampler import Draws, Top
from models.errors import RuntimeFailed
from models.protocols import Sampling, Stopped
from models.torch.attention_function import AttentionWatch, Enough
from models.torch.cells import CellTable, KeyValues
from models.torch.errors import computing_errors
from models.torch.model import TorchModel

Ints = npt.NDArray[np.int64]


class TorchContext:
    """A key-value cache over a model, and the batch that feeds it."""

    def __init__(
        self,
        model: TorchModel,
        *,
        context: int,
        sequences: int,
        chunk: int,
        watch: AttentionWatch | None = None,
    ) -> None:
        """Make cells for `context` tokens shared by `sequences` sequences.

        With `watch`, attention is added up. Memory is taken layer by layer in the first batch.
        """
        self.chunk = chunk
        self._model = model
        self._watch = watch
        self._table = CellTable(context, sequences)
        self._cells: KeyValues | None = KeyValues(self._table.size)
        self._logits = torch.empty(0)
        self._index: dict[int, int] = {}
        """The place of a batch row's logits among all."""
        self._host: dict[int, npt.NDArray[np.float32]] = {}
        """Whole rows that were asked for; a caller may have changed them."""
        self._ranked: tuple[int, Ints, npt.NDArray[np.float64]] | None = None

    def decode(
        self,
        rows: Rows,
        stopped: Stopped | None = None,
        *,
        adapted: bool = False,  # no model of this runtime has an adapter
    ) -> None:
        """Run one batch of at most `chunk` rows.

        `stopped()` is asked before every layer. What was computed until then is in the
        cache, and the caller has to cut it. Raises `Cancelled`, `MemorySpent` and `RuntimeFailed`.
        """
        if self._cells is None:
            raise RuntimeFailed("The model was unloaded while it was at work.", remedy="Ask again.")
        self._index, self._host, self._ranked = {}, {}, None
        wanted = [row for row, (*_, asked) in enumerate(rows) if asked]
        with computing_errors(), torch.inference_mode(), contextlib.suppress(Enough):
            said = self._run(self._cells, rows, wanted, stopped)
            if wanted:
                self._logits = said.logits[0].float()
                self._index = {row: i for i, row in enumerate(wanted)}

    def _run(self, cells: KeyValues, rows: Rows, wanted: list[int], stopped: Stopped | None) -> Any:
        tokens, positions, sequences, _ = (
            np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)
        )
        cells.slots = self._tensor(self._table.place(positions, sequences))
        cells.stopped = stopped
        inputs: dict[str, Any] = {
            "input_ids": self._tensor(tokens)[None],
            "position_ids": self._tensor(positions)[None],
            "attention_mask": self._masks(cells, positions, sequences),
            "past_key_values": cells,
            "use_cache": True,
        }
        if self._watch is not None and self._watch.layers:
            inputs["watch"] = self._watch
        if not wanted:
            return self._model.network.base_model(**inputs)
        return self._model.network(**inputs, logits_to_keep=self._tensor(np.array(wanted)))

    def _tensor(self, values: Ints) -> torch.Tensor:
        return torch.from_numpy(values).to(self._model.device)

    def _masks(
        self, cells: KeyValues, positions: Ints, sequences: Ints
    ) -> torch.Tensor | dict[str, torch.Tensor]:
        """Return the additive mask, shape (1, 1, rows, cells seen), or one for each kind of layer.

        transformers passes masks of four dimensions through as they are.
        """
        made = {}
        for kind, window in self._model.windows.items():
            cells.seen, seen = self._table.seen(positions, sequences, window)
            hidden = torch.from_numpy(~seen).to(self._model.device)
            mask = torch.zeros(hidden.shape, dtype=self._model.type, device=self._model.device)
            made[kind] = mask.masked_fill_(hidden, -torch.inf)[None, None]
        return made if len(made) > 1 else next(iter(made.values()))

    def logits(self, row: int) -> npt.NDArray[np.float32]:
        """Return the logits of a batch row that wanted them, shape (vocabulary,).

        What is written there is what a sampler sees; the next batch overwrites them.
        """
        if row not in self._host:
            self._host[row] = np.array(self._logits[self._index[row]].cpu().numpy())
        return self._host[row]

    def top(self, row: int, k: int) -> Top:
        """Return the `k` likeliest tokens of a row, likeliest first, and their logits; 0: all.

        All rows are ranked at once, where they lie.
        """
        k = min(k or self._model.vocab_size, self._model.vocab_size)
        if row in self._host:
            return _ranked(self._host[row], k)
        if self._ranked is None or self._ranked[0] != k:
            logits, tokens = torch.topk(self._logits, k)
            self._ranked = (k, tokens.cpu().numpy(), logits.double().cpu().numpy())
        i = self._index[row]
        return self._ranked[1][i], self._ranked[2][i]

    def sampler(self, sampling: Sampling, seed: int) -> Draws:
        """Return what draws the tokens of one sequence."""
        return Draws(self, sampling, seed)

    def copy_sequence(self, source: int, target: int, start: int = 0, end: int = -1) -> None:
        """Let `target` share the cells of `source` at these positions; nothing is computed."""
        self._table.copy(source, target, start, end)

    def cut_sequence(self, sequence: int, start: int = 0) -> None:
        """Forget the sequence from position `start` on."""
        self._table.cut(sequence, start)

    def clear(self) -> None:
        """Forget every sequence."""
        self._table.clear()

    def close(self) -> None:
        """Free the cache."""
        self._cells = None
        self._logits = torch.empty(0)


def _ranked(logits: npt.NDArray[np.float32], k: int) -> Top:
    """Return the `k` largest, largest first."""
    tokens = np.argpartition(logits, len(logits) - k)[len(logits) - k :]
    tokens = tokens[np.argsort(-logits[tokens], kind="stable")]
    return tokens.astype(np.int64), logits[tokens].astype(np.float64)
