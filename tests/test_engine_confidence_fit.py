"""Confidence: its calibration from a catalogue, the fit of one, and how good it is."""

from __future__ import annotations

import math

import pytest

from engine.confidence.calibration import DEFAULT, INTERCEPT, Calibration, calibration_of
from engine.confidence.fit import fit, quality
from engine.confidence.signals import Signals
from engine.errors import DataError
from models.roles import FittedWeights, ModelSet


def no_model(name: str):
    raise AssertionError(name)


def held(right: int, wrong: int, value: float) -> list[tuple[Signals, bool]]:
    rows = [(Signals(held=value), True)] * right
    return rows + [(Signals(held=value), False)] * wrong


def test_the_catalogues_weights_win_over_the_default():
    own = FittedWeights({INTERCEPT: 1.0, "likely": 2.0}, {"likely": -0.5})
    models = ModelSet("small", "large", no_model, confidence=own)
    found = calibration_of(models)
    assert found == Calibration({INTERCEPT: 1.0, "likely": 2.0}, {"likely": -0.5})
    assert found.log_odds(Signals(likely=-0.25)) == pytest.approx(0.5)
    assert found.confidence(Signals()) == pytest.approx(0.5)
    assert calibration_of(ModelSet("small", "large", no_model)) is DEFAULT


@pytest.mark.parametrize("where", ["weights", "typical"])
def test_a_name_that_is_no_signal_is_refused(where):
    numbers = {"weights": {INTERCEPT: 1.0}, "typical": {}}
    numbers[where] = {"mood": 1.0}
    models = ModelSet("s", "l", no_model, confidence=FittedWeights(**numbers))
    with pytest.raises(DataError, match="mood"):
        calibration_of(models)


def test_without_a_ridge_a_signal_of_two_values_gives_the_shares_themselves():
    """Of those at 1, 3 of 4 are right; of those at 0, 1 of 4: log odds of log 3 and -log 3."""
    found = fit(held(3, 1, 1.0) + held(1, 3, 0.0), ridge=0.0)
    assert found.weights == pytest.approx({INTERCEPT: -math.log(3), "held": 2 * math.log(3)})
    assert found.typical == {"held": 0.5}
    assert found.confidence(Signals(held=1.0)) == pytest.approx(0.75)
    assert found.confidence(Signals(held=0.0)) == pytest.approx(0.25)


def test_a_ridge_draws_the_weights_to_nothing():
    """Standardised signals are 1 and -1: the slope w solves 8 (s(w) - 3/4) + ridge · w = 0."""
    slope = 0.5
    ridge = 8 * (0.75 - 1 / (1 + math.exp(-slope))) / slope
    found = fit(held(3, 1, 1.0) + held(1, 3, 0.0), ridge=ridge)
    assert found.weights == pytest.approx({INTERCEPT: -slope, "held": 2 * slope})
    strict = fit(held(3, 1, 1.0) + held(1, 3, 0.0), ridge=1e9)
    assert strict.weights == pytest.approx({INTERCEPT: 0.0, "held": 0.0}, abs=1e-6)


def test_a_ridge_keeps_weights_finite_where_a_signal_tells_all():
    found = fit(held(5, 0, 1.0) + held(0, 5, 0.0))
    assert 0 < found.weights["held"] < 20
    assert found.confidence(Signals(held=1.0)) > 0.7


def test_the_unit_of_a_signal_does_not_matter():
    rows = held(3, 1, 1.0) + held(2, 3, 0.25) + held(1, 3, 0.0)
    hundreds = [(Signals(margin=100 * one.held), right) for one, right in rows]
    small, large = fit(rows), fit(hundreds)
    for one, right in zip(rows, hundreds, strict=True):
        assert small.confidence(one[0]) == pytest.approx(large.confidence(right[0]))


def test_a_missing_signal_counts_as_the_mean_of_the_others():
    rows = [(Signals(least_likely=value), value > 0) for value in (2.0, -1.0, 3.0, -2.0)]
    found = fit([*rows, (Signals(), True)])
    assert found.typical == {"least_likely": 0.5}
    assert found.confidence(Signals()) == pytest.approx(found.confidence(Signals(least_likely=0.5)))


