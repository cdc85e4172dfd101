"""Fusion against examples worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from engine.retrieval.fusion import reciprocal_ranks, weighted_sum

BM25 = np.array([4.0, 2.0, 0.0, 2.0])
COSINES = np.array([-0.5, 0.5, 0.0, -0.5])


def test_reciprocal_ranks_give_nothing_to_what_was_not_found() -> None:
    fused = reciprocal_ranks([BM25, COSINES])
    assert fused.tolist() == pytest.approx([1 / 61, 1 / 62 + 1 / 61, 0.0, 1 / 63])


def test_reciprocal_ranks_do_not_depend_on_the_scale() -> None:
    assert reciprocal_ranks([BM25 * 1000]).tolist() == reciprocal_ranks([BM25]).tolist()


@pytest.mark.parametrize(
    ("normalisation", "expected"),
    [
        ("none", [1.75, 1.25, 0.0, 0.75]),
        ("maximum", [0.0, 0.75, 0.0, -0.25]),
        ("range", [0.5, 0.75, 0.25, 0.25]),
    ],
)
def test_weighted_sums_by_hand(normalisation: str, expected: list[float]) -> None:
    fused = weighted_sum([BM25, COSINES], [0.5, 0.5], normalisation)  # type: ignore[arg-type]
    assert fused.tolist() == pytest.approx(expected)


def test_a_ranking_without_a_difference_counts_nothing() -> None:
    same = np.full(4, 3.0)
    assert weighted_sum([BM25, same], [1.0, 1.0], "range").tolist() == [1.0, 0.5, 0.0, 0.5]
    assert weighted_sum([np.zeros(4)], [1.0], "maximum").tolist() == [0.0] * 4


def test_every_ranking_has_its_weight() -> None:
    with pytest.raises(ValueError, match="argument"):
        weighted_sum([BM25, COSINES], [1.0])


def test_no_passages() -> None:
    empty = np.zeros(0)
    assert reciprocal_ranks([empty]).tolist() == []
    assert weighted_sum([empty], [1.0], "range").tolist() == []
