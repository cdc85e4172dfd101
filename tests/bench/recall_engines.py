"""The engines of the recall benchmark: ours and four others, all asked for the ten best texts.

rank_bm25 and bm25s get our terms, made beforehand; tantivy and SQLite tokenise by themselves. What
is not needed to rank is left out in favour of the other engines: positions and stored texts in
tantivy, the texts in SQLite.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from engine.language.tokens import terms
from engine.retrieval.recall import Recall, Scores
from engine.retrieval.scan_numpy import NumpyScan

TOP = 10
_PLAIN = re.compile(r"\w+")


class Engine(Protocol):
    """Something that ranks texts."""

    def tokenise(self, texts: Sequence[str]) -> None:
        """Make our terms, when the engine needs them."""

    def build(self, texts: Sequence[str]) -> None:
        """Take the texts over."""

    def best(self, queries: Sequence[str]) -> list[list[int]]:
        """Return the best texts of each query."""


def top(scores: npt.NDArray[Any]) -> list[int]:
    """Return the places of the highest scores, best first."""
    best = np.argpartition(-scores, TOP)[:TOP]
    return [int(i) for i in best[np.argsort(-scores[best], kind="stable")]]


class Ours:
    """`engine.retrieval.recall`: as the program uses it, or with other settings."""

    def __init__(self, **settings: Any) -> None:
        """Take settings of `Recall`; its defaults are the program's."""
        self._settings = settings

    def tokenise(self, texts: Sequence[str]) -> None:
        """Do nothing: the texts are scanned as they are."""

    def build(self, texts: Sequence[str]) -> None:
        """Fold the texts and take their lengths; asking for nothing waits for both."""
        self._recall = Recall(texts, **self._settings)
        self._recall.scores([""])

    def best(self, queries: Sequence[str]) -> list[list[int]]:
        """Score all queries in one pass."""
        return [top(scores) for scores in self._recall.scores(queries)]


class RankBM25:
    """rank_bm25's `BM25Okapi`: lists and dictionaries in Python."""

    def tokenise(self, texts: Sequence[str]) -> None:
        """Make our terms."""
        self._tokens = [terms(text) for text in texts]

    def build(self, texts: Sequence[str]) -> None:
        """Count every term of every text."""
        self.take(self._tokens)

    def take(self, tokens: list[list[str]]) -> None:
        """Count every term of every text."""
        from rank_bm25 import BM25Okapi

        self._okapi = BM25Okapi(tokens, k1=1.5, b=0.75, epsilon=0)

    def best(self, queries: Sequence[str]) -> list[list[int]]:
        """Score one query after another."""
        return [top(self.scores(query)) for query in queries]

    def scores(self, query: str) -> Scores:
        """Return the score of every text."""
        scores: Scores = self._okapi.get_scores(terms(query))
        return scores


class BM25S(RankBM25):
    """bm25s: scores of all terms computed beforehand, in sparse matrices."""

    def take(self, tokens: list[list[str]]) -> None:
        """Score every term of every text."""
        from bm25s import BM25

        self._lucene = BM25(method="lucene", k1=1.5, b=0.75, dtype="float64")
        self._lucene.index(tokens, show_progress=False)

    def scores(self, query: str) -> Scores:
        """Return the score of every text. Unknown terms are an error to this library."""
        known = [term for term in terms(query) if term in self._lucene.vocab_dict]
        scores: Scores = self._lucene.get_scores(known)
        return scores


class Tantivy:
    """tantivy's index in memory, default tokenizer, as many threads as it chooses."""

    def tokenise(self, texts: Sequence[str]) -> None:
        """Do nothing: it has a tokenizer of its own."""

    def build(self, texts: Sequence[str]) -> None:
        """Index the texts and make them searchable."""
        import tantivy

        schema = tantivy.SchemaBuilder()
        schema.add_text_field("text", stored=False, index_option="freq")
        schema.add_unsigned_field("row", stored=True)
        self._index = tantivy.Index(schema.build())
        writer = self._index.writer()
        for row, text in enumerate(texts):
            document = tantivy.Document()
            document.add_text("text", text)
            document.add_unsigned("row", row)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()

    def best(self, queries: Sequence[str]) -> list[list[int]]:
        """Find the best of one query after another."""
        return [list(self._rows(query)) for query in queries]

    def _rows(self, query: str) -> Iterator[int]:
        searcher = self._index.searcher()
        parsed = self._index.parse_query(" ".join(_PLAIN.findall(query.lower())), ["text"])
        for _score, address in searcher.search(parsed, TOP, count=False).hits:
            yield searcher.doc(address)["row"][0]


class SQLite:
    """SQLite's FTS5 in memory, unicode61, no copy of the texts."""

    def tokenise(self, texts: Sequence[str]) -> None:
        """Do nothing: it has a tokenizer of its own."""

    def build(self, texts: Sequence[str]) -> None:
        """Insert the texts in one transaction."""
        self._base = sqlite3.connect(":memory:")
        self._base.execute(
            "CREATE VIRTUAL TABLE texts USING fts5(text, content='', tokenize='unicode61')"
        )
        with self._base:
            self._base.executemany("INSERT INTO texts(rowid, text) VALUES (?, ?)", enumerate(texts))

    def best(self, queries: Sequence[str]) -> list[list[int]]:
        """Find the best of one query after another; its rank is bm25()."""
        asked = "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?"
        found = []
        for query in queries:
            words = " OR ".join(f'"{word}"' for word in _PLAIN.findall(query.lower()))
            found.append([row for (row,) in self._base.execute(asked, (words, TOP))])
        return found


ENGINES: dict[str, Callable[[], Engine]] = {
    "ours": Ours,
    "ours, no stems": partial(Ours, stemming=False),
    "ours, every word": partial(Ours, stop_words=False, stemming=False),
    "ours, numpy": partial(Ours, scan=NumpyScan()),
    "rank_bm25": RankBM25,
    "bm25s": BM25S,
    "tantivy": Tantivy,
    "SQLite FTS5": SQLite,
}
