"""The computation allocation model: what documents, examples and rounds are worth.

Inference scaling, section 5 and appendix I: with theta = (k documents, m examples, n rounds),

    sigma^-1(P(theta)) = (a + b * i) . log(theta + 0.01) + c,

where P is normalised for each data set and metric, i = (i_doc, i_shot, 0) says what one document
and one example gain there over neither, and b's last entry is 0. Ordinary least squares gives the
other six. P-values need the extra `study`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from engine.errors import QuestionError

Vector = npt.NDArray[np.float64]

EPSILON = 0.01
"""Added to theta, whose entries may be 0."""
LOW, HIGH = -2.17, 1.11
"""Normalised performance is held within these: the sigmoid's inverse ends at -2.18 and 1.12."""
LEAST_POINTS = 12
"""Configurations of a data set below which nothing is fitted."""

Variant = Literal["sigmoidal", "linear", "quadratic", "without_b"]
"""The model itself, and the ablations of table 2."""


class TooFewPoints(QuestionError):
    """A fit over so few configurations would mean nothing."""

    kind = "too_few_points"


@dataclass(frozen=True, slots=True)
class Point:
    """One configuration on one data set."""

    dataset: str
    k: int
    m: int
    n: int
    performance: float
    """Mean of a metric; normalised where `normalised` made it so."""
    context: float = 0.0
    """Mean effective context length, in tokens."""

    @property
    def theta(self) -> tuple[int, int, int]:
        """The inference parameters."""
        return (self.k, self.m, self.n)


@dataclass(frozen=True, slots=True)
class Informativeness:
    """What one document and one example gain over neither, on one data set (appendix I)."""

    document: float
    shot: float


@dataclass(frozen=True, slots=True)
class Sigmoid:
    """sigma(x) = height / (1 + exp(-slope (x + shift))) + floor."""

    height: float = 3.30
    slope: float = 1.81
    shift: float = 0.46
    floor: float = -2.18

    def __call__(self, x: Vector) -> Vector:
        """Return sigma of every entry."""
        values: Vector = self.height / (1 + np.exp(-self.slope * (x + self.shift))) + self.floor
        return values

    def inverse(self, z: Vector) -> Vector:
        """Return sigma^-1 of every entry, held within the range where it is defined."""
        margin = 0.01
        held = np.clip(z, self.floor + margin, self.floor + self.height - margin)
        values: Vector = -np.log(self.height / (held - self.floor) - 1) / self.slope - self.shift
        return values


@dataclass(frozen=True, slots=True)
class Fit:
    """Fitted parameters, and how well they describe the points they come from."""

    a: tuple[float, float, float]
    b: tuple[float, float]
    """Of documents and examples; that of rounds is 0."""
    c: float
    sigmoid: Sigmoid = Sigmoid()
    r2: float = float("nan")
    """Share of the variance of sigma^-1(P) explained, over the points used."""
    mse: float = float("nan")
    errors: tuple[float, ...] = ()
    """Standard errors of a, b, c, in this order."""
    points: int = 0

    def predict(self, theta: tuple[int, int, int], i: Informativeness) -> float:
        """Return the normalised performance expected of a configuration."""
        logs = np.log(np.array(theta, dtype=np.float64) + EPSILON)
        weights = np.array(self.a) + np.array([*self.b, 0.0]) * [i.document, i.shot, 0.0]
        return float(self.sigmoid(np.array([weights @ logs + self.c]))[0])

    def p_values(self) -> tuple[float, ...]:
        """Return two-sided p-values of a, b, c against 0 (Student's t)."""
        from scipy.stats import t  # the extra `study`

        values = (*self.a, *self.b, self.c)
        freedom = self.points - len(values)
        return tuple(
            float(2 * t.sf(abs(value) / error, freedom))
            for value, error in zip(values, self.errors, strict=True)
        )


PAPER = Fit(a=(0.325, 0.101, 0.177), b=(-0.067, -0.008), c=-0.730)
"""Table 8, for Gemini 1.5 Flash."""


def normalised(points: Sequence[Point]) -> list[Point]:
    """Return the points with each data set's mean subtracted and divided by its deviation."""
    found = []
    for dataset in dict.fromkeys(point.dataset for point in points):
        own = [point for point in points if point.dataset == dataset]
        values = np.array([point.performance for point in own])
        scale = values.std() or 1.0
        found += [replace(p, performance=(p.performance - values.mean()) / scale) for p in own]
    return found


