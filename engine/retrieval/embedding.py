"""Ranks candidates by an encoder, alone or conditioned on the question (TTRAG section 3.1, A.6)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from engine.retrieval.fusion import weighted_sum
from engine.retrieval.recall import Scores, best_first
from engine.values import Passage
from models.encoder import Encoded, Encoder

SECONDS = 4.0
"""Seconds for encoding the candidates of a question, where their number is not given."""
FEWEST, MOST = 16, 256
PROBE = "The quick brown fox jumps over the lazy dog beside the river in the evening sun. " * 8
"""About 130 tokens, like a passage of the evaluation sets."""
PROBES = 8
FRAME = 2
"""Control tokens around a text."""


@dataclass(frozen=True, slots=True)
class Similarity:
    """How near candidates are to a question."""

    cosines: Scores
    """Shape (n,)."""
    cut: npt.NDArray[np.bool_]
    """Which are longer than the encoder reads, so that their end does not count; shape (n,)."""

    def joined(self, other: Similarity, share: float) -> Similarity:
        """Return the mean of both cosines, `share` of it the other's."""
        cosines = (1 - share) * self.cosines + share * other.cosines
        return Similarity(cosines, self.cut | other.cut)


def room_behind(encoder: Encoder, question: str) -> int:
    """Return how many tokens the encoder reads beside a question; negative if the question is too
    long."""
    return encoder.context - FRAME - encoder.count(question)


def similarity(encoder: Encoder, question: str, passages: Sequence[Passage]) -> Similarity:
    """Return how near each passage is to the question, each encoded alone."""
    return _similarity(encoder.encode([question, *(passage.searched for passage in passages)]))


def conditioned_similarity(
    encoder: Encoder, question: str, passages: Sequence[Passage]
) -> Similarity:
    """Return how near each passage, read behind the question, is to it.

    The passage's vector is the mean of its own tokens' last states and the end token's; the
    question's is the mean over its tokens.
    """
    pairs = [("", question), *((question, passage.searched) for passage in passages)]
    return _similarity(encoder.encode_conditioned(pairs))


def _similarity(encoded: Encoded) -> Similarity:
    """Return the cosines of the first text and each of the others."""
    cosines = encoded.vectors[1:] @ encoded.vectors[0]
    return Similarity(cosines.astype(np.float64), encoded.cut[1:] > 0)


def reranked(scores: Scores, candidates: Sequence[int], by: Scores, weight: float) -> Scores:
    """Return scores in which the candidates are ranked anew, shape (passages,); others are 0.

    `scores` of recall are divided by their maximum and keep their proportions; `by` holds a
    cosine for each candidate, as it is; `weight` is that of `by`, 0 to 1. The sum is scaled to 0 to
    1; the last candidate keeps a little above 0, so that it stays a hit.
    """
    chosen = np.asarray(candidates, dtype=np.int64)
    recalled = weighted_sum([scores[chosen]], [1 - weight], "maximum")
    fused = weighted_sum([recalled + weight * by], [1.0], "range")
    found = np.zeros_like(scores)
    found[chosen] = np.maximum(fused, 1e-6)
    return found


def best_candidates(scores: Scores, count: int) -> list[int]:
    """Return the best passages that recall found, best first."""
    return [int(i) for i in best_first(scores)[:count] if scores[i] > 0]


_MEASURED: WeakKeyDictionary[Encoder, int] = WeakKeyDictionary()


def candidate_count(encoder: Encoder) -> int:
    """Return how many candidates the encoder manages in `SECONDS` here, a power of two.

    Measured once for a loaded encoder, on texts of its own; a coarse number, so that the same
    machine answers the same question alike.
    """
    if encoder not in _MEASURED:
        encoder.encode([PROBE])
        began = time.monotonic()
        encoder.encode([PROBE] * PROBES)
        a_second = PROBES / max(time.monotonic() - began, 1e-6)
        fitting = 2 ** int(np.log2(max(a_second * SECONDS, 1)))
        _MEASURED[encoder] = min(MOST, max(FEWEST, fitting))
    return _MEASURED[encoder]
