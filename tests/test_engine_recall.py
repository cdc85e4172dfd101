"""Scores equal their oracles, on random text and on ties."""

from __future__ import annotations

import numpy as np
import pytest
from bm25s import BM25
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from engine.recall import Recall, best_first
from engine.tokens import terms

words = st.sampled_from(["ann", "bob", "lease", "Lease", "the", "42", "ann@b.example", "straße"])
texts = st.lists(words, min_size=0, max_size=12).map(" ".join)
corpora = st.lists(texts, min_size=1, max_size=12).filter(lambda c: any(map(terms, c)))


@given(corpora, texts)
@settings(deadline=None)
def test_okapi_equals_rank_bm25(corpus: list[str], query: str) -> None:
    oracle = BM25Okapi([terms(t) for t in corpus], k1=1.5, b=0.75, epsilon=0)
    expected = oracle.get_scores(terms(query))
    assert Recall(corpus, "okapi").scores([query])[0] == pytest.approx(expected, abs=1e-9)


@given(corpora, texts)
@settings(deadline=None)
def test_lucene_equals_bm25s(corpus: list[str], query: str) -> None:
    oracle = BM25(method="lucene", k1=1.5, b=0.75, dtype="float64")
    oracle.index([terms(t) for t in corpus], show_progress=False)
    known = [t for t in terms(query) if t in oracle.vocab_dict]
    expected = oracle.get_scores(known) if known else np.zeros(len(corpus))
    assert Recall(corpus).scores([query])[0] == pytest.approx(expected, abs=1e-9)


def test_one_passage_ranks() -> None:
    assert Recall(["the lease is signed"]).scores(["lease"])[0][0] > 0


def test_no_passages_and_no_words() -> None:
    assert Recall([]).scores(["lease"]).shape == (1, 0)
    assert Recall([""]).scores(["lease", ""]).tolist() == [[0.0], [0.0]]


def test_several_queries_are_scored_as_if_alone() -> None:
    corpus = ["lease ann", "bob lease lease", "the end", "ann ann bob"]
    recall = Recall(corpus)
    together = recall.scores(["lease bob", "ann ann", "nothing"])
    for row, query in zip(together, ["lease bob", "ann ann", "nothing"], strict=True):
        assert row == pytest.approx(recall.scores([query])[0], abs=1e-12)


def test_ties_keep_document_order() -> None:
    assert best_first(np.array([1.0, 2.0, 1.0, 2.0])).tolist() == [1, 3, 0, 2]


def test_addresses_count_whole_and_in_parts() -> None:
    assert terms("Ann.B@Firm.example!") == ["ann", "b", "firm", "example", "ann.b@firm.example"]
