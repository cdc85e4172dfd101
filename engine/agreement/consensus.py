"""Which of several readings of the evidence the others agree with (ET2RAG, stage two)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt

from engine.checking import abstention
from engine.checking.contradiction import ALIKE
from engine.checking.draft_sentences import MARKER
from engine.language.overlap import rouge_l, token_f1
from engine.values import Agreement
from models.encoder import Encoder

Matrix = npt.NDArray[np.float64]
Similarity = Literal["token_f1", "rouge_l", "embedding"]
OVERLAPS: dict[Similarity, Callable[[str, str], float]] = {
    "token_f1": token_f1,
    "rouge_l": rouge_l,
}
Same = Callable[[str, str, float], bool]
"""Says whether two texts of a given similarity are votes for the same answer."""


@dataclass(frozen=True, slots=True)
class Consensus:
    """The vote over V readings."""

    matrix: Matrix
    """M, the similarity of reading i and reading j, 0 to 1; shape (V, V), 1 on the diagonal."""
    agreement: npt.NDArray[np.float64]
    """A, the row sums of M; shape (V,)."""
    winner: int
    """The reading with the highest agreement, the first of equals."""
    alike: npt.NDArray[np.bool_]
    """Which readings are votes for the same answer; shape (V, V)."""

    @property
    def voters(self) -> tuple[int, ...]:
        """The readings that say what the winner says, itself included."""
        return self._like(self.winner)

    @property
    def votes(self) -> Agreement:
        """How many they are."""
        return self.votes_for(self.winner)

    def votes_for(self, reading: int) -> Agreement:
        """Return how many readings say what this one says, itself included."""
        return Agreement(len(self._like(reading)), len(self.agreement))

    def amended(self, readings: Sequence[int], among: Consensus) -> Consensus:
        """Return the vote in which `among`, a vote over these readings, says which agree."""
        alike = self.alike.copy()
        alike[np.ix_(readings, readings)] = among.alike
        return replace(self, alike=alike)

    @property
    def dissenters(self) -> tuple[int, ...]:
        """One reading for each other answer, the one most agreed with first."""
        left = [i for i in self._by_agreement() if i not in self.voters]
        found: list[int] = []
        while left:
            found.append(left[0])
            left = [i for i in left if i not in self._like(found[-1])]
        return tuple(found)

    def _by_agreement(self) -> list[int]:
        return [int(i) for i in np.argsort(-self.agreement, kind="stable")]

    def _like(self, reading: int) -> tuple[int, ...]:
        return tuple(int(i) for i in np.flatnonzero(self.alike[reading]))


def as_alike(one: str, other: str, likeness: float) -> bool:
    """Say that texts are votes for the same answer by their similarity alone."""
    return likeness >= ALIKE


def consensus(
    readings: Sequence[str],
    compare: Callable[[Sequence[str]], Matrix],
    same: Same = as_alike,
) -> Consensus:
    """Vote. Markers do not count, and all ways of saying that there is no answer are one.

    `compare` returns the similarity of each two texts, shape (V, V); M and the winner are by it
    alone. Raises `ValueError` without a reading.
    """
    if not readings:
        raise ValueError("there is no reading to vote on")
    plain = ["" if abstention.denies(text) else _unmarked(text) for text in readings]
    matrix = compare(plain)
    silent = np.array([not text for text in plain])
    matrix[silent[:, None] != silent[None, :]] = 0.0
    matrix[silent[:, None] & silent[None, :]] = 1.0
    agreement = matrix.sum(axis=1)
    alike = matrix >= ALIKE
    for i, j in combinations(np.flatnonzero(~silent), 2):
        alike[i, j] = alike[j, i] = same(plain[i], plain[j], float(matrix[i, j]))
    return Consensus(matrix, agreement, int(agreement.argmax()), alike)


def _unmarked(text: str) -> str:
    """Return a reading without markers. A reading of markers alone stays whole: it is no denial."""
    return MARKER.sub("", text).strip() or text


def by_overlap(similarity: Similarity) -> Callable[[Sequence[str]], Matrix]:
    """Return what compares texts by the words they share."""
    measure = OVERLAPS[similarity]
    return lambda texts: np.array([[measure(one, other) for other in texts] for one in texts])


def by_embedding(encoder: Encoder) -> Callable[[Sequence[str]], Matrix]:
    """Return what compares texts by the cosine of their vectors, negative ones as 0."""

    def compare(texts: Sequence[str]) -> Matrix:
        vectors = encoder.encode(texts).vectors.astype(np.float64)
        return np.clip(vectors @ vectors.T, 0.0, 1.0)

    return compare
