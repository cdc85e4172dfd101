"""Exact BM25 over all passages, no index on disk.

Default IDF is Lucene's, ln(1 + (N-n+0.5)/(n+0.5)), always positive, so that one mail ranks as
well as a million; `okapi` gives the papers' scores, with negative IDF set to 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from engine.tokens import terms

Variant = Literal["lucene", "okapi"]
K1 = 1.5
B = 0.75

Scores = npt.NDArray[np.float64]


class Recall:
    """Term occurrences of all passages, held in memory for one session's questions."""

    def __init__(self, texts: Sequence[str], variant: Variant = "lucene") -> None:
        """Tokenise `texts` once; memory is four bytes a token and the vocabulary."""
        self._variant = variant
        self._vocabulary: dict[str, int] = {}
        ids: list[int] = []
        lengths = np.zeros(len(texts), dtype=np.int64)
        assign = self._vocabulary.setdefault
        for row, text in enumerate(texts):
            found = terms(text)
            lengths[row] = len(found)
            ids.extend([assign(term, len(self._vocabulary)) for term in found])
        self._terms = np.array(ids, dtype=np.int32)
        self._rows = np.repeat(np.arange(len(texts), dtype=np.int32), lengths)
        self._size = len(texts)
        average = lengths.mean() if len(texts) and lengths.any() else 1.0
        self._norm = K1 * (1 - B + B * lengths / average)

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return BM25 scores, shape (queries, passages). One pass counts all queries' terms.

        A query term counts as often as it occurs in its query.
        """
        counts = [Counter(terms(query)) for query in queries]
        wanted = sorted({t for count in counts for t in count if t in self._vocabulary})
        scores = np.zeros((len(queries), self._size))
        if not wanted:
            return scores
        rows, columns, weights = self._weigh([self._vocabulary[t] for t in wanted])
        for k, count in enumerate(counts):
            frequency = np.array([count[t] for t in wanted], dtype=np.float64)
            scores[k] = np.bincount(
                rows, weights=weights * frequency[columns], minlength=self._size
            )
        return scores

    def idf(self, text: str) -> dict[str, float]:
        """Return the IDF of each term of `text`; unseen terms get that of a term seen nowhere."""
        found = {t: self._vocabulary.get(t) for t in set(terms(text))}
        known = [i for i in found.values() if i is not None]
        seen = dict(zip(known, self._frequencies(known), strict=True)) if known else {}
        return {
            t: float(self._idf(np.array([0 if i is None else seen[i]]))[0])
            for t, i in found.items()
        }

    def _frequencies(self, ids: Sequence[int]) -> list[int]:
        rows, columns, _ = self._count(ids)
        return (
            [int(n) for n in np.bincount(columns, minlength=len(ids))]
            if len(rows)
            else [0] * len(ids)
        )

    def _count(
        self, ids: Sequence[int]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return (passage, term column, occurrences) triplets for the given term ids."""
        column_of = np.full(len(self._vocabulary), -1, dtype=np.int64)
        column_of[np.array(ids)] = np.arange(len(ids))
        columns = column_of[self._terms]
        hit = columns >= 0
        keys = self._rows[hit].astype(np.int64) * len(ids) + columns[hit]
        pairs, occurrences = np.unique(keys, return_counts=True)
        return pairs // len(ids), pairs % len(ids), occurrences

    def _weigh(
        self, ids: Sequence[int]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Scores]:
        rows, columns, occurrences = self._count(ids)
        idf = self._idf(np.bincount(columns, minlength=len(ids)))
        frequency = occurrences.astype(np.float64)
        saturated = frequency / (frequency + self._norm[rows])
        if self._variant == "okapi":
            saturated *= K1 + 1
        return rows, columns, idf[columns] * saturated

    def _idf(self, frequency: npt.NDArray[np.int64]) -> Scores:
        ratio = (self._size - frequency + 0.5) / (frequency + 0.5)
        if self._variant == "okapi":
            return np.maximum(np.log(ratio), 0.0)
        return np.log1p(ratio)


def best_first(scores: Scores) -> npt.NDArray[np.int64]:
    """Return passage numbers by falling score, ties by document order."""
    return np.argsort(-scores, kind="stable")
