"""What the engine asks of an encoder: vectors for texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from models.protocols import Stopped, TokenCount

if TYPE_CHECKING:  # every command imports this module, and numpy takes a tenth of a second
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Encoded:
    """What an encoder makes of texts, in their order."""

    vectors: npt.NDArray[np.float32]
    """Unit vectors, so that a product is a cosine; shape (texts, dimensions)."""
    cut: npt.NDArray[np.int64]
    """Tokens cut off the end of each text because it exceeds the encoder's context."""


class Encoder(Protocol):
    """A bidirectional encoder. Not for use by two threads at once.

    Control tokens that are spelt out in a text are read as plain text. Methods may raise
    `RuntimeFailed`.
    """

    @property
    def id(self) -> str:
        """Catalogue id."""

    @property
    def context(self) -> int:
        """Tokens of one text, control tokens included."""

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""

    @property
    def usage(self) -> TokenCount:
        """Running totals since loading."""

    @property
    def closed(self) -> bool:
        """Whether the weights are freed."""

    def count(self, text: str) -> int:
        """Return the number of tokens in `text`, without control tokens."""

    def encode(self, texts: Sequence[str], *, stopped: Stopped | None = None) -> Encoded:
        """Return a vector for each text, by the pooling that the model was trained for.

        Raises `Cancelled`.
        """

    def encode_conditioned(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        separated: bool = False,
        stopped: Stopped | None = None,
    ) -> Encoded:
        """Return a vector for each (prefix, text) pair: the text as read after the prefix.

        The two are one sequence. The last hidden states are averaged over all tokens but the
        prefix's; the end token counts (TTRAG section 3.1 and A.6). An empty prefix gives the plain
        average. `separated` puts the model's separator between the two, outside the average.
        Raises `Cancelled`, and `ContextExceeded` instead of cutting a prefix.
        """

    def close(self) -> None:
        """Free the weights. Further calls are errors."""
