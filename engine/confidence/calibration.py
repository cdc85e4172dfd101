"""From signals to a probability: logistic regression, its weights fitted for each generator.

p = 1 / (1 + exp(-(intercept + sum of weight · signal))). `tests/bench/study_reading.py` fits the
weights on answered questions of every kind of source; docs/results.md has the figures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from engine.confidence.signals import Signals
from engine.errors import DataError
from models.roles import ModelSet

INTERCEPT = "intercept"
SIGNALS = tuple(Signals.__dataclass_fields__)
MOST_ODDS = 30.0
"""Log odds beyond it are cut: the probability is 0 or 1 to thirteen digits."""


@dataclass(frozen=True)
class Calibration:
    """The fitted model of one generator."""

    weights: Mapping[str, float]
    """By signal, and "intercept"."""
    typical: Mapping[str, float] = field(default_factory=dict)
    """Means of the signals over the questions that it was fitted on: they stand in for signals
    that a generator does not give."""

    def __post_init__(self) -> None:
        """Refuse names that are no signals. Raises `DataError`."""
        if wrong := sorted({*self.weights, *self.typical} - {INTERCEPT, *SIGNALS}):
            raise DataError(
                f"The weights of a confidence name signals that there are not: {', '.join(wrong)}.",
                remedy=f"Known signals: {', '.join(SIGNALS)}. Correct models.toml, or delete "
                "confidence.toml and calibrate the model again.",
            )

    def log_odds(self, signals: Signals) -> float:
        """Return the log odds that the reply is right."""
        known = asdict(signals)
        odds = self.weights.get(INTERCEPT, 0.0)
        for name, weight in self.weights.items():
            if name != INTERCEPT:
                value = known[name]
                odds += weight * (self.typical.get(name, 0.0) if value is None else value)
        return odds

    def confidence(self, signals: Signals) -> float:
        """Return the probability that the reply is right, 0 to 1."""
        return 1 / (1 + math.exp(-max(-MOST_ODDS, min(MOST_ODDS, self.log_odds(signals)))))


DEFAULT = Calibration(
    {
        INTERCEPT: -3.32,
        "likely": 1.79,
        "least_likely": 2.21,
        "near": 0.78,
        "echoed": -0.44,
        "margin": 0.37,
        "agreed": 0.34,
        "adapted": 0.46,
        "compared": 2.5,
    },
    {
        "likely": 0.83,
        "least_likely": 0.52,
        "near": 0.43,
        "echoed": 0.10,
        "margin": 0.33,
        "agreed": 0.17,
    },
)
"""For a generator that none was fitted for."""


def calibration_of(models: ModelSet) -> Calibration:
    """Return the generator's own calibration, else the default.

    Raises `DataError` where its row names signals that there are not.
    """
    fitted = models.confidence
    return DEFAULT if fitted is None else Calibration(fitted.weights, fitted.typical)
