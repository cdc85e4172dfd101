"""The computation allocation model on simulated data, where the truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import get_args

import numpy as np
import pytest

from engine.allocation import PAPER, Fit, Informativeness, Sigmoid, Variant
from engine.budget.prediction import predicted, sigma
from tests.bench.allocation_fit import (
    Point,
    TooFewPoints,
    fit,
    informativeness,
    inverse,
    normalised,
    p_values,
    refit,
    without_extremes,
)
from tests.bench.allocation_picks import best_within, extrapolated, unseen

ABOUT = {
    "easy": Informativeness(1.2, 0.9),
    "hard": Informativeness(0.3, 0.1),
    "odd": Informativeness(2.0, 0.4),
}
TRUTH = Fit(a=(0.3, 0.1, 0.2), b=(-0.07, -0.02), c=-0.4)


KS, MS, NS = (0, 1, 5, 20, 50), (0, 1, 4, 8), (1, 2, 5)


def simulated(
    truth: Fit = TRUTH,
    noise: float = 0.05,
    seed: int = 3,
    ks: Sequence[int] = KS,
    ms: Sequence[int] = MS,
    sets: Sequence[str] = tuple(ABOUT),
) -> list[Point]:
    """Return points whose sigma^-1 lies on the model, with normal noise."""
    random = np.random.default_rng(seed)
    points = []
    for dataset in sets:
        for k, m, n in product(ks, ms, NS):
            exact = predicted(truth, (k, m, n), ABOUT[dataset])
            inner = inverse(truth.sigmoid, np.array([exact])) + random.normal(0, noise)
            z = float(sigma(truth.sigmoid, inner)[0])
            points.append(Point(dataset, k, m, n, z, 100.0 * (1 + k + m) * n))
    return points


def test_the_sigmoid_and_its_inverse() -> None:
    assert sigma(Sigmoid(), np.array([-0.46]))[0] == pytest.approx(3.30 / 2 - 2.18)
    x = np.array([-2.0, -0.46, 0.0, 1.5])
    assert inverse(Sigmoid(), sigma(Sigmoid(), x)) == pytest.approx(x)
    assert np.isfinite(inverse(Sigmoid(), np.array([-9.0, -2.18, 1.12, 9.0]))).all()


def test_known_parameters_are_recovered_within_their_errors() -> None:
    """One standard error holds the truth in 68 of 100 simulations, two in 95."""
    truth = np.array([*TRUTH.a, *TRUTH.b, TRUTH.c])
    distances = []
    for seed in range(60):
        found = fit(simulated(seed=seed), ABOUT.__getitem__)
        distances.append(abs(np.array([*found.a, *found.b, found.c]) - truth) / found.errors)
    assert np.mean(np.array(distances) <= 1) == pytest.approx(0.683, abs=0.06)
    assert np.mean(np.array(distances) <= 2) == pytest.approx(0.954, abs=0.03)
    assert max(found.errors) < 0.05
    assert found.r2 > 0.9
    assert found.mse == pytest.approx(0.05**2, rel=0.3)
    assert found.points == 3 * 5 * 4 * 3


def test_p_values_tell_what_matters_from_what_does_not() -> None:
    truth = replace(TRUTH, a=(0.3, 0.0, 0.2), b=(-0.07, 0.0))
    p = p_values(fit(simulated(truth), ABOUT.__getitem__))
    assert max(p[0], p[2], p[3]) < 0.001
    assert min(p[1], p[4]) > 0.01


@pytest.mark.parametrize("seed", range(3))
def test_the_ablations_stand_in_the_papers_order(seed: int) -> None:
    """Table 2: 0.866, 0.867, 0.876, 0.903, over configurations that have documents and examples.

    Where none is 0 the logarithms keep their sign, so that their squares still grow with them.
    """
    points = simulated(PAPER, noise=0.1, seed=seed, ks=(1, 2, 5, 20, 50), ms=(1, 4, 8))
    order: tuple[Variant, ...] = ("without_b", "quadratic", "linear", "sigmoidal")
    r2 = [fit(points, ABOUT.__getitem__, variant).r2 for variant in order]
    assert r2 == sorted(r2)
    assert r2[0] > 0.8


@pytest.mark.parametrize("variant", get_args(Variant))
def test_a_variant_predicts_what_it_was_fitted_to_predict(variant: Variant) -> None:
    found = fit(simulated(), ABOUT.__getitem__, variant)
    theta, i = (5, 4, 2), ABOUT["hard"]
    logs = np.log(np.array(theta) + 0.01)
    if variant == "quadratic":
        logs = logs**2
    gains = (i.document * logs[0], i.shot * logs[1])
    inner = np.dot([*found.a, *found.b, found.c], [*logs, *gains, 1.0])
    wanted = inner if variant == "linear" else sigma(found.sigmoid, np.array([inner]))[0]
    assert predicted(found, theta, i) == pytest.approx(wanted)
    assert np.isnan(p_values(found)).tolist() == [
        variant == "without_b" and one in (3, 4) for one in range(6)
    ]


def test_another_sigmoid_is_found_again() -> None:
    flat = replace(TRUTH, sigmoid=Sigmoid(height=5.0, slope=0.9, shift=0.1, floor=-2.5))
    points = simulated(flat, noise=0.01)
    ours, published = refit(points, ABOUT.__getitem__), fit(points, ABOUT.__getitem__)
    assert ours.sigmoid != published.sigmoid
    assert ours.sigmoid.height > published.sigmoid.height
    assert ours.r2 > published.r2


def test_what_points_cannot_tell_apart_is_refused_by_name() -> None:
    """DRAG alone has one round; on one data set what a document gains is the same everywhere."""
    with pytest.raises(TooFewPoints, match="tell apart: rounds, the constant"):
        fit([point for point in simulated() if point.n == 1], ABOUT.__getitem__)
    named = "documents, examples, documents by what one gains, examples by what one gains"
    with pytest.raises(TooFewPoints, match=f"tell apart: {named}"):
        fit(simulated(sets=["easy"]), ABOUT.__getitem__)
    assert fit(simulated(sets=["easy"]), ABOUT.__getitem__, "without_b").r2 > 0.9
    with pytest.raises(TooFewPoints, match="equally well"):
        fit([replace(point, performance=0.0) for point in simulated()], ABOUT.__getitem__)


def test_the_paper_s_parameters_are_a_preset() -> None:
    i = Informativeness(0.5, 0.2)
    by_hand = (
        (0.325 - 0.067 * 0.5) * np.log(10.01)
        + (0.101 - 0.008 * 0.2) * np.log(2.01)
        + 0.177 * np.log(3.01)
        - 0.730
    )
    assert predicted(PAPER, (10, 2, 3), i) == pytest.approx(
        float(sigma(Sigmoid(), np.array([by_hand]))[0])
    )


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


def test_at_one_round_the_first_method_counts() -> None:
    points = [Point("x", 0, 0, 1, 0.2), Point("x", 1, 0, 1, 0.5), Point("x", 0, 1, 1, 0.3)]
    found = informativeness([*points, Point("x", 1, 0, 1, 0.9)], "x")
    assert found.document == pytest.approx(0.3)


def test_peak_and_valley_are_left_out() -> None:
    points = [Point("x", k, 0, 1, float(k)) for k in (2, 9, 1, 5)]
    assert [point.k for point in without_extremes(points)] == [2, 5]
    assert without_extremes(points[:1]) == []


def test_too_few_points_are_refused_with_the_number_needed() -> None:
    eleven = simulated(ks=(0, 1), ms=(0, 1), sets=["easy", "hard"])[1:]
    with pytest.raises(TooFewPoints, match="easy has 11 configurations; a fit needs 12"):
        fit(eleven, ABOUT.__getitem__)
    twice = [*eleven, replace(eleven[0], performance=0.5)]  # of both methods: one configuration
    with pytest.raises(TooFewPoints, match="easy has 11 configurations"):
        fit(twice, ABOUT.__getitem__)
    assert fit(eleven, ABOUT.__getitem__, least=11).points == 23
    with pytest.raises(TooFewPoints, match="Measure 12"):
        fit([], ABOUT.__getitem__)


def in_raw(points: Sequence[Point]) -> list[Point]:
    """Return what a study measures: the points, and among them those that i is taken from."""
    return [replace(point, performance=0.4 + 0.1 * point.performance) for point in points]


def turned(points: Sequence[Point], dataset: str, beyond: float = 0.0) -> list[Point]:
    """Return the points with one data set's upside down, as far as contexts are longer."""
    return [
        replace(p, performance=0.8 - p.performance)
        if p.dataset == dataset and p.context > beyond
        else p
        for p in points
    ]


