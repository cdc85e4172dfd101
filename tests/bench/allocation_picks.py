"""Which configuration the computation allocation model picks, and how good it turns out to be.

Inference scaling, tables 3 and 4: on a data set it was not fitted to, and on longer contexts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from engine.allocation import Fit, Informativeness
from engine.budget.allocation_file import LEAST_POINTS
from engine.budget.prediction import predicted
from tests.bench.allocation_fit import (
    Point,
    TooFewPoints,
    fit,
    informativeness,
    normalised,
)


@dataclass(frozen=True, slots=True)
class Pick:
    """Measured performance of three configurations within one budget."""

    predicted: Point
    oracle: Point
    baseline: Point | None
    """The most documents with the most examples measured (in the paper eight) in one round; None
    where none of these fits."""

    @property
    def share(self) -> float:
        """What the prediction reaches of the oracle; NaN where the oracle reaches nothing."""
        best = self.oracle.performance
        return self.predicted.performance / best if best else float("nan")


def best_within(
    points: Sequence[Point], budget: float, model: Fit, about: Informativeness
) -> Pick | None:
    """Return the picks among one data set's measured points; None where nothing fits.

    `points` carry raw performance and effective context.
    """
    within = [point for point in points if point.context <= budget]
    if not within:
        return None
    most = max((point.m for point in points), default=0)
    shots = [point for point in within if point.m == most and point.n == 1]
    return Pick(
        max(within, key=lambda point: predicted(model, point.theta, about)),
        max(within, key=lambda point: point.performance),
        max(shots, key=lambda point: point.k, default=None),
    )


def unseen(raw: Sequence[Point], dataset: str, budget: float) -> Pick | None:
    """Return a data set's picks by a model fitted to all others (table 3).

    `raw` carries measured performance of all data sets. Raises `TooFewPoints`.
    """
    points = normalised(raw)
    model = fit([p for p in points if p.dataset != dataset], partial(informativeness, points))
    own = [point for point in raw if point.dataset == dataset]
    return best_within(own, budget, model, informativeness(points, dataset))


def extrapolated(raw: Sequence[Point], short: float, long: float) -> dict[str, Pick | None]:
    """Return each data set's picks within `long` tokens, fitted within `short` ones (table 4).

    Of longer contexts the model knows nothing, nor how far they lie from the mean. Raises
    `TooFewPoints`, also where one data set has too few short points.
    """
    known = [point for point in raw if point.context <= short]
    points = normalised(known)
    about = partial(informativeness, points)
    sets = list(dict.fromkeys(point.dataset for point in raw))
    left_out = [one for one in sets if all(point.dataset != one for point in known)]
    if left_out:
        raise TooFewPoints(
            f"{left_out[0]} has 0 configurations within {short:,.0f} tokens; "
            f"a fit needs {LEAST_POINTS}.",
            remedy="Measure smaller values of k, m and n.",
        )
    model = fit(points, about)
    return {
        one: best_within([p for p in raw if p.dataset == one], long, model, about(one))
        for one in sets
    }
