"""The study of a person's files takes an answer for right that a person would."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.bench.home_scores import is_right


@pytest.mark.parametrize(
    ("said", "answers", "right"),
    [
        ("Flexa 'Early Dew' [1]", ["early dew"], True),
        ("EUR 10,780 [1]", ["10780"], True),
        ("4 000 kroner", ["4,000"], True),
        ("562.00 [1][2]\n(the sum of Amount in 3 rows of costs 2026)", ["562"], True),
        ("562.50", ["562"], False),
        ("122.1 miles", ["122.10"], True),
        ("122.12", ["122.1"], False),
        ("3 [1]\n(counted: 3 rows of 2026.xlsx)", ["2026"], False),
        ("1,562", ["562"], False),
        ("No, it may not.", ["no"], True),
        ("It is not known", ["no"], False),
        ("Ana and Bob", [["Ana", "Bob"]], True),
        ("Ana", [["Ana", "Bob"]], False),
        ("anything", [], False),
    ],
)
def test_what_is_right(said: str, answers: Sequence[str | list[str]], right: bool) -> None:
    assert is_right(said, answers) is right