def test_a_prediction_generalises_to_a_data_set_it_has_not_seen() -> None:
    raw = in_raw(simulated(noise=0.02))
    for dataset in ABOUT:
        pick = unseen(raw, dataset, budget=5000)
        assert pick is not None
        assert pick.predicted.context <= 5000
        assert pick.oracle.performance - pick.predicted.performance < 0.02
        assert pick.baseline is not None
        assert pick.baseline.theta == (20, 8, 1)  # the most documents that fit


def test_a_data_set_left_out_teaches_nothing() -> None:
    """One where documents harm: a model that never saw it takes as many as elsewhere."""
    raw = in_raw(simulated(noise=0.0))
    harmed = turned(raw, "hard", beyond=300)  # but for the points that i is taken from
    pick = unseen(harmed, "hard", budget=5000)
    assert pick is not None
    assert pick.predicted.k >= 5
    assert pick.predicted.performance < pick.oracle.performance


def test_two_data_sets_leave_one_which_tells_nothing_apart() -> None:
    raw = in_raw(simulated(sets=["easy", "hard"]))
    with pytest.raises(TooFewPoints, match="tell apart"):
        unseen(raw, "hard", budget=5000)


def test_a_prediction_reaches_beyond_the_lengths_it_has_seen() -> None:
    raw = in_raw(simulated(noise=0.02))
    picks = extrapolated(raw, short=3000, long=1e6)
    assert picks.keys() == ABOUT.keys()
    for pick in picks.values():
        assert pick is not None
        assert pick.predicted.context > 3000
        assert pick.oracle.performance - pick.predicted.performance < 0.02


