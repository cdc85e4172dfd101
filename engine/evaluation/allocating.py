"""Which configuration the computation allocation model picks, and how good it turns out to be.

Inference scaling, tables 3 and 4: on a data set it was not fitted to, and on longer contexts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.evaluation.allocation import Fit, Informativeness, Point, fit

BASELINE_SHOTS = 8
"""Examples of the baseline, whose documents grow with the budget."""


@dataclass(frozen=True, slots=True)
class Pick:
    """Measured performance of three configurations within one budget."""

    predicted: Point
    oracle: Point
    baseline: Point | None
    """The most documents with eight examples; None where none of these fits."""

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
    shots = [point for point in within if point.m == BASELINE_SHOTS and point.n == 1]
    return Pick(
        max(within, key=lambda point: model.predict(point.theta, about)),
        max(within, key=lambda point: point.performance),
        max(shots, key=lambda point: point.k, default=None),
    )


def leave_one_out(
    raw: Sequence[Point],
    points: Sequence[Point],
    about: Callable[[str], Informativeness],
    budget: float,
) -> dict[str, Pick | None]:
    """Return each data set's picks by a model fitted to all others (table 3).

    `points` are `raw` normalised, in the same order. Raises `TooFewPoints`.
    """
    found: dict[str, Pick | None] = {}
    for dataset in dict.fromkeys(point.dataset for point in raw):
        model = fit([point for point in points if point.dataset != dataset], about)
        own = [point for point in raw if point.dataset == dataset]
        found[dataset] = best_within(own, budget, model, about(dataset))
    return found


def extrapolate(
    raw: Sequence[Point],
    points: Sequence[Point],
    about: Callable[[str], Informativeness],
    short: float,
    long: float,
) -> dict[str, Pick | None]:
    """Return each data set's picks within `long` tokens, fitted within `short` ones (table 4).

    Raises `TooFewPoints`.
    """
    model = fit([p for p, one in zip(points, raw, strict=True) if one.context <= short], about)
    return {
        dataset: best_within(
            [point for point in raw if point.dataset == dataset], long, model, about(dataset)
        )
        for dataset in dict.fromkeys(point.dataset for point in raw)
    }
