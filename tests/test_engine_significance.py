"""Intervals of means and of paired differences."""

from __future__ import annotations

import pytest

from engine.evaluation.significance import mean_interval, paired_difference


def test_a_difference_that_never_varies_is_certain() -> None:
    found = paired_difference([0.5, 1.0, 0.25], [0.25, 0.75, 0.0])
    assert (found.mean, found.low, found.high) == (0.25, 0.25, 0.25)


def test_the_interval_is_that_of_the_normal_approximation() -> None:
    # 50 ones of 100: the mean's standard error is 0.05, its 95 % interval 0.402 to 0.598
    found = mean_interval([0.0, 1.0] * 50)
    assert found.mean == 0.5
    assert found.low == pytest.approx(0.402, abs=0.015)
    assert found.high == pytest.approx(0.598, abs=0.015)


def test_pairing_narrows_what_varies_with_the_question() -> None:
    ones, others = [0.1, 0.9] * 20, [0.0, 0.8] * 20
    paired = paired_difference(ones, others)
    assert paired.low == pytest.approx(paired.high)
    assert paired.mean == pytest.approx(0.1)


def test_it_refuses_what_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="nothing"):
        mean_interval([])
    with pytest.raises(ValueError, match="argument 2"):
        paired_difference([1.0, 2.0], [1.0])
