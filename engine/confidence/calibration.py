"""From signals to a probability: logistic regression, its weights fitted for each generator.

p = 1 / (1 + exp(-(intercept + sum of weight · signal))). `tests/bench/study_reading.py` fits the
weights on answered questions of every kind of source; docs/results.md has the figures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from engine.confidence.signals import Signals

INTERCEPT = "intercept"
SIGNALS = tuple(Signals.__dataclass_fields__)


@dataclass(frozen=True)
class Calibration:
    """The fitted model of one generator."""

    weights: Mapping[str, float]
    """By signal, and "intercept"."""
    typical: Mapping[str, float] = field(default_factory=dict)
    """Means of the signals over the questions that it was fitted on: they stand in for signals
    that a generator does not give."""

    def confidence(self, signals: Signals) -> float:
        """Return the probability that the reply is right, 0 to 1."""
        known = asdict(signals)
        odds = self.weights.get(INTERCEPT, 0.0)
        for name, weight in self.weights.items():
            if name != INTERCEPT:
                value = known[name]
                odds += weight * (self.typical.get(name, 0.0) if value is None else value)
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


DEFAULT = Calibration({INTERCEPT: 0.0})


def calibration_of(models: object) -> Calibration:
    """Return the calibration of a generator."""
    return DEFAULT
