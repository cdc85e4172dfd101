"""What every reader of attention does: tokens in, column sums and their characters out.

YOURA needs only the column sums of the attention matrix. The rows arrive in blocks, each is added
up and dropped: what is held is one row of sums for each layer, never c times c numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from models.errors import ContextExceeded
from models.protocols import AttentionColumns, Stopped, TokenCount
from models.runtime import AttentiveWeights


@dataclass
class Sums:
    """Column sums of one layer so far."""

    context: npt.NDArray[np.float64]
    query: npt.NDArray[np.float64]
    seen: int = 0
    """Rows added."""


class ColumnReader(ABC):
    """An `AttentionReader` over a runtime. Logits are never computed."""

    def __init__(self, model: AttentiveWeights, model_id: str, context: int) -> None:
        """Remember the model; a pass allocates what it needs."""
        self._model = model
        self._id = model_id
        self._size = min(context, model.train_context)
        self._usage = TokenCount()
        self._closed = False

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

    @abstractmethod
    def _sums(
        self, tokens: list[int], c: int, layers: Sequence[int], stopped: Stopped | None
    ) -> list[Sums]:
        """Return each layer's sums over heads, of the first `c` columns."""

    def _check_room(self, context: int, query: int) -> None:
        if context + query > self._size:
            raise ContextExceeded(
                f"The context has {context} tokens and the query {query}; "
                f"{self._id} has room for {self._size}.",
                remedy="Lower --max-context.",
            )

    @property
    def closed(self) -> bool:
        """Whether the weights are freed."""
        return self._closed

    def close(self) -> None:
        """Free the weights."""
        self._closed = True
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
