"""What a term is, and that the scan finds exactly the terms of the tokeniser."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.scan import Chunk, Terms, distinct
from engine.tokens import folded_terms, folded_words, terms, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann.B@Firm.example!", ["ann", "b", "firm", "example", "ann.b@firm.example"]),
        ("on 2001-05-14,", ["on", "2001", "05", "14", "2001-05-14"]),
        ("20/04/2001 10:30", ["20", "04", "2001", "10", "30", "20/04/2001", "10:30"]),
        ("and/or either:both", ["and", "or", "either", "both"]),
        ("don't don\u2019t", ["don", "t", "don", "t", "don't", "don't"]),
        ("a -- b - c ...", ["a", "b", "c"]),
        ("AT&T C++", ["at", "t", "c", "at&t"]),
        ("under_score 1,000.50", ["under_score", "1", "000", "50", "1,000.50"]),
        ("Straße ÉCOLE", ["strasse", "école"]),
        ("cafe\u0301 \ufb01le \uff26\uff55\uff4c\uff4c", ["café", "file", "full"]),
        ("東京都に", ["東京", "京都", "都に"]),
        ("iPhone手机 字", ["iphone", "手机", "字"]),
        ("“quoted”—dash\u00a0nbsp", ["quoted", "dash", "nbsp"]),
        ("हिन्दी", ["हिन्दी"]),
        ("", []),
        ("!?\0\ud800", []),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_a_uuid_is_found_whole_and_in_parts() -> None:
    uuid = "9f1c2d3e-4b5a-6789-abcd-ef0123456789"
    assert terms(uuid) == [*uuid.split("-"), uuid]


def test_words_leave_wholes_out() -> None:
    assert words("Ann's 2001-05-14") == ["ann", "s", "2001", "05", "14"]


letters = "abXYZ01 9_.-'@+&/:,\n\0é\u2019日本ßﬁ\u0301—\ud800😀"


@given(st.lists(st.text(st.sampled_from(letters), max_size=30), min_size=1, max_size=5))
@settings(max_examples=500, deadline=None)
def test_the_scan_counts_what_the_tokeniser_finds(texts: list[str]) -> None:
    expected = [Counter(folded_terms(text)) for text in texts]
    vocabulary = sorted({term for count in expected for term in count} | {b"ab", b"q"})
    chunk = Chunk(texts)
    found: list[Counter[bytes]] = [Counter() for _ in texts]
    looked_for = Terms(vocabulary)
    groups = np.arange(looked_for.count)
    for row, term, count in zip(*chunk.count(looked_for, groups), strict=True):
        found[row][vocabulary[term]] = int(count)
    assert found == expected
    assert chunk.lengths.tolist() == [count.total() for count in expected]


@given(st.text(st.sampled_from(letters), max_size=40))
@settings(deadline=None)
def test_folding_a_term_again_changes_nothing(text: str) -> None:
    for term in words(text):
        assert words(term) == [term]


@given(st.lists(st.text("abc d", max_size=40), min_size=1, max_size=4), st.text("abc", min_size=1))
@settings(deadline=None)
def test_words_with_a_prefix_are_found_once_each(texts: list[str], prefix: str) -> None:
    begins = prefix.encode()
    expected = {word for text in texts for word in folded_words(text) if word.startswith(begins)}
    assert distinct([Chunk([text]).beginning([begins]) for text in texts]) == expected


def test_long_words_with_a_prefix_are_told_apart_beyond_sixteen_bytes() -> None:
    long = [
        "internationalisation",
        "internationalisatioN",
        "internationalisatiom",
        "internation" * 9,
    ]
    assert distinct([Chunk([" ".join(long)]).beginning([b"internationalis"])]) == {
        b"internationalisation",
        b"internationalisatiom",
    }


def test_a_term_longer_than_what_is_left_is_looked_for() -> None:
    # Fingerprints are of the first two bytes, the last two and the length: these agree modulo 2^16.
    short, long = b"xyyz", b"xy" + b"a" * 65_536 + b"yz"
    chunk = Chunk(["q " + short.decode()])
    looked_for = Terms([long])
    assert looked_for.prints[0] == chunk.words.prints[1]
    assert chunk.find(looked_for, chunk.words)[0].tolist() == []
