"""Scores equal their oracles, on random text, while reading goes on, and on odd input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest
from bm25s import BM25
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from engine.language.stemming import prefixes_of, stem
from engine.language.tokens import FUNCTION_WORDS, folded_words, terms
from engine.retrieval import recall as recall_module
from engine.retrieval.recall import Recall, Variant, best_first

words = st.sampled_from(
    ["ann", "bob", "lease", "Lease", "the", "42", "ann@b.example", "straße", "2001-05-14", "東京都"]
)
texts = st.lists(words, min_size=0, max_size=12).map(" ".join)
corpora = st.lists(texts, min_size=1, max_size=12).filter(lambda c: any(map(terms, c)))


def plain(corpus: Iterable[str], variant: Variant = "lucene") -> Recall:
    """Return recall without stems and stop words, as the oracles are."""
    return Recall(corpus, variant, stop_words=False, stemming=False)


@given(corpora, texts)
@settings(deadline=None)
def test_okapi_equals_rank_bm25(corpus: list[str], query: str) -> None:
    oracle = BM25Okapi([terms(t) for t in corpus], k1=1.5, b=0.75, epsilon=0)
    expected = oracle.get_scores(terms(query))
    assert plain(corpus, "okapi").scores([query])[0] == pytest.approx(expected, abs=1e-9)


@given(corpora, texts)
@settings(deadline=None)
def test_lucene_equals_bm25s(corpus: list[str], query: str) -> None:
    expected = lucene([terms(t) for t in corpus], terms(query))
    assert plain(corpus).scores([query])[0] == pytest.approx(expected, abs=1e-9)


@given(corpora, texts)
@settings(deadline=None)
def test_stop_words_are_left_out_of_a_query_only(corpus: list[str], query: str) -> None:
    asked = [t for t in terms(query) if t not in FUNCTION_WORDS] or terms(query)
    expected = lucene([terms(t) for t in corpus], asked)
    found = Recall(corpus, stemming=False).scores([query])[0]
    assert found == pytest.approx(expected, abs=1e-9)


def test_short_entries_do_not_push_back_what_is_longer() -> None:
    letter = f"The heat pump company agreed. {'It was a long day. ' * 15}"
    entries = ["Heat pump", "Heat pump fitters", *(f"Dentist {i}" for i in range(20))]
    asked = "the heat pump company"
    first, second = (
        Recall([letter, *entries], stop_words=False, least_average=least).scores([asked])[0]
        for least in (0, 150)
    )
    assert first[0] < first[1]
    assert second[0] > second[1]


inflected = st.sampled_from(
    ["lease", "leases", "leasing", "leased", "study", "studies", "Studying", "die", "dying"]
)
inflected_texts = st.lists(inflected, min_size=1, max_size=8).map(" ".join)


@given(st.lists(inflected_texts, min_size=1, max_size=6), inflected_texts)
@settings(deadline=None)
def test_stemming_scores_as_if_all_text_were_stemmed(corpus: list[str], query: str) -> None:
    stemmed = [[stem(t.encode()).decode() for t in terms(text)] for text in [*corpus, query]]
    expected = lucene(stemmed[:-1], stemmed[-1])
    assert Recall(corpus, stop_words=False).scores([query])[0] == pytest.approx(expected, abs=1e-9)


def lucene(corpus: list[list[str]], query: list[str]) -> np.ndarray:
    oracle = BM25(method="lucene", k1=1.5, b=0.75, dtype="float64")
    oracle.index(corpus, show_progress=False)
    known = [t for t in query if t in oracle.vocab_dict]
    return oracle.get_scores(known) if known else np.zeros(len(corpus))


roots = st.text("abdeghilmnoprstuvyz", min_size=1, max_size=6)
ENDINGS = """
    s es ies ied ed ing ingly ly y e able ably ability ization ational ations ative ness fulness
    ously ency ence ment ical logy ll bb
