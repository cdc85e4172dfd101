"""Reads attention while llama.cpp prefills: how much each token of a context received.

YOURA needs only the column sums of the attention matrix. The rows arrive in blocks, each is added
up and dropped: what is held is one row of sums for each layer, never c times c numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from models.errors import ContextExceeded, RuntimeFailed
from models.llama import DEFAULT_CONTEXT, physical_cores
from models.llama_api import LlamaContext, LlamaModel, TensorReader, TensorWatcher, self_test
from models.protocols import AttentionColumns, Stopped, TokenCount

BLOCK = 256
"""Rows at a time. A block of one layer takes 256 · heads · context · 4 bytes inside llama.cpp."""
TENSOR = "kq_soft_max-{}"
"""llama.cpp's name for a layer's attention after the softmax."""


def load_llama_attention(
    path: Path, model_id: str, *, context: int = DEFAULT_CONTEXT, gpu_layers: int = -1
) -> LlamaAttentionReader:
    """Load a verified GGUF file to read its attention. Raises `RuntimeFailed`.

    Whether a context uses flash attention, which shows no attention, is settled for good when it
    is made: a reader needs one of its own.
    """
    self_test()
    model = LlamaModel(path, gpu_layers=gpu_layers)
    try:
        return LlamaAttentionReader(model, model_id, context)
    except RuntimeFailed:
        model.close()
        raise


@dataclass
class Sums:
    """Column sums of one layer so far."""

    context: npt.NDArray[np.float64]
    query: npt.NDArray[np.float64]
    seen: int = 0
    """Rows added."""


@dataclass
class Pass:
    """One pass over context and query."""

    context_tokens: int
    sums: dict[str, Sums]
    start: int = 0
    """Position of the first row of the block at work."""
    rows: int = 0
    heads: int = 1
    buffer: npt.NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))

    def visit(self, name: str, tensor: TensorReader) -> bool:
        """Add a block of rows, head by head; False once no chosen layer is left.

        The tensor's numbers are (heads, rows, columns), the columns padded beyond the cells in
        use. The cache was empty, so cell and position are the same.
        """
        columns = tensor.size // (self.heads * self.rows)
        if self.buffer.size != self.rows * columns:
            self.buffer = np.empty(self.rows * columns, np.float32)
        sums, c = self.sums[name], self.context_tokens
        of_context = min(max(c - self.start, 0), self.rows)
        width = min(columns, c)
        for head in range(self.heads):
            tensor.read(head * self.buffer.size, self.buffer)
            rows = self.buffer.reshape(self.rows, columns)[:, :width]
            sums.context[:width] += rows[:of_context].sum(axis=0, dtype=np.float64)
            sums.query[:width] += rows[of_context:].sum(axis=0, dtype=np.float64)
        sums.seen += self.rows
        return any(other.seen < sums.seen for other in self.sums.values())


class LlamaAttentionReader:
    """A GGUF model whose attention is read. Logits are never computed."""

    def __init__(self, model: LlamaModel, model_id: str, context: int) -> None:
        """Remember the model; a pass allocates what it needs. Use `load_llama_attention`."""
        self._model = model
        self._id = model_id
        self._size = min(context, model.train_context)
        self._usage = TokenCount()

    @property
    def id(self) -> str:
        """Catalogue id."""
        return self._id

    @property
    def context(self) -> int:
        """Tokens of context and query together."""
        return self._size

    @property
    def layers(self) -> int:
        """How many layers the model has; they are numbered from 0."""
        return self._model.layers

    @property
    def usage(self) -> TokenCount:
        """Running totals since loading."""
        return self._usage

    def count(self, text: str) -> int:
        """Return the number of tokens in `text`, without special tokens."""
        return len(self._model.tokenize(text, special=False))

    def read(
        self, context: str, query: str, *, layers: Sequence[int], stopped: Stopped | None = None
    ) -> AttentionColumns:
        """Run one pass over context and query and return what the context's columns received.

        Markers of templates in either are only text. Layers beyond the last chosen one are not
        computed. Raises `ContextExceeded`, `RuntimeFailed` and `Cancelled`.
        """
        chosen = tuple(dict.fromkeys(layers))
        if not chosen or not all(0 <= layer < self.layers for layer in chosen):
            raise ValueError(f"layers are 0 to {self.layers - 1}, not {list(layers)}")
        tokens = [*self._first(), *self._model.tokenize(context, special=False)]
        asked = self._model.tokenize(query, special=False)
        if not tokens or not asked:
            raise ValueError("context and query must not be empty")
        self._check_room(len(tokens), len(asked))
        sums = self._sums([*tokens, *asked], len(tokens), chosen, stopped)
        return AttentionColumns(
            layers=chosen,
            context_sums=np.stack([one.context for one in sums]) / self._model.heads,
            query_sums=np.stack([one.query for one in sums]) / self._model.heads,
            query_tokens=len(asked),
            spans=spans([self._model.piece(token) for token in tokens], context),
        )

    def _first(self) -> list[int]:
        """Return the token that the model expects before any text, if there is one."""
        return self._model.tokenize("", special=True)

    def _sums(
        self, tokens: list[int], c: int, layers: Sequence[int], stopped: Stopped | None
    ) -> list[Sums]:
        names = [TENSOR.format(layer) for layer in layers]
        work = Pass(c, {name: Sums(np.zeros(c), np.zeros(c)) for name in names})
        work.heads = self._model.heads
        context = LlamaContext(
            self._model,
            context=len(tokens),
            sequences=1,
            threads=physical_cores(),
            chunk=min(BLOCK, len(tokens)),
            watcher=TensorWatcher(work.visit, names),
        )
        try:
            for start in range(0, len(tokens), BLOCK):
                block = tokens[start : start + BLOCK]
                work.start, work.rows = start, len(block)
                rows = [(t, p, 0, False) for p, t in enumerate(block, start=start)]
                context.decode(rows, stopped)
        finally:
            context.close()
        self._usage.prompt += len(tokens)
        self._usage.computed += len(tokens)
        if any(sums.seen != len(tokens) for sums in work.sums.values()):
            raise RuntimeFailed(
                f"llama.cpp does not show the attention of {self._id}.",
                remedy="Choose another model or another strategy.",
            )
        return list(work.sums.values())

    def _check_room(self, context: int, query: int) -> None:
        if context + query > self._size:
            raise ContextExceeded(
                f"The context has {context} tokens and the query {query}; "
                f"{self._id} has room for {self._size}.",
                remedy="Lower --max-context.",
            )

    def close(self) -> None:
        """Free the weights."""
        self._model.close()


def spans(pieces: Sequence[bytes], text: str) -> npt.NDArray[np.int64]:
    """Return begin and end of each token in the characters of the text; shape (tokens, 2).

    Tokens are counted in bytes; one that holds part of a character spans all of it. A tokenizer
    that puts a blank before the text is followed.
    """
    ends = np.cumsum([len(piece) for piece in pieces])
    extra = int(ends[-1]) - len(text.encode("utf-8", "replace"))
    lengths = [len(char.encode("utf-8", "replace")) for char in text]
    of_byte = np.repeat(np.arange(len(text)), lengths)
    begins = np.clip(ends - [len(piece) for piece in pieces] - extra, 0, len(of_byte))
    ends = np.clip(ends - extra, 0, len(of_byte))
    padded = np.append(of_byte, len(text))
    last = np.where(ends > begins, padded[np.maximum(ends - 1, 0)] + 1, padded[begins])
    return np.stack([padded[begins], last], axis=1).astype(np.int64)
