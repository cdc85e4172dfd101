"""What decoding in batches needs of a runtime; llama.cpp and transformers both provide it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from models.decoding.chat_templates import Templated
from models.protocols import Sampling, Stopped

Rows = Sequence[tuple[int, int, int, bool]]
"""(token, position, sequence, wants logits), one for each row of a batch."""


class TokenGrammar(Protocol):
    """A grammar and how far a reply has come in it."""

    def allows(self, token: int) -> bool:
        """Say whether the reply may go on with this token."""

    def mask(self, logits: npt.NDArray[np.float32]) -> None:
        """Put minus infinity, in place, where the grammar forbids the token."""

    def accept(self, token: int) -> None:
        """Go on with an allowed token."""

    def close(self) -> None:
        """Free it."""


class Sampler(Protocol):
    """Draws the tokens of one sequence."""

    def draw(self, row: int) -> int:
        """Draw a token from the logits of a batch row."""

    def close(self) -> None:
        """Free it."""


class Weights(Templated, Protocol):
    """A loaded model and its vocabulary."""

    train_context: int
    cuts: bool
    """Whether a cached sequence can be cut back; a recurrent state cannot."""
    has_adapter: bool
    """Whether an adapter is loaded that batches can put to work."""

    @property
    def pieces(self) -> list[bytes]:
        """The bytes of every token."""

    @property
    def ends(self) -> list[int]:
        """The tokens that end a reply."""

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """Return token ids; with `special`, template markers become their control tokens."""

    def piece(self, token: int) -> bytes:
        """Return the bytes of one token; control tokens give none, but for thought marks."""

    def is_end(self, token: int) -> bool:
        """Say whether the token ends a reply."""

    def grammar(self, gbnf: str) -> TokenGrammar:
        """Parse a grammar in llama.cpp's notation. Raises `ValueError`."""

    def close(self) -> None:
        """Free the weights."""


class AttentiveWeights(Weights, Protocol):
    """A model whose attention can be read."""

    layers: int
    heads: int
    window: int
    """Tokens back that the most short-sighted layers attend to; 0: all."""


class Batches(Protocol):
    """A key-value cache over a model, and the batch that feeds it."""

    chunk: int
    """Rows that a batch may have."""

    def decode(self, rows: Rows, stopped: Stopped | None = None, *, adapted: bool = False) -> None:
        """Run one batch, with the model's adapter or without.

        Raises `Cancelled`, `MemorySpent` and `RuntimeFailed`.
        """

    def logits(self, row: int) -> npt.NDArray[np.float32]:
        """Return the logits of a row that wanted them, shape (vocabulary,).

        What is written there is what a sampler sees; the next batch overwrites them.
        """

    def sampler(self, sampling: Sampling, seed: int) -> Sampler:
        """Return what draws the tokens of one sequence from this batch's logits."""

    def copy_sequence(self, source: int, target: int, start: int = 0, end: int = -1) -> None:
        """Let `target` share what is kept of `source` at these positions."""

    def cut_sequence(self, sequence: int, start: int = 0) -> None:
        """Forget the sequence from position `start` on."""

    def clear(self) -> None:
        """Forget every sequence."""

    def close(self) -> None:
        """Free the cache."""
