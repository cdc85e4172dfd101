"""Replies in a given form: which tokens may follow, over a vocabulary of our own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.decoding.forms import OneOf, Vocabulary

PIECES = [
    *(b"", b"N", b"No", b"o", b"t", b" found", b"ot", b"Y", b"Yes", b"es", b"Note", b" "),
    *(b"\xc3", b"\xa9", "é".encode(), b": ", b":", b"fo", b"Ans", b"wer", b"x", b"f", b"ound"),
    b"",
]
END = len(PIECES) - 1
WORDS = Vocabulary(PIECES, [END])


def allowed(form: OneOf) -> set[bytes]:
    logits = np.zeros(len(PIECES), dtype=np.float32)
    form.restrict(logits)
    tokens = np.flatnonzero(np.isfinite(logits))
    assert all(form.allows(int(token)) for token in tokens)
    return {b"END" if token == END else PIECES[token] for token in tokens}


def walk(form: OneOf, *pieces: bytes) -> None:
    for piece in pieces:
        form.accept(PIECES.index(piece))


def test_a_choice_may_be_cut_into_tokens_in_any_way() -> None:
    form = OneOf(WORDS, ["Not found", "Yes"], alone=True)
    assert allowed(form) == {b"N", b"No", b"Y", b"Yes"}
    walk(form, b"N")
    assert allowed(form) == {b"o", b"ot"}
    walk(form, b"ot", b" ")
    assert allowed(form) == {b"f"}  # behind "fo" nothing in this vocabulary spells "und"


def test_a_choice_that_begins_another_may_end_or_go_on() -> None:
    form = OneOf(WORDS, ["No", "Not found"], alone=True)
    walk(form, b"No")
    assert not form.complete
    assert allowed(form) == {b"END", b"t"}
    walk(form, b"t", b" found")
    assert form.complete


def test_the_end_ends_a_choice() -> None:
    form = OneOf(WORDS, ["No", "Not found"], alone=True)
    walk(form, b"No")
    form.accept(END)
    assert form.complete


def test_nothing_follows_a_choice_that_stands_alone() -> None:
    form = OneOf(WORDS, ["Yes"], alone=True)
    walk(form, b"Y", b"es")
    assert form.complete


def test_a_beginning_may_be_passed_by_a_token() -> None:
    form = OneOf(WORDS, ["No"], alone=False)
    assert allowed(form) == {b"N", b"No", b"Note"}
    walk(form, b"Note")
    assert not form.complete
    assert form.allows(END)
    assert len(allowed(form)) > 10


def test_characters_may_be_cut() -> None:
    form = OneOf(WORDS, ["é"], alone=True)
    assert allowed(form) == {b"\xc3", "é".encode()}
    walk(form, b"\xc3", b"\xa9")
    assert form.complete


@pytest.mark.parametrize("texts", [[], ["a", ""]])
def test_a_choice_of_nothing_is_refused(texts: list[str]) -> None:
    with pytest.raises(ValueError, match="choice"):
        OneOf(WORDS, texts, alone=True)


@given(st.data(), st.lists(st.sampled_from(["No", "Not found", "Yes", "é"]), min_size=1))
def test_every_walk_spells_a_choice(data: st.DataObject, texts: list[str]) -> None:
    form, spelt = OneOf(WORDS, texts, alone=True), b""
    for _ in range(20):
        if form.complete:
            break
        logits = np.zeros(len(PIECES), dtype=np.float32)
        form.restrict(logits)
        token = data.draw(st.sampled_from(np.flatnonzero(np.isfinite(logits)).tolist()))
        form.accept(token)
        spelt += PIECES[token]
    assert form.complete
    assert spelt.decode() in texts