def test_what_does_not_tell_replies_apart_has_no_weight():
    found = fit([(Signals(held=1.0, likely=-2.0), True)] * 3 + [(Signals(held=1.0), False)])
    assert found.weights == pytest.approx({INTERCEPT: math.log(3)})


def test_a_prior_is_scaled_and_shifted():
    """The prior says log odds 4 and 0; log 3 and -log 3 are right: half of it log 3, less log 3."""
    prior = Calibration({INTERCEPT: 0.0, "held": 4.0, "likely": 1.0}, {"likely": 0.0})
    found = fit(held(3, 1, 1.0) + held(1, 3, 0.0), prior, ridge=0.0)
    scale = math.log(3) / 2
    assert found.weights == pytest.approx(
        {INTERCEPT: -math.log(3), "held": 4 * scale, "likely": scale}
    )
    assert found.typical == prior.typical


def test_a_ridge_keeps_the_scale_of_a_prior():
    prior = Calibration({INTERCEPT: 0.0, "held": 4.0})
    found = fit(held(3, 1, 1.0) + held(1, 3, 0.0), prior, ridge=1e9)
    assert found.weights == pytest.approx({INTERCEPT: -2.0, "held": 4.0}, abs=1e-5)


def test_a_prior_that_says_the_contrary_is_not_believed():
    prior = Calibration({INTERCEPT: 0.0, "held": -2.0})
    found = fit(held(3, 1, 1.0) + held(2, 2, 0.0), prior, ridge=0.0)
    assert found.weights == pytest.approx({INTERCEPT: math.log(5 / 3), "held": 0.0})


def test_a_prior_that_says_the_same_of_all_is_shifted():
    prior = Calibration({INTERCEPT: 0.5, "held": 1.0})
    found = fit(held(3, 1, 1.0), prior)
    assert found.weights == pytest.approx({INTERCEPT: math.log(3) - 1, "held": 1.0})
    assert found.confidence(Signals(held=1.0)) == pytest.approx(0.75)


@pytest.mark.parametrize("rows", [[], held(4, 0, 1.0), held(0, 4, 1.0)])
def test_nothing_is_fitted_where_all_replies_end_alike(rows):
    with pytest.raises(DataError, match="all replies are right, or all are wrong"):
        fit(rows)


def test_quality_of_four_answers_by_hand():
    """Ordered: 0.9 right, 0.8 wrong, 0.6 right, 0.1 wrong; each has a bin of its own."""
    found = quality([(0.1, False), (0.9, True), (0.8, False), (0.6, True)])
    assert (found.count, found.right) == (4, 0.5)
    assert found.calibration_error == pytest.approx((0.1 + 0.8 + 0.4 + 0.1) / 4)
    assert found.risk_coverage == pytest.approx((0 + 1 / 2 + 1 / 3 + 2 / 4) / 4)
    assert found.brier == pytest.approx((0.01 + 0.64 + 0.16 + 0.01) / 4)
    assert found.auc == pytest.approx(3 / 4)


def test_bins_have_the_same_number_of_answers():
    """Twenty answers in ten bins of two; each bin has one right and one wrong at 0.02 apart."""
    pairs = [(at / 20 + 0.01 * (at % 2), at % 2 == 0) for at in range(20)]
    expected = sum(
        abs(1 - sum(chance for chance, _ in pairs[at : at + 2])) for at in range(0, 20, 2)
    )
    assert quality(pairs).calibration_error == pytest.approx(expected / 20)


def test_equal_probabilities_count_alike_in_any_order():
    pairs = [(0.5, True), (0.5, False), (0.5, True), (0.5, False)]
    found = quality(pairs)
    assert found == quality(sorted(pairs))
    assert (found.calibration_error, found.risk_coverage, found.auc) == (0.0, 0.5, 0.5)


def test_without_a_wrong_answer_there_is_no_auc():
    found = quality([(0.5, True), (1.0, True)])
    assert found.auc is None
    assert found.risk_coverage == 0.0
    with pytest.raises(DataError, match="no answer"):
        quality([])
