"""Exact BM25 over all passages of a session, without an index.

Default IDF is Lucene's, ln(1 + (N-n+0.5)/(n+0.5)), always positive, so that one mail ranks as
well as a million; `okapi` gives the papers' scores, with negative IDF set to 0. Passages may be
added while reading goes on: scores are those of the passages added so far.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from itertools import count as counting
from typing import Any, Literal, TypeVar, cast

import numpy as np
import numpy.typing as npt

from engine.language.stemming import prefixes_of, stem
from engine.language.tokens import FUNCTION_WORDS, folded_terms, folded_words
from engine.retrieval.scan import Chunk, Flags, Ints, Scan
from engine.retrieval.scan_compiled import compiled
from engine.retrieval.scan_numpy import NumpyScan

T = TypeVar("T")
Variant = Literal["lucene", "okapi"]
K1 = 1.5
B = 0.75
CHUNK = 1 << 20
"""Characters scanned together. With more, cores wait for each other at the end; with fewer, they
wait for the interpreter in between."""
STOP_WORDS = frozenset(word.encode() for word in FUNCTION_WORDS)

Scores = npt.NDArray[np.float64]


class Recall:
    """Folded passages, and where their tokens are; one and a half times the bytes of the
    text in all, with numpy twice."""

    def __init__(
        self,
        texts: Iterable[str] = (),
        variant: Variant = "lucene",
        *,
        stop_words: bool = True,
        stemming: bool = True,
        least_average: int = 0,
        scan: Scan[Any] | None = None,
    ) -> None:
        """Begin with `texts`.

        With `stop_words`, function words of a query are not looked for, unless it has no other
        word. With `stemming`, a word of a query stands for all words of the same English stem.
        The average length counts as `least_average` terms at least: among many short entries, such
        as events and rows, all that is longer would rank behind them. All three find more of what
        answers (docs/results.md); without them scores are plain BM25.
        `scan` None means the fastest one.
        """
        self.variant = variant
        self.stop_words = stop_words
        self.stemming = stemming
        self.least_average = least_average
        self._scan = scan or fastest_scan()
        self._chunks: list[Future[Chunk]] = []
        self._waiting: list[str] = []
        self._waiting_size = 0
        self.add(texts)

    def add(self, texts: Iterable[str]) -> None:
        """Add passages after the others; full chunks are made in threads."""
        for text in texts:
            self._waiting.append(text)
            self._waiting_size += len(text)
            if self._waiting_size >= CHUNK:
                self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._chunks.append(_threads().submit(self._scan.chunk, self._waiting))
            self._waiting, self._waiting_size = [], 0

    def _all(self, task: Callable[[Any], T]) -> list[T]:
        """Do a task for every chunk, in order; each thread takes the next one when it is free."""
        chunks = self._folded()
        done: list[T | None] = [None] * len(chunks)
        turn = counting()

        def work() -> None:
            while (number := next(turn)) < len(chunks):
                done[number] = task(chunks[number].result())

        for worker in [_threads().submit(work) for _ in range(min(_cores(), len(chunks)))]:
            worker.result()
        return cast(list[T], done)

    def _folded(self) -> list[Future[Chunk]]:
        self._flush()
        return self._chunks

    def scores(self, queries: Sequence[str]) -> Scores:
        """Return BM25 scores, shape (queries, passages). One pass counts all queries' terms.

        A query term counts as often as it occurs in its query.
        """
        counts = [self._terms(query) for query in queries]
        forms = self._forms({term for count in counts for term in count})
        lengths = self._lengths()
        scores = np.zeros((len(queries), len(lengths)))
        if not forms or not len(lengths):
            return scores
        rows, columns, weights = self._weigh(forms, lengths)
        for k, count in enumerate(counts):
            asked = np.array([count[group] for group in forms], dtype=np.float64)
            scores[k] = np.bincount(rows, weights=weights * asked[columns], minlength=len(lengths))
        return scores

    def holders(self, words: Sequence[str]) -> list[int]:
        """Return how many passages hold each word, or one of its stem."""
        asked = [self._terms(word) for word in words]
        forms = self._forms({term for terms in asked for term in terms})
        lengths = self._lengths()
        if not forms or not len(lengths):
            return [0] * len(words)
        columns = self._weigh(forms, lengths)[1]
        held = dict(zip(forms, np.bincount(columns, minlength=len(forms)).tolist(), strict=True))
        return [max((held.get(term, 0) for term in terms), default=0) for terms in asked]

    def holding(self, phrase: str) -> Flags:
        """Return whether each passage holds these words in a row, shape (passages,).

        An empty phrase is in no passage. Case and connectors do not matter, as in `terms`.
        """
        words = folded_words(phrase)
        if not words:
            return np.zeros(len(self._lengths()), dtype=np.bool_)
        parts = self._all(self._scan.holding(words))
        return np.concatenate([np.zeros(0, np.bool_), *parts])

    def _lengths(self) -> Ints:
        """Return the terms of each passage, shape (passages,); waits for the folding."""
        parts = [chunk.result().lengths for chunk in self._folded()]
        return np.concatenate([np.zeros(0, np.int64), *parts])

    def _terms(self, query: str) -> Counter[bytes]:
        """Return the terms or stems of a query with their counts."""
        asked = folded_terms(query)
        if self.stop_words:
            asked = [term for term in asked if term not in STOP_WORDS] or asked
        return Counter(stem(term) for term in asked) if self.stemming else Counter(asked)

    def _forms(self, asked: set[bytes]) -> dict[bytes, list[bytes]]:
        """Return the terms to look for, by term or stem of the query."""
        if not self.stemming:
            return {term: [term] for term in sorted(asked)}
        prefixes = sorted({prefix for term in asked for prefix in prefixes_of(term)})
        found = asked.union(*self._all(self._scan.beginning(prefixes)) if prefixes else ())
        forms: dict[bytes, list[bytes]] = {term: [] for term in sorted(asked)}
        for form in sorted(found):
            if stem(form) in forms:
                forms[stem(form)].append(form)
        return {term: some for term, some in forms.items() if some}

    def _weigh(self, forms: dict[bytes, list[bytes]], lengths: Ints) -> tuple[Ints, Ints, Scores]:
        """Return (passage, term, weight) wherever a passage holds a term (or a form of it)."""
        sizes = [len(some) for some in forms.values()]
        terms = [form for some in forms.values() for form in some]
        groups = np.repeat(np.arange(len(forms)), sizes)
        counted = self._all(self._scan.counting(terms, groups))
        firsts = np.cumsum([0, *(chunk.result().size for chunk in self._chunks)])
        rows = np.concatenate(
            [first + part.rows for first, part in zip(firsts, counted, strict=False)]
        )
        columns = np.concatenate([part.groups for part in counted])
        frequency = np.concatenate([part.found for part in counted]).astype(np.float64)
        average = max(lengths.mean(), self.least_average) if lengths.any() else 1.0
        norm = K1 * (1 - B + B * lengths / average)
        saturated = frequency / (frequency + norm[rows])
        if self.variant == "okapi":
            saturated *= K1 + 1
        idf = self._idf(np.bincount(columns, minlength=len(forms)), len(lengths))
        return rows, columns, idf[columns] * saturated

    def _idf(self, frequency: Ints, size: int) -> Scores:
        ratio = (size - frequency + 0.5) / (frequency + 0.5)
        if self.variant == "okapi":
            return np.maximum(np.log(ratio), 0.0)
        return np.log1p(ratio)


def fastest_scan() -> Scan[Any]:
    """Return the compiled scan, or numpy's where there is none."""
    return compiled() or NumpyScan()


@cache
def _threads() -> ThreadPoolExecutor:
    """Return the threads that scan, one a core that this process may use."""
    return ThreadPoolExecutor(_cores(), thread_name_prefix="recall")


@cache
def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def best_first(scores: Scores) -> Ints:
    """Return passage numbers by falling score, ties by document order."""
    return np.argsort(-scores, kind="stable")
