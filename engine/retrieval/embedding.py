"""Ranks candidates by an encoder, alone or conditioned on the question (TTRAG section 3.1, A.6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from engine.retrieval.corpus import Corpus
from engine.retrieval.fusion import weighted_sum
from engine.retrieval.recall import Recall, Scores, best_first
from engine.values import Passage
from models.encoder import Encoded, Encoder

BATCH = 256
"""Passages that are encoded between two events."""
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


@dataclass(frozen=True, slots=True)
class EncodedCorpus:
    """The vectors of all passages."""

    encoder: str
    """Its id."""
    vectors: npt.NDArray[np.float32]
    """Shape (passages, dimensions)."""


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


_VECTORS: WeakKeyDictionary[Recall, EncodedCorpus] = WeakKeyDictionary()
"""Of all passages, as long as what recall searches stays in memory; of the last encoder."""


def encoded_all(encoder: Encoder, corpus: Corpus) -> Iterator[int]:
    """Encode every passage for `nearest`; yield how many are done. Nothing is encoded twice."""
    known = _VECTORS.get(corpus.recall)
    if known is not None and known.encoder == encoder.id:
        return
    batches = []
    for begin in range(0, len(corpus.passages), BATCH):
        batch = corpus.passages[begin : begin + BATCH]
        batches.append(encoder.encode([one.searched for one in batch]).vectors)
        yield begin + len(batch)
    _VECTORS[corpus.recall] = EncodedCorpus(encoder.id, np.concatenate(batches))


def nearest(encoder: Encoder, question: str, corpus: Corpus) -> Scores:
    """Return how near each passage is to the question, shape (passages,), 0 to 1.

    `encoded_all` comes before. A cosine below 0 is no hit.
    """
    vectors = _VECTORS[corpus.recall].vectors
    cosines = vectors @ encoder.encode([question]).vectors[0]
    found: Scores = np.maximum(cosines.astype(np.float64), 0.0)
    return found
