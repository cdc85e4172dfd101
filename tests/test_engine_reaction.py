"""Reaction vector and sentence scores against numbers worked by hand; sentences of odd texts.

That one pass says what two would is tested on a real model in
`test_models_runtime_attention.py`.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.attention.reaction import evenness, reaction, sentence_scores, token_scores, tokens_of
from engine.language.sentences import MAX_CHARACTERS, sentence_spans
from models.protocols import AttentionColumns

ROWS = np.array(
    [
        [1.0, 0.0, 0.0],
        [0.4, 0.6, 0.0],
        [0.2, 0.3, 0.5],
        [0.1, 0.1, 0.4],  # the query's two rows; the rest of them is attention within the query
        [0.1, 0.5, 0.2],
    ]
)


def columns(rows: np.ndarray, c: int, spans: list[tuple[int, int]]) -> AttentionColumns:
    """Return what a reader makes of the rows of one layer or of several, shape (…, c + q, c)."""
    layers = rows if rows.ndim == 3 else rows[None]
    return AttentionColumns(
        layers=tuple(range(len(layers))),
        context_sums=layers[:, :c].sum(axis=1),
        query_sums=layers[:, c:].sum(axis=1),
        query_tokens=rows.shape[-2] - c,
        spans=np.array(spans, dtype=np.int64),
    )


def test_the_reaction_vector_by_hand() -> None:
    """S = (1.6, 0.9, 0.5), R = (0.2, 0.6, 0.6), c = 3, q = 2."""
    found = columns(ROWS, 3, [(0, 2), (2, 4), (4, 6)])
    by_hand = [1.6 / 3 - 1.8 / 5, 0.9 / 3 - 1.5 / 5, 1.1 / 5 - 0.5 / 3]
    assert reaction(found) == pytest.approx(by_hand)
    two_passes = np.abs(ROWS[:3].mean(axis=0) - ROWS.mean(axis=0))  # equation 1 as it stands
    assert reaction(found) == pytest.approx(two_passes)


def test_layers_are_averaged_after_the_difference() -> None:
    other = ROWS[:, [0, 2, 1]]
    both = reaction(columns(np.stack([ROWS, other]), 3, [(0, 2), (2, 4), (4, 6)]))
    one = reaction(columns(ROWS, 3, [(0, 2), (2, 4), (4, 6)]))
    assert both == pytest.approx([one[0], (one[1] + one[2]) / 2, (one[1] + one[2]) / 2])


def test_scores_of_windows_of_different_lengths_are_comparable() -> None:
    """Spread evenly over each row, twice as many tokens score as much, not half."""

    def halves(c: int) -> AttentionColumns:
        """The context attends to its first half, the query to its second; rows sum to 1."""
        context = np.tile(np.repeat([2 / c, 0.0], c // 2), (c, 1))
        query = np.tile(np.repeat([0.0, 2 / c], c // 2), (3, 1))
        return columns(np.concatenate([context, query]), c, [(i, i + 1) for i in range(c)])

    small, large = halves(10), halves(20)
    assert reaction(small)[0] > 2 * reaction(large)[0]
    assert reaction(small) * evenness(small) == pytest.approx([2.0] * 10)
    assert reaction(large) * evenness(large) == pytest.approx([2.0] * 20)
    assert token_scores(small, "query") == pytest.approx([0.0] * 5 + [2.0] * 5)


def test_even_attention_reacts_by_place_alone_but_not_the_query() -> None:
    """Row i gives 1/i to each token: S/c falls from ln(c)/c to 1/c², and R/q is 1/c."""
    c = 100
    context = np.tril(np.ones((c, c))) / np.arange(1, c + 1)[:, None]
    even = columns(
        np.concatenate([context, np.full((2, c), 1 / c)]), c, [(i, i + 1) for i in range(c)]
    )
    found = token_scores(even, "reaction")
    assert found[0] == pytest.approx(np.sum(1 / np.arange(1, c + 1)) - 1)  # 4.19
    assert found[-1] == pytest.approx(1 - 1 / c)
    assert found.min() < 0.02  # between them, at about c/e
    assert 30 < found.argmin() < 44
    assert token_scores(even, "query") == pytest.approx([1.0] * c)


def test_a_sentence_scores_the_mean_of_its_tokens() -> None:
    vector = np.array([9.0, 1.0, 4.0, 2.0, 8.0])
    tokens = [(0, 2), (1, 3), (3, 5), (5, 5), (0, 1)]
    arithmetic = sentence_scores(vector, tokens, "arithmetic", sinks=1)
    assert arithmetic == pytest.approx([1.0, 2.5, 5.0, 0.0, 0.0])
    geometric = sentence_scores(vector, tokens, "geometric", sinks=1)
    assert geometric == pytest.approx([1.0, 2.0, 4.0, 0.0, 0.0])


def test_tokens_belong_to_the_sentences_whose_characters_they_hold() -> None:
    """ "Yes.The end." where a token holds ".T", as in the paper's example."""
    spans = np.array([(0, 0), (0, 3), (3, 5), (5, 7), (7, 11), (11, 12)])
    assert tokens_of(spans, [(0, 4), (4, 12)]) == [(1, 3), (2, 6)]
    assert tokens_of(spans, [(12, 12)]) == [(6, 6)]


TEXTS = {
    "english": ("Dr. Lee paid $3.50 to J. K. Hill. Why? It was due.", 3),
    "empty": ("", 0),
    "blank": (" \n\n\t ", 0),
    "no end": ("milk eggs bread and nothing that ends", 1),
    "chinese": ("租约于三月开始。谁签的\uff1f林先生\uff01", 3),
    "japanese": ("契約は三月に始まる。誰が署名したか\uff1f", 2),
    "arabic": ("بدأ العقد في مارس. من وقعه؟ السيد لين.", 3),
    "hebrew": ("החוזה התחיל במרץ. מי חתם עליו? מר לין.", 3),
    "wrapped": ("The lease of the boathouse\nbegins in March. It ends\nin May.", 2),
    "two paragraphs": ("A heading\n\nThe text below it", 2),
}


@pytest.mark.parametrize("name", TEXTS)
def test_sentences_of_many_scripts(name: str) -> None:
    text, count = TEXTS[name]
    assert len(sentence_spans(text)) == count


def test_a_sentence_without_end_is_cut_between_its_words() -> None:
    text = "word " * 10_000
    parts = sentence_spans(text)
    assert max(end - begin for begin, end in parts) <= MAX_CHARACTERS
    assert "".join(text[a:b] for a, b in parts).replace(" ", "") == "word" * 10_000
    assert all(text[a:b].startswith("word") and text[a:b].endswith("word") for a, b in parts)


def test_a_word_without_end_is_cut_all_the_same() -> None:
    assert sentence_spans("x" * (2 * MAX_CHARACTERS + 1))[-1] == (1000, 1001)


def test_a_long_list_is_cut_at_its_lines() -> None:
    text = "\n".join(f"- entry {i} of the list" for i in range(60))
    assert len(sentence_spans(text)) == 60


@given(st.text(max_size=300))
def test_sentences_are_in_order_and_leave_out_only_blanks(text: str) -> None:
    parts = sentence_spans(text)
    at = 0
    for begin, end in parts:
        assert at <= begin < end <= len(text)
        assert not text[at:begin].strip()
        at = end
    assert not text[at:].strip()
    assert sentence_spans(text + "\ud800") is not None  # half a pair, as damaged files have it
