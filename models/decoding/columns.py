"""What every reader of attention does: from tokens to column sums and their characters.

YOURA needs only the column sums of the attention matrix. The rows arrive in blocks. Each block is
added up and dropped, so memory holds one row of sums for each layer, never c times c numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from models.decoding.runtime import AttentiveWeights, Batches
from models.errors import ContextExceeded, RuntimeFailed
from models.protocols import AttentionColumns, Stopped, TokenCount
from models.stopping import stopped_by


@dataclass
class Sums:
    """Column sums of one layer so far, over heads."""

    context: npt.NDArray[np.float64]
    query: npt.NDArray[np.float64]
    seen: int = 0
    """Rows added."""


class ColumnWatch:
    """Adds up columns of attention while the batches of one sequence are computed.

    The cache was empty before, so a token's cell is its position.
    """

    def __init__(self) -> None:
        """Begin without watching."""
        self.sums: dict[int, Sums] = {}
        """By layer."""
        self._context_tokens = 0
        self._start = self._rows = 0

    def begin(self, layers: Sequence[int], context_tokens: int) -> None:
        """Watch these layers; the first tokens are the context's, all others the query's."""
        self.sums = {
            layer: Sums(np.zeros(context_tokens), np.zeros(context_tokens)) for layer in layers
        }
        self._context_tokens = context_tokens

    def expect(self, start: int, rows: int) -> None:
        """Say which positions the next batch computes."""
        self._start, self._rows = start, rows

    @property
    def context_rows(self) -> int:
        """How many of the batch's rows, the first ones, are the context's."""
        return min(max(self._context_tokens - self._start, 0), self._rows)

    def end(self) -> list[Sums]:
        """Return each layer's sums and watch no more."""
        found, self.sums = list(self.sums.values()), {}
        return found


@dataclass
class ColumnRequest:
    """A prompt whose attention is read while it is computed."""

    watch: ColumnWatch
    layers: tuple[int, ...]
    heads: int
    prompt_tokens: int
    spans: npt.NDArray[np.int64]
    """Of the context's tokens."""

    def begin(self) -> None:
        """Begin to watch."""
        self.watch.begin(self.layers, len(self.spans))

    def end(self) -> AttentionColumns | None:
        """Return what the context's columns received; None where the runtime did not show it."""
        sums = self.watch.end()
        if any(one.seen != self.prompt_tokens for one in sums):
            return None
        query_tokens = self.prompt_tokens - len(self.spans)
        return averaged(sums, self.layers, self.heads, query_tokens, self.spans)


def averaged(
    sums: Sequence[Sums],
    layers: tuple[int, ...],
    heads: int,
    query_tokens: int,
    places: npt.NDArray[np.int64],
) -> AttentionColumns:
    """Return sums over heads as the mean over heads."""
    return AttentionColumns(
        layers=layers,
        context_sums=np.stack([one.context for one in sums]) / heads,
        query_sums=np.stack([one.query for one in sums]) / heads,
        query_tokens=query_tokens,
        spans=places,
    )


def refuse_unreadable(model: AttentiveWeights, model_id: str) -> None:
    """Raise `RuntimeFailed` where a layer does not attend to the whole text."""
    if not model.cuts or model.window:
        layers = "attend to the last tokens only" if model.cuts else "are recurrent"
        raise RuntimeFailed(
            f"Layers of {model_id} {layers}, so its attention over a text cannot be read.",
            remedy="Choose another model or another strategy.",
        )


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

        Template markers in either are read as plain text. Layers beyond the last chosen one are not
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
        sums = self._sums([*tokens, *asked], len(tokens), chosen, stopped_by(stopped))
        places = spans([self._model.piece(token) for token in tokens], context)
        return averaged(sums, chosen, self._model.heads, len(asked), places)

    def _first(self) -> list[int]:
        """Return the token that the model expects before any text, if there is one."""
        return self._model.tokenize("", special=True)

    @abstractmethod
    def _open(self, size: int) -> tuple[Batches, ColumnWatch]:
        """Return an empty cache for so many tokens, and what watches it."""

    def _sums(
        self, tokens: list[int], c: int, layers: Sequence[int], stopped: Stopped | None
    ) -> list[Sums]:
        """Return each layer's sums over heads, of the first `c` columns."""
        context, watch = self._open(len(tokens))
        watch.begin(layers, c)
        try:
            for start in range(0, len(tokens), context.chunk):
                block = tokens[start : start + context.chunk]
                watch.expect(start, len(block))
                context.decode([(t, p, 0, False) for p, t in enumerate(block, start)], stopped)
        finally:
            context.close()
        self._usage.prompt += len(tokens)
        self._usage.calls += 1
        self._usage.computed += len(tokens)
        sums = watch.end()
        if any(one.seen != len(tokens) for one in sums):
            raise RuntimeFailed(
                f"The runtime does not show the attention of {self._id}.",
                remedy="Choose another model or another strategy.",
            )
        return sums

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
    """Return where each token begins and ends in the text, in characters; shape (tokens, 2).

    A token that holds part of a character spans all of it. The blank that some tokenizers put
    before the text is left out.
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


def prompt_spans(
    pieces: Sequence[bytes], prompt: str, marks: Sequence[str]
) -> npt.NDArray[np.int64] | None:
    """Return `spans` of a prompt whose control tokens, which have no bytes, are written in it.

    `marks` are the written forms, longest first. None where tokens and prompt do not agree.
    """
    data = prompt.encode("utf-8", "replace")
    written = [mark.encode() for mark in marks]
    blank = 1 if data[:1] != b" " and next(filter(None, pieces), b"")[:1] == b" " else 0
    full: list[bytes] = []
    at = -blank
    for piece in pieces:
        if not piece:
            piece = next((mark for mark in written if data.startswith(mark, max(at, 0))), b"")
        full.append(piece)
        at += len(piece)
    agree = b"".join(full)[blank:] == data
    return spans(full, prompt) if agree else None
