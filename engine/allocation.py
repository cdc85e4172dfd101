"""The computation allocation model: its parameters, published or fitted.

Inference scaling, section 5 and appendices G and I: with theta = (k documents, m examples,
n rounds),

    sigma^-1(P(theta)) = (a + b * i) . log(theta + 0.01) + c,

where P is normalised for each data set and metric, i = (i_doc, i_shot, 0) says what one document
and one example gain there over neither, and b's last entry is 0. Settings hold these values;
`engine.budget.prediction` computes with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Variant = Literal["sigmoidal", "linear", "quadratic", "without_b"]
"""The model itself, and the ablations of table 2."""


@dataclass(frozen=True, slots=True)
class Sigmoid:
    """sigma(x) = height / (1 + exp(-slope (x + shift))) + floor."""

    height: float = 3.30
    slope: float = 1.81
    shift: float = 0.46
    floor: float = -2.18


PUBLISHED_SIGMOID = Sigmoid()
"""With the constants of appendix G."""


@dataclass(frozen=True, slots=True)
class Informativeness:
    """The gain of one document and of one example over neither, on one data set (appendix I)."""

    document: float
    shot: float


@dataclass(frozen=True, slots=True)
class Fit:
    """Fitted parameters, and how well they describe the points they come from."""

    a: tuple[float, float, float]
    b: tuple[float, float]
    """Of documents and examples; that of rounds is 0."""
    c: float
    sigmoid: Sigmoid = PUBLISHED_SIGMOID
    r2: float = float("nan")
    """Share of the variance of sigma^-1(P) explained, over the points used."""
    mse: float = float("nan")
    errors: tuple[float, ...] = ()
    """Standard errors of a, b, c, in this order; NaN for what was not fitted."""
    points: int = 0
    variant: Variant = "sigmoidal"


PAPER = Fit(a=(0.325, 0.101, 0.177), b=(-0.067, -0.008), c=-0.730)
"""Table 8, for Gemini 1.5 Flash."""


UNMEASURED = Informativeness(0.0, 0.0)
"""The terms that depend on the data drop out."""


@dataclass(frozen=True, slots=True)
class Allocation:
    """A computation allocation model, with the gains of one document and one example."""

    fit: Fit = PAPER
    about: Informativeness = UNMEASURED
    source: str = "the published parameters (table 8), since none is fitted to these models"
    """Where it comes from, in words that people read."""


PUBLISHED = Allocation()