def informativeness(points: Sequence[Point], dataset: str) -> Informativeness:
    """Return i of a data set from three of its points. Raises `TooFewPoints` without them."""
    by_theta = {point.theta: point.performance for point in points if point.dataset == dataset}
    missing = [theta for theta in ((0, 0, 1), (1, 0, 1), (0, 1, 1)) if theta not in by_theta]
    if missing:
        raise TooFewPoints(
            f"{dataset} was not measured at (k, m, n) = {', '.join(map(str, missing))}.",
            remedy="Measure neither documents nor examples, one document, and one example.",
        )
    nothing = by_theta[0, 0, 1]
    return Informativeness(by_theta[1, 0, 1] - nothing, by_theta[0, 1, 1] - nothing)


def without_extremes(points: Sequence[Point]) -> list[Point]:
    """Leave out each data set's best and worst point, the peak and valley of appendix I."""
    kept = list(points)
    for dataset in dict.fromkeys(point.dataset for point in points):
        own = sorted((p for p in points if p.dataset == dataset), key=lambda p: p.performance)
        for point in (own[0], own[-1]):
            kept.remove(point)
    return kept


def fit(
    points: Sequence[Point],
    about: Callable[[str], Informativeness],
    variant: Variant = "sigmoidal",
    sigmoid: Sigmoid | None = None,
) -> Fit:
    """Fit normalised points by ordinary least squares; `about` gives i of a data set.

    "quadratic" and "without_b" have other columns than a, b, c: of these only R2 and MSE count.
    Raises `TooFewPoints` with the number needed.
    """
    for dataset in dict.fromkeys(point.dataset for point in points):
        count = sum(point.dataset == dataset for point in points)
        if count < LEAST_POINTS:
            raise TooFewPoints(
                f"{dataset} has {count} configurations; a fit needs {LEAST_POINTS}.",
                remedy="Measure more values of k, m and n.",
            )
    if not points:
        raise TooFewPoints(
            "There is no configuration to fit.", remedy=f"Measure {LEAST_POINTS} of them."
        )
    sigmoid = sigmoid or Sigmoid()
    z = np.array([point.performance for point in points])
    target = z if variant == "linear" else sigmoid.inverse(z)
    columns = _columns(points, about, variant)
    solution, *_ = np.linalg.lstsq(columns, target, rcond=None)
    residual = target - columns @ solution
    spread = float(((target - target.mean()) ** 2).sum())
    return Fit(
        a=(float(solution[0]), float(solution[1]), float(solution[2])),
        b=(float(solution[3]), float(solution[4])) if variant != "without_b" else (0.0, 0.0),
        c=float(solution[-1]),
        sigmoid=sigmoid,
        r2=1 - float((residual**2).sum()) / spread if spread else float("nan"),
        mse=float((residual**2).mean()),
        errors=_errors(columns, residual),
        points=len(points),
    )


def _columns(
    points: Sequence[Point], about: Callable[[str], Informativeness], variant: Variant
) -> Vector:
    """Return the design matrix, shape (points, parameters); the last column is 1."""
    logs = np.log(np.array([point.theta for point in points], dtype=np.float64) + EPSILON)
    known = {dataset: about(dataset) for dataset in {point.dataset for point in points}}
    i_doc = np.array([known[point.dataset].document for point in points])
    i_shot = np.array([known[point.dataset].shot for point in points])
    columns = [logs[:, 0], logs[:, 1], logs[:, 2]]
    if variant != "without_b":
        columns += [i_doc * logs[:, 0], i_shot * logs[:, 1]]
    if variant == "quadratic":
        columns = [columns[0] ** 2, columns[1] ** 2, columns[2] ** 2, *columns[3:]]
    return np.column_stack([*columns, np.ones(len(points))])


def _errors(columns: Vector, residual: Vector) -> tuple[float, ...]:
    """Return the standard errors of least squares; NaN where points are as few as parameters."""
    freedom = len(residual) - columns.shape[1]
    if freedom <= 0:
        return tuple(float("nan") for _ in columns.T)
    covariance = np.linalg.pinv(columns.T @ columns) * (residual**2).sum() / freedom
    errors: list[float] = np.sqrt(np.diag(covariance)).tolist()
    return tuple(errors)
