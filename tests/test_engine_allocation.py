"""The computation allocation model on simulated data, where the truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from engine.evaluation.allocating import best_within, extrapolate, leave_one_out
from engine.evaluation.allocation import (
    LEAST_POINTS,
    PAPER,
    Fit,
    Informativeness,
    Point,
    Sigmoid,
    TooFewPoints,
    Variant,
    fit,
    informativeness,
    normalised,
    without_extremes,
)

ABOUT = {
    "easy": Informativeness(1.2, 0.9),
    "hard": Informativeness(0.3, 0.1),
    "odd": Informativeness(2.0, 0.4),
}
TRUTH = Fit(a=(0.3, 0.1, 0.2), b=(-0.07, -0.02), c=-0.4)


def simulated(
    truth: Fit = TRUTH, noise: float = 0.05, seed: int = 3, ks: Sequence[int] = (0, 1, 5, 20, 50)
) -> list[Point]:
    """Return points whose sigma^-1 lies on the model, with normal noise."""
    random = np.random.default_rng(seed)
    points = []
    for dataset, i in ABOUT.items():
        for k in ks:
            for m in (0, 1, 4, 8):
                for n in (1, 2, 5):
                    exact = truth.predict((k, m, n), i)
                    inner = Sigmoid().inverse(np.array([exact])) + random.normal(0, noise)
                    z = float(Sigmoid()(inner)[0])
                    points.append(Point(dataset, k, m, n, z, 100.0 * (1 + k + m) * n))
    return points


def test_the_sigmoid_and_its_inverse() -> None:
    assert Sigmoid()(np.array([-0.46]))[0] == pytest.approx(3.30 / 2 - 2.18)
    x = np.array([-2.0, -0.46, 0.0, 1.5])
    assert Sigmoid().inverse(Sigmoid()(x)) == pytest.approx(x)
    assert np.isfinite(Sigmoid().inverse(np.array([-9.0, -2.18, 1.12, 9.0]))).all()


def test_known_parameters_are_recovered_within_their_errors() -> None:
    found = fit(simulated(), ABOUT.__getitem__)
    values = np.array([*found.a, *found.b, found.c])
    truth = np.array([*TRUTH.a, *TRUTH.b, TRUTH.c])
    assert (abs(values - truth) <= 3 * np.array(found.errors)).all()
    assert max(found.errors) < 0.05
    assert found.r2 > 0.9
    assert found.mse == pytest.approx(0.05**2, rel=0.3)
    assert found.points == 3 * 5 * 4 * 3


def test_p_values_tell_what_matters_from_what_does_not() -> None:
    truth = replace(TRUTH, a=(0.3, 0.0, 0.2), b=(-0.07, 0.0))
    p = fit(simulated(truth), ABOUT.__getitem__).p_values()
    assert max(p[0], p[2], p[3]) < 0.001
    assert min(p[1], p[4]) > 0.01


def test_the_ablations_stand_in_the_papers_order() -> None:
    # The more of the sigmoid the data covers, the more it matters.
    truth = replace(TRUTH, a=(0.6, 0.25, 0.4), b=(-0.2, -0.1), c=-0.2)
    points = simulated(truth, noise=0.1)
    variants: tuple[Variant, ...] = ("sigmoidal", "linear", "quadratic", "without_b")
    by = {variant: fit(points, ABOUT.__getitem__, variant) for variant in variants}
    assert by["sigmoidal"].r2 > by["linear"].r2
    assert by["sigmoidal"].r2 > by["quadratic"].r2
    assert by["sigmoidal"].r2 > by["without_b"].r2


def test_the_paper_s_parameters_are_a_preset() -> None:
    i = Informativeness(0.5, 0.2)
    by_hand = (
        (0.325 - 0.067 * 0.5) * np.log(10.01)
        + (0.101 - 0.008 * 0.2) * np.log(2.01)
        + 0.177 * np.log(3.01)
        - 0.730
    )
    assert PAPER.predict((10, 2, 3), i) == pytest.approx(float(Sigmoid()(np.array([by_hand]))[0]))


def test_points_are_normalised_for_each_data_set() -> None:
    points = normalised(
        [Point("x", k, 0, 1, float(k)) for k in (1, 3)] + [Point("y", 1, 0, 1, 9.0)]
    )
    assert [point.performance for point in points] == [-1.0, 1.0, 0.0]


def test_informativeness_is_the_gain_over_nothing() -> None:
    points = [Point("x", 0, 0, 1, 0.2), Point("x", 1, 0, 1, 0.5), Point("x", 0, 1, 1, 0.3)]
    found = informativeness(points, "x")
    assert (found.document, found.shot) == pytest.approx((0.3, 0.1))
    with pytest.raises(TooFewPoints, match=r"\(0, 1, 1\)"):
        informativeness(points[:2], "x")


def test_peak_and_valley_are_left_out() -> None:
    points = [Point("x", k, 0, 1, float(k)) for k in (2, 9, 1, 5)]
    assert [point.k for point in without_extremes(points)] == [2, 5]


def test_too_few_points_are_refused_with_the_number_needed() -> None:
    with pytest.raises(TooFewPoints, match=f"3 configurations; a fit needs {LEAST_POINTS}"):
        fit(simulated()[:3], ABOUT.__getitem__)
    with pytest.raises(TooFewPoints):
        fit([], ABOUT.__getitem__)


def test_a_prediction_generalises_to_a_data_set_it_has_not_seen() -> None:
    points = simulated(noise=0.02)
    picks = leave_one_out(points, points, ABOUT.__getitem__, budget=5000)
    for pick in picks.values():
        assert pick is not None
        assert pick.predicted.context <= 5000
        assert pick.oracle.performance - pick.predicted.performance < 0.1
        assert pick.baseline is not None
        assert pick.baseline.m == 8


def test_a_prediction_reaches_beyond_the_lengths_it_has_seen() -> None:
    points = simulated(noise=0.02)
    picks = extrapolate(points, points, ABOUT.__getitem__, short=3000, long=1e6)
    for pick in picks.values():
        assert pick is not None
        assert pick.predicted.context > 3000
        assert pick.oracle.performance - pick.predicted.performance < 0.1


def test_nothing_fits_a_budget_of_nothing() -> None:
    assert best_within(simulated(), 10, TRUTH, ABOUT["easy"]) is None
