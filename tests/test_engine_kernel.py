"""Both scans find exactly the terms of the tokeniser, so the compiled one equals numpy's."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.language.tokens import folded_terms, folded_words
from engine.retrieval import scan_compiled
from engine.retrieval.recall import Recall, fastest_scan
from engine.retrieval.scan import Scan
from engine.retrieval.scan_compiled import compiled, library_path
from engine.retrieval.scan_numpy import NumpyScan, Terms

SCANS: list[Scan[Any]] = [NumpyScan(), *filter(None, [compiled()])]
scans = pytest.mark.parametrize("scan", SCANS, ids=lambda scan: scan.name)

LETTERS = "abXYZ019 _.-'@+&/:,\n\0éß\u2019\u0301\u00a0日本\uac00ﬁ—№\ud800😀\u05d0\u05b8Й\u0345"
small = st.text(st.sampled_from(LETTERS), max_size=40)
any_text = st.text(st.characters(), max_size=60)
long = st.text("ab.é", min_size=100, max_size=400)
corpora = st.lists(small | any_text | long, min_size=1, max_size=6)


def test_the_library_in_use_is_made_of_this_source() -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler here")
    source = Path(scan_compiled.__file__).with_name("scan.c")
    assert library_path(source).exists(), "make install compiles scan.c again"
    assert fastest_scan().name == "compiled"


def test_a_library_of_another_source_is_not_used(tmp_path: Path) -> None:
    source = tmp_path / "scan.c"
    source.write_text("a")
    of_a = library_path(source)
    source.write_text("b")
    assert library_path(source) != of_a


def counted(scan: Scan[Any], texts: Sequence[str], terms: Sequence[bytes]) -> list[Counter[bytes]]:
    found: list[Counter[bytes]] = [Counter() for _ in texts]
    counts = scan.counting(terms, np.arange(len(terms)))(scan.chunk(texts))
    for row, term, count in zip(*(part.tolist() for part in counts), strict=True):
        found[row][terms[term]] = count
    return found


@scans
@given(corpora)
@settings(max_examples=300, deadline=None)
def test_a_scan_counts_what_the_tokeniser_finds(scan: Scan[Any], texts: list[str]) -> None:
    expected = [Counter(folded_terms(text)) for text in texts]
    vocabulary = sorted({term for count in expected for term in count} | {b"ab", b"q", b"a\1b"})
    assert counted(scan, texts, vocabulary) == expected
    assert scan.chunk(texts).lengths.tolist() == [count.total() for count in expected]


@scans
@given(corpora, st.data())
@settings(deadline=None)
def test_groups_are_counted_together_and_in_order(
    scan: Scan[Any], texts: list[str], data: st.DataObject
) -> None:
    vocabulary = sorted({term for text in texts for term in folded_terms(text)} | {b"q"})
    number = st.integers(0, 200)  # more than the 64 that share a word of bits
    groups = np.array([data.draw(number) for _ in vocabulary])
    group_of = dict(zip(vocabulary, groups.tolist(), strict=True))
    expected = [
        (row, group, count)
        for row, text in enumerate(texts)
        for group, count in sorted(Counter(group_of[t] for t in folded_terms(text)).items())
    ]
    counts = scan.counting(vocabulary, groups)(scan.chunk(texts))
    assert list(zip(*(part.tolist() for part in counts), strict=True)) == expected


@scans
@given(
    st.lists(st.text("abé .", max_size=200), min_size=1, max_size=4),
    st.lists(st.text("abé", min_size=1, max_size=20), min_size=1, max_size=3),
)
@settings(deadline=None)
def test_words_with_a_prefix_are_found(
    scan: Scan[Any], texts: list[str], prefixes: list[str]
) -> None:
    begins = tuple(prefix.encode() for prefix in prefixes)
    expected = {word for text in texts for word in folded_words(text) if word.startswith(begins)}
    assert scan.beginning(sorted({*begins}))(scan.chunk(texts)) == expected


@scans
def test_more_words_with_a_prefix_than_there_is_room_for_at_first(scan: Scan[Any]) -> None:
    words = {f"lease{number:x}".encode() for number in range(5000)}
    chunk = scan.chunk([b" ".join(sorted(words)).decode()])
    assert scan.beginning([b"lease"])(chunk) == words


@scans
def test_long_words_with_a_prefix_are_told_apart_beyond_sixteen_bytes(scan: Scan[Any]) -> None:
    long = ["internationalisation", "internationalisatioN", "internationalisatiom"]
    chunk = scan.chunk([" ".join([*long, "internation" * 9])])
    assert scan.beginning([b"internationalis"])(chunk) == {
        b"internationalisation",
        b"internationalisatiom",
    }


@scans
@given(
    st.lists(st.text("ab .", max_size=30), min_size=1, max_size=4),
    st.lists(st.sampled_from([b"a", b"b", b"ab"]), min_size=1, max_size=6),
)
@settings(max_examples=200, deadline=None)
def test_phrases_are_found(scan: Scan[Any], texts: list[str], phrase: list[bytes]) -> None:
    def holds(words: list[bytes]) -> bool:
        return any(words[i : i + len(phrase)] == phrase for i in range(len(words)))

    expected = [holds(folded_words(text)) for text in texts]
    assert scan.holding(phrase)(scan.chunk(texts)).tolist() == expected


def test_a_phrase_of_repeated_words_takes_linear_time() -> None:
    scan = SCANS[-1]
    texts = ["a " * 200_000 + "b", "a " * 10_001]
    assert scan.holding([b"a"] * 10_000 + [b"b"])(scan.chunk(texts)).tolist() == [True, False]


def test_a_term_longer_than_what_is_left_is_looked_for() -> None:
    # numpy's fingerprints are of the first two bytes, the last two and the length, modulo 2^16.
    short, long = b"xyyz", b"xy" + b"a" * 65_536 + b"yz"
    chunk = NumpyScan().chunk(["q " + short.decode()])
    assert Terms([long]).prints[0] == chunk.words.prints[1]
    for scan in SCANS:
        assert counted(scan, ["q xyyz"], [long, b"q"]) == [Counter({b"q": 1})]


@scans
def test_more_terms_than_fingerprints(scan: Scan[Any]) -> None:
    terms = [f"{number:x}".encode() for number in range(100_000)]
    texts = [b" ".join(terms[i : i + 500]).decode() for i in range(0, 100_000, 500)]
    assert sum(map(Counter.total, counted(scan, texts, terms))) == 100_000


@given(st.text(st.characters(min_codepoint=0x80, max_codepoint=0x20C0), max_size=8))
@settings(max_examples=400, deadline=None)
def test_runs_beyond_ascii_are_folded_alike(run: str) -> None:
    folded = [bytes(scan.chunk([f"x {run}", run]).data).strip(b"\0") for scan in SCANS]
    assert len(set(folded)) == 1


HOSTILE = {
    "empty": "",
    "nulls": "\0" * 1000,
    "lone surrogates": "\ud800 \udfff\ud800a \udc00",
    "controls as connectors": "a\1b\2c\tx\7y 1\x071",
    "one word": "a" * 300_000,
    "one whole": "a.b-" * 100_000,
    "connectors": ".-'@+&/:," * 10_000,
    "accents": "a" + "\u0301" * 3000,
    "no letters": "\u2014\u2026" * 3000,
    "astral": "\U0001f600\U00020000" * 3000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_has_the_same_scores_in_both(name: str) -> None:
    text = HOSTILE[name]
    corpus = [text, "lease a.b", text + "lease", "", "a 1"]
    queries = [text[:20_000], "lease", "a", "a.b", "1:1"]
    first, *others = (Recall(corpus, scan=scan).scores(queries) for scan in SCANS)
    assert np.isfinite(first).all()
    for scores in others:
        assert (scores == first).all()


@given(corpora, st.lists(small, min_size=1, max_size=3))
@settings(deadline=None)
def test_scores_are_the_same_to_the_last_bit(corpus: list[str], queries: list[str]) -> None:
    first, *others = (Recall(corpus, scan=scan).scores(queries) for scan in SCANS)
    for scores in others:
        assert (scores == first).all()


def test_one_line_of_two_hundred_megabytes() -> None:
    line = "Lease of ann.lee@b.example, page 1 " * 6_000_000
    assert len(line) > 200_000_000
    scores = Recall([line, "lease"], scan=SCANS[-1]).scores(["leases", "ann.lee@b.example"])
    assert scores[0].all()
    assert scores[1].tolist() == [scores[1][0], 0]


def test_ten_thousand_words_are_asked_alike() -> None:
    query = " ".join(f"word{number}s" for number in range(10_000))
    corpus = [f"word{number} word{number + 1}s lease" for number in range(0, 3000, 3)]
    first, *others = (Recall(corpus, scan=scan).scores([query]) for scan in SCANS)
    assert first.all()
    for scores in others:
        assert (scores == first).all()
