"""EASY against a run by hand; EASY and exact boundaries on tokenizers of three kinds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest

from engine.attention.alignment import Encoding, between, easy, exact, fit, levenshtein, targets
from engine.language.sentences import sentence_spans
from tests.in_store import weights_of
from tests.toy_tokenizers import byte_level, unigram

TEXT = (
    "The lease was signed by Berta Lindqvist in Harlow. It ends on 31 December 2026. "
    "Who keeps the keys?  The harbour office does. It opens at nine.The club meets there "
    "every Thursday, unless the lease forbids it.\nTomas Veld repairs the roof in May. "
    "Ærø's ferry — blå, naïve — costs 3 €. 租约于三月开始。谁签的\uff1f 😀 Done."
)


def words(*pieces: str) -> Encoding:
    """A tokenizer that knows these pieces and encodes a text with as many as it takes."""
    encoded = [piece.encode() for piece in pieces]

    def count(text: str) -> int:
        size, taken = 0, 0
        for piece in encoded:
            if size >= len(text.encode()):
                break
            size += len(piece)
            taken += 1
        return taken

    return Encoding(encoded, count)


def test_easy_confirms_a_first_guess() -> None:
    encoding = words("One", " two", ".", " Three", ".")
    assert easy(encoding, ["One two. ", "Three."]) == [3, 5]


def test_easy_moves_its_guess_to_both_sides() -> None:
    """The guess is the length of what stands before, encoded alone: here too short or too long."""
    pieces = [b"One", b" two", b".", b" Three", b".", b" Four", b"."]
    guesses = {"One two. ": 1, "One two. Three. ": 7, "One two. Three. Four.": 7}
    encoding = Encoding(pieces, guesses.__getitem__)
    # 1: "One" is part of the target, so 2, 3: equal. 7: "Three. Four." is not, so 6, 5: equal.
    assert easy(encoding, ["One two. ", "Three. ", "Four."]) == [3, 5, 7]


def test_easy_goes_back_to_its_guess_where_no_boundary_fits() -> None:
    """ ".T" is one token: 2 gives "It was", 3 gives "It was.T", 2 again: the guess stays."""
    encoding = Encoding([b"It", b" was", b".T", b"he", b" end"], {"It was.": 3}.__getitem__)
    assert easy(encoding, ["It was."]) == [3]


def test_easy_does_not_look_further_than_its_tolerance() -> None:
    pieces = [b"a"] * 50
    encoding = Encoding(pieces, lambda text: 1)
    assert easy(encoding, ["a" * 31]) == [31]  # 30 steps from the guess
    assert easy(encoding, ["a" * 32]) == [1]
    assert easy(encoding, ["a" * 4], tolerance=2) == [1]


def test_a_token_across_two_sentences_spoils_both_for_easy_and_none_by_offsets() -> None:
    text, sentences = "It was.The end.", ["It was.", "The end."]
    encoding = words("It", " was", ".T", "he", " end", ".")
    assert exact(encoding, text, [(0, 7), (7, 15)]) == sentences
    assert between(encoding, easy(encoding, sentences)) == ["It was.T", "he end."]
    missed = fit(between(encoding, easy(encoding, sentences)), sentences)
    assert (missed.matched, missed.distance) == (0, 2)


def test_how_well_boundaries_fit_by_hand() -> None:
    encoding = words("One", " two", ".", " Three", ".")
    good = fit(between(encoding, [3, 5]), ["One two. ", "Three."])
    bad = fit(between(encoding, [2, 5]), ["One two. ", "Three."])  # "One two", ". Three."
    assert (good.match_rate, good.mean_distance) == (1.0, 0.0)
    assert (bad.match_rate, bad.mean_distance, bad.mean_distance_unmatched) == (0.0, 1.5, 1.5)
    both = good + bad
    assert (both.match_rate, both.mean_distance, both.mean_distance_unmatched) == (0.5, 0.75, 1.5)


@pytest.mark.parametrize(
    ("one", "other", "edits"), [("", "", 0), ("kitten", "sitting", 3), ("ab", "", 2), ("", "a", 1)]
)
def test_edits_by_hand(one: str, other: str, edits: int) -> None:
    assert levenshtein(one, other) == levenshtein(other, one) == edits


def test_nothing_to_align() -> None:
    encoding = Encoding([], len)
    assert easy(encoding, []) == exact(encoding, "", []) == targets("", []) == []
    assert fit([], []).match_rate == 1.0


def of_letters(_: Sequence[str]) -> Callable[[str], Encoding]:
    """A byte a token: the finest there is."""
    return lambda text: Encoding([bytes([b]) for b in text.encode()], lambda t: len(t.encode()))


KINDS: dict[str, Callable[[Sequence[str]], Callable[[str], Encoding]]] = {
    "byte-level BPE": byte_level,
    "unigram": unigram,
    "bytes": of_letters,
}


@pytest.mark.parametrize("kind", KINDS)
def test_both_ways_on_tokenizers_of_every_kind(kind: str) -> None:
    pytest.importorskip("tokenizers")
    text = TEXT.replace("\n", " ").replace("  ", " ") if kind == "unigram" else TEXT
    encoding = KINDS[kind]([text])(text)
    check_both(encoding, text)


def check_both(encoding: Encoding, text: str) -> None:
    places = sentence_spans(text)
    sentences = targets(text, places)
    boundaries = easy(encoding, sentences)
    assert boundaries == sorted(boundaries)
    assert boundaries[-1] == len(encoding.pieces)
    assert fit(between(encoding, boundaries), sentences).match_rate >= 0.8  # ".The" costs two
    assert fit(exact(encoding, text, places), sentences).match_rate == 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    "model_id", ["smollm2-135m-instruct-q4_1", "qwen2.5-coder-0.5b-instruct-q4_k_m"]
)
def test_both_ways_on_the_tokenizers_of_real_models(model_id: str) -> None:
    from models.llama.api import LlamaModel
    from models.llama.library import self_test

    file = weights_of(model_id)
    self_test()
    model: Any = LlamaModel(file, gpu_layers=0)
    try:
        tokens = model.tokenize(TEXT, special=False)
        pieces = [model.piece(token) for token in tokens]
        encoding = Encoding(pieces, lambda text: len(model.tokenize(text, special=False)))
        check_both(encoding, TEXT)
    finally:
        model.close()


def test_targets_hold_the_blanks_between_sentences() -> None:
    text = "  One.  Two. \n Three. "
    parts = targets(text, sentence_spans(text))
    assert parts == ["  One.  ", "Two. \n ", "Three. "]
    assert [b - a for a, b in pairwise([0, 8, 15, 22])] == [len(part) for part in parts]
