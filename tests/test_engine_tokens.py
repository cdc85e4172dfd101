"""What a term is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.language.tokens import terms, words


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
        ("Straße ÉCOLE", ["strasse", "ecole"]),
        ("cafe\u0301 \ufb01le \uff26\uff55\uff4c\uff4c", ["cafe", "file", "full"]),
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


@given(st.text(st.sampled_from(letters), max_size=40))
@settings(deadline=None)
def test_folding_a_term_again_changes_nothing(text: str) -> None:
    for term in words(text):
        assert words(term) == [term]
