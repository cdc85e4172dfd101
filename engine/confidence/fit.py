"""Fits the model that joins signals to a probability, and says how good one is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from engine.confidence.calibration import INTERCEPT, SIGNALS, Calibration
from engine.confidence.signals import Signals
from engine.errors import DataError

RIDGE = 1.0
BINS = 10
STEPS = 100
EXACT = 1e-10
"""A Newton step that changes no weight by more than this is the last."""

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Quality:
    """How well probabilities foretold what is right. Equal ones count alike in any order."""

    count: int
    right: float
    """Share of the answers that are right."""
    calibration_error: float
    """Expected calibration error: over bins of equal count, how far the share of right answers is
    from the mean probability."""
    risk_coverage: float
    """Area under the risk-coverage curve: the share of wrong answers among the surest, as a mean
    over all numbers of answers let through. Less is better."""
    brier: float
    """Mean squared distance from 1 where right, from 0 where wrong."""
    auc: float | None
    """Chance that a right answer has a higher probability than a wrong one; None without both."""


def fit(
    rows: Sequence[tuple[Signals, bool]], prior: Calibration | None = None, ridge: float = RIDGE
) -> Calibration:
    """Fit a calibration by ridge logistic regression on signals and whether the reply was right.

    Signals are standardised, so that `ridge` weighs alike on all; a missing one takes the mean.
    With a `prior` only the scale and the shift of its log odds are fitted (Platt scaling), for
    few rows; `ridge` then draws the scale to 1.
    Raises `DataError` unless there are right replies and wrong ones.
    """
    right = np.array([float(outcome) for _, outcome in rows])
    if not 0 < right.sum() < len(right):
        raise DataError(
            "A confidence cannot be fitted: all replies are right, or all are wrong.",
            remedy="Fit it on more questions.",
        )
    signals = [one for one, _ in rows]
    return _scaled(prior, signals, right, ridge) if prior else _fitted(signals, right, ridge)


def _fitted(signals: Sequence[Signals], right: Vector, ridge: float) -> Calibration:
    known = [asdict(one) for one in signals]
    columns: dict[str, Vector] = {}
    typical: dict[str, float] = {}
    spread: dict[str, float] = {}
    for name in SIGNALS:
        values = [row[name] for row in known]
        given = [value for value in values if value is not None]
        if not given or max(given) == min(given):
            continue  # it tells replies apart in none of the rows
        typical[name], spread[name] = float(np.mean(given)), float(np.std(given))
        filled = np.array([typical[name] if value is None else value for value in values])
        columns[name] = (filled - typical[name]) / spread[name]
    names = tuple(columns)
    matrix = np.column_stack([*columns.values()]) if names else np.zeros((len(right), 0))
    intercept, slopes = _newton(matrix, right, ridge, np.zeros(len(names)))
    weights = {name: float(slopes[at]) / spread[name] for at, name in enumerate(names)}
    shift = sum(weight * typical[name] for name, weight in weights.items())
    return Calibration({INTERCEPT: intercept - shift, **weights}, typical)


def _scaled(
    prior: Calibration, signals: Sequence[Signals], right: Vector, ridge: float
) -> Calibration:
    odds = np.array([prior.log_odds(one) for one in signals])
    mean, spread = float(odds.mean()), float(odds.std())
    if spread < EXACT:  # the prior tells no reply from another: only the shift is known
        shift, _ = _newton(np.zeros((len(right), 0)), right, ridge, np.zeros(0))
        scale, shift = 1.0, shift - mean
    else:
        column = ((odds - mean) / spread)[:, None]
        middle, slopes = _newton(column, right, ridge, np.array([spread]))
        scale = float(slopes[0]) / spread
        if scale < 0:  # the surer the prior, the more often wrong: it is believed in nothing
            scale, middle = 0.0, math.log(right.mean() / (1 - right.mean()))
        shift = middle - scale * mean
    weights = {name: scale * weight for name, weight in prior.weights.items()}
    weights[INTERCEPT] = weights.get(INTERCEPT, 0.0) + shift
    return Calibration(weights, dict(prior.typical))


def _newton(matrix: Vector, right: Vector, ridge: float, toward: Vector) -> tuple[float, Vector]:
    """Return intercept and slopes with the least loss; the intercept is not drawn anywhere.

    The loss is convex; a step that would raise it is halved, so that every start ends there.
    """
    design = np.column_stack([np.ones(len(right)), matrix])
    pull = np.array([0.0, *([ridge] * len(toward))])
    target = np.array([0.0, *toward])
    weights = np.zeros(len(target))

    def loss(at: Vector) -> float:
        odds = design @ at
        return float(np.logaddexp(0.0, odds).sum() - right @ odds + 0.5 * pull @ (at - target) ** 2)

    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(design @ weights, -500, 500)))
        gradient = design.T @ (chance - right) + pull * (weights - target)
        curve = (design.T * (chance * (1 - chance))) @ design + np.diag(pull)
        step = np.linalg.lstsq(curve, gradient, rcond=None)[0]
        before = loss(weights)
        while loss(weights - step) > before and np.abs(step).max() > EXACT:
            step = step / 2
        weights = weights - step
        if np.abs(step).max() <= EXACT:
            break
    return float(weights[0]), weights[1:]


def quality(pairs: Sequence[tuple[float, bool]]) -> Quality:
    """Return how good probabilities are, each with whether its reply was right.

    Raises `DataError` where there are none.
    """
    if not pairs:
        raise DataError("There is no answer to judge.", remedy="Ask more questions.")
    order = sorted(pairs, key=lambda pair: -pair[0])
    chance = np.array([one for one, _ in order])
    right = np.array([float(outcome) for _, outcome in order])
    _, group, sizes = np.unique(-chance, return_inverse=True, return_counts=True)
    alike = (np.bincount(group, weights=right) / sizes)[group]
    gaps = [
        abs(float(alike[part].sum() - chance[part].sum()))
        for part in np.array_split(np.arange(len(order)), min(BINS, len(order)))
    ]
    risks = np.cumsum(1 - alike) / np.arange(1, len(order) + 1)
    return Quality(
        count=len(order),
        right=float(right.mean()),
        calibration_error=sum(gaps) / len(order),
        risk_coverage=float(risks.mean()),
        brier=float(((chance - right) ** 2).mean()),
        auc=_auc(chance[right == 1], chance[right == 0]),
    )


def _auc(right: Vector, wrong: Vector) -> float | None:
    if not len(right) or not len(wrong):
        return None
    ranked = np.sort(wrong)
    below = np.searchsorted(ranked, right, "left")
    upto = np.searchsorted(ranked, right, "right")
    return float((below + upto).mean() / 2 / len(wrong))
