"""What the engine asks of a sparse encoder: words with weights, and texts scored by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from models.protocols import Stopped, TokenCount

if TYPE_CHECKING:  # every command imports this module, and numpy takes a tenth of a second
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Expansion:
    """The terms of a vocabulary that a question is about, its own and others; heaviest first."""

    terms: npt.NDArray[np.int64]
    """Numbers in the model's vocabulary; shape (terms,)."""
    weights: npt.NDArray[np.float32]
    """Above 0; shape (terms,)."""
    words: tuple[str, ...]
    """The terms as written; a part of a word begins with "##"."""


class SparseEncoder(Protocol):
    """Weighs the words of a vocabulary for a text (SPLADE, Formal et al. 2021, equation 1 with the
    maximum of SPLADE v2). Not for use by two threads at once.

    Methods may raise `RuntimeFailed`.
    """

    @property
    def id(self) -> str:
        """Catalogue id."""

    @property
    def usage(self) -> TokenCount:
        """Running totals since loading."""

    @property
    def closed(self) -> bool:
        """Whether the weights are freed."""

    def expand(self, question: str) -> Expansion:
        """Return the terms that a question is about."""

    def scores(
        self, question: Expansion, texts: Sequence[str], *, stopped: Stopped | None = None
    ) -> npt.NDArray[np.float64]:
        """Return the product of each text's weights and the question's, shape (texts,).

        The end of a text that exceeds the model's context does not count. Raises `Cancelled`.
        """

    def close(self) -> None:
        """Free the weights. Further calls are errors."""