def test_long_contexts_are_unknown_to_an_extrapolation() -> None:
    """What they reach changes neither the model nor the mean that it is fitted to."""
    raw = in_raw(simulated(noise=0.0))
    known = extrapolated(raw, short=3000, long=1e6)
    changed = [
        replace(p, performance=p.performance - 0.01 * p.k) if p.context > 3000 else p for p in raw
    ]
    again = extrapolated(changed, short=3000, long=1e6)
    for dataset, pick in known.items():
        other = again[dataset]
        assert pick is not None
        assert other is not None
        assert other.predicted.theta == pick.predicted.theta
        assert other.oracle.theta != pick.oracle.theta


def test_a_data_set_without_a_short_point_is_refused() -> None:
    raw = in_raw(simulated())
    long = [replace(p, context=p.context + 1e5) if p.dataset == "odd" else p for p in raw]
    with pytest.raises(TooFewPoints, match="odd has 0 configurations within 3,000 tokens"):
        extrapolated(long, short=3000, long=1e6)


def test_nothing_fits_a_budget_of_nothing() -> None:
    assert best_within(simulated(), 10, TRUTH, ABOUT["easy"]) is None


def test_the_baseline_shows_the_most_examples_there_are() -> None:
    few = [point for point in simulated() if point.m <= 4]
    pick = best_within(few, 1e9, TRUTH, ABOUT["easy"])
    assert pick is not None
    assert pick.baseline is not None
    assert (pick.baseline.m, pick.baseline.n) == (max(point.m for point in few), 1)
