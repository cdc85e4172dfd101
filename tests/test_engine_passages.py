"""Passages respect both limits, lose nothing, and never cross an item or a record."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.retrieval.passages import MAX_CHARACTERS, MAX_WORDS, split, split_item
from tests.support.builders import document


def test_short_text_is_one_passage() -> None:
    [passage] = split([document("  A short note.\n")])
    assert passage.text == "A short note."
    assert (passage.start, passage.end) == (2, 15)


def test_word_limit_cuts_at_a_paragraph() -> None:
    text = "\n\n".join("word " * 99 + "end." for _ in range(4))
    passages = split([document(text)])
    assert all(len(p.text.split()) <= MAX_WORDS for p in passages)
    assert all(p.text.endswith("end.") for p in passages)


def test_text_without_words_is_cut_by_characters() -> None:
    passages = split([document("漢" * (2 * MAX_CHARACTERS + 500))])
    assert [len(p.text) for p in passages] == [MAX_CHARACTERS, MAX_CHARACTERS, 500]


def test_records_are_passages_of_their_own() -> None:
    text = "one: 1\ntwo: 2\nthree: 3"
    passages = split([document(text, records=(0, 7, 14))])
    assert [p.text for p in passages] == ["one: 1", "two: 2", "three: 3"]


@given(st.text(alphabet="ab \n.!é漢", max_size=6000))
@settings(deadline=None)
def test_nothing_but_space_is_lost(text: str) -> None:
    passages = list(split_item(document(text)))
    assert "".join("".join(p.text.split()) for p in passages) == "".join(text.split())
    for passage in passages:
        assert 0 < len(passage.text) <= MAX_CHARACTERS
        assert len(passage.text.split()) <= MAX_WORDS
    assert all(a.end <= b.start for a, b in pairwise(passages))