"""
endings = st.sampled_from(ENDINGS.split())


@given(roots, st.lists(endings, max_size=2))
@settings(max_examples=1000, deadline=None)
def test_every_other_word_begins_with_a_prefix_of_its_stem(root: str, ends: list[str]) -> None:
    word = (root + "".join(ends)).encode()
    assert stem(word) == word or word.startswith(tuple(prefixes_of(stem(word))))


@pytest.mark.parametrize(
    "word", [b"dying", b"skies", b"hoping", b"nobility", b"early", b"aing", b"vying"]
)
def test_words_that_do_not_begin_with_their_stem_are_found_too(word: bytes) -> None:
    assert stem(word) != word
    assert word.startswith(tuple(prefixes_of(stem(word))))


def test_what_is_no_english_word_has_no_other_words() -> None:
    assert prefixes_of("straße".encode()) == prefixes_of(b"42") == prefixes_of(b"a\1b") == []


@given(st.lists(texts, max_size=8), st.integers(1, 40), texts)
@settings(deadline=None)
def test_streaming_gives_the_scores_of_the_batch(corpus: list[str], size: int, query: str) -> None:
    batch = Recall(corpus).scores([query])
    whole = recall_module.CHUNK
    recall_module.CHUNK = size
    try:
        stream = Recall()
        for number, text in enumerate(corpus):
            stream.add([text])
            so_far = stream.scores([query])
            assert so_far == pytest.approx(Recall(corpus[: number + 1]).scores([query]), abs=1e-12)
        assert stream.scores([query]) == pytest.approx(batch, abs=1e-12)
    finally:
        recall_module.CHUNK = whole


@given(corpora, texts)
@settings(deadline=None)
def test_a_phrase_is_held_where_its_words_stand_in_a_row(corpus: list[str], phrase: str) -> None:
    wanted = folded_words(phrase)
    expected = [
        bool(wanted) and any(held[i : i + len(wanted)] == wanted for i in range(len(held)))
        for held in map(folded_words, corpus)
    ]
    assert Recall(corpus).holding(phrase).tolist() == expected


def test_one_passage_ranks() -> None:
    assert Recall(["the lease is signed"]).scores(["lease"])[0][0] > 0


def test_two_passages_rank_by_what_they_hold() -> None:
    scores = plain(["the lease is signed", "the rent is paid"]).scores(["the lease"])[0]
    assert scores[0] > scores[1] > 0


def test_no_passages_and_no_words() -> None:
    assert Recall([]).scores(["lease"]).shape == (1, 0)
    assert Recall([""]).scores(["lease", ""]).tolist() == [[0.0], [0.0]]
    assert Recall([]).holding("lease").tolist() == []
    assert Recall(["lease"]).holding("!?").tolist() == [False]
    assert Recall(["", "", ""]).scores([""]).shape == (1, 3)


def test_several_queries_are_scored_as_if_alone() -> None:
    corpus = ["lease ann", "bob lease lease", "the end", "ann ann bob"]
    recall = Recall(corpus)
    together = recall.scores(["lease bob", "ann ann", "nothing"])
    for row, query in zip(together, ["lease bob", "ann ann", "nothing"], strict=True):
        assert row == pytest.approx(recall.scores([query])[0], abs=1e-12)


def test_ties_keep_document_order() -> None:
    assert best_first(np.array([1.0, 2.0, 1.0, 2.0])).tolist() == [1, 3, 0, 2]


def test_a_query_of_only_stop_words_is_asked_as_it_is() -> None:
    assert Recall(["to be or not", "lease"]).scores(["to be"])[0][0] > 0


@pytest.mark.parametrize(
    "query",
    [
        "",
        " \n",
        "the of and",
        ".*+?[](){}|\\^$",
        "\0\0",
        "\ud800 lone",
        "😀",
        "a" * 100_000,
        "' - .",
    ],
)
def test_odd_queries_have_defined_results(query: str) -> None:
    corpus = ["the lease of 42 streets", "\0 \ud800 lone .*", "", "😀 smile"]
    expected = lucene([terms(t) for t in corpus], terms(query))
    assert plain(corpus).scores([query])[0] == pytest.approx(expected, abs=1e-9)
    assert Recall(corpus).scores([query]).shape == (1, 4)
    assert Recall(corpus).holding(query).shape == (4,)


def test_a_query_of_ten_thousand_words() -> None:
    query = " ".join(f"word{i}" for i in range(10_000))
    corpus = [f"word{i} word{i + 1} lease" for i in range(0, 3000, 3)]
    expected = lucene([terms(t) for t in corpus], terms(query))
    assert plain(corpus).scores([query])[0] == pytest.approx(expected, abs=1e-9)


def test_one_passage_of_ten_megabytes() -> None:
    line = "lease ann@b.example " * 500_000
    scores = Recall([line, "lease"]).scores(["lease", "ann@b.example"])
    assert scores[0][1] > 0
    assert scores[1][0] > 0
    assert scores[1][1] == 0


def test_many_words_share_fingerprints_and_are_told_apart() -> None:
    # 200,000 words have far more than 65,536 fingerprints between them.
    corpus = [
        " ".join(f"{i:x}q{i * 7919 % 9973}" for i in range(j, j + 200))
        for j in range(0, 200_000, 200)
    ]
    queries = [" ".join(corpus[j].split()[:50]) for j in (0, 400, 999)]
    found = plain(corpus).scores(queries)
    oracle = BM25Okapi([terms(t) for t in corpus], k1=1.5, b=0.75, epsilon=0)
    for row, query in zip(plain(corpus, "okapi").scores(queries), queries, strict=True):
        assert row == pytest.approx(oracle.get_scores(terms(query)), abs=1e-9)
    assert [int(row.argmax()) for row in found] == [0, 400, 999]


def test_counts_of_terms_are_those_of_the_tokeniser() -> None:
    text = "Ann's 10:30 call, AT&T re 20/04/2001 — ann.lee+x@b.example; U+0041 a/b 1,000.50 x-y-z"
    asked = Counter(terms(text))
    assert "ann.lee+x@b.example" in asked
    for term in asked:
        assert Recall([text, "other"]).scores([term])[0][0] > 0
