"""The seam between recall and its two scans, the compiled one and numpy's: same results.

Text is folded once and kept in chunks of about a megabyte; a scan notes where their tokens are and
looks for terms among them, without an index and without a Python object for each hit. A question
is prepared once and then put to every chunk, in threads: both scans release the interpreter lock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Counts(NamedTuple):
    """Occurrences of a group's terms in the passages of a chunk, ordered by passage, then group."""

    rows: npt.NDArray[np.integer]
    """Numbers of passages, counted from 0 in each chunk."""
    groups: npt.NDArray[np.integer]
    found: npt.NDArray[np.integer]
    """Occurrences, all above 0."""


class Chunk(Protocol):
    """Folded passages side by side, and where their tokens are."""

    @property
    def size(self) -> int:
        """Passages."""

    @property
    def lengths(self) -> Ints:
        """Terms of each passage, shape (passages,)."""


AChunk = TypeVar("AChunk", bound=Chunk)


class Scan(Protocol[AChunk]):
    """A way to make chunks, and questions to put to them."""

    name: str

    def chunk(self, texts: Sequence[str]) -> AChunk:
        """Fold the texts of passages and find their tokens."""

    def counting(self, terms: Sequence[bytes], groups: Ints) -> Callable[[AChunk], Counts]:
        """Count distinct folded terms, several at once; `groups` has the group of each."""

    def holding(self, phrase: Sequence[bytes]) -> Callable[[AChunk], Flags]:
        """Say which passages hold these words in a row, shape (passages,); there is one word."""

    def beginning(self, prefixes: Sequence[bytes]) -> Callable[[AChunk], set[bytes]]:
        """Find the distinct words that begin with any of the prefixes. No prefix is empty."""


def check_size(size: int) -> None:
    """Raise `OverflowError` when a chunk has too many bytes for offsets of 32 bits."""
    if size >= 1 << 32:
        raise OverflowError(f"A passage of {size} bytes cannot be ranked.")
