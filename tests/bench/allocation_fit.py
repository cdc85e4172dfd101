"""Fits the computation allocation model to measured configurations.

Ordinary least squares gives six parameters (Inference scaling, section 5 and appendix I;
`engine.allocation` has the equation). P-values need the extra `study`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace

import numpy as np

from engine.allocation import PUBLISHED_SIGMOID, Fit, Informativeness, Sigmoid, Variant
from engine.budget.allocation_file import LEAST_POINTS
from engine.budget.prediction import Vector, predicted, sigma, terms
from engine.errors import QuestionError

MARGIN = 0.01
"""Margin that keeps normalised performance where the inverse is defined: the published sigmoid
ranges from -2.18 to 1.12, so values are kept from -2.17 to 1.11."""
EXTREMES = 2
"""Points that `without_extremes` leaves out of each data set."""
PARAMETERS = (
    "documents",
    "examples",
    "rounds",
    "documents by what one gains",
    "examples by what one gains",
    "the constant",
)
"""Names of the parameters a, b and c."""


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


def p_values(model: Fit) -> tuple[float, ...]:
    """Return two-sided p-values of a, b, c against 0 (Student's t); NaN as in `Fit.errors`."""
    from scipy.stats import t  # the extra `study`

    values = np.array([*model.a, *model.b, model.c])
    freedom = model.points - int(np.isfinite(model.errors).sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.abs(values) / np.array(model.errors)
    return tuple(float(2 * t.sf(one, freedom)) for one in distance)


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
    """Return i of a data set from three of its points. Raises `TooFewPoints` without them.

    At one round DRAG and IterDRAG are one method, so where both were measured the first counts.
    """
    by_theta: dict[tuple[int, int, int], float] = {}
    for point in points:
        if point.dataset == dataset:
            by_theta.setdefault(point.theta, point.performance)
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
        for point in (own[0], own[-1])[: len(own)]:
            kept.remove(point)
    return kept


def fit(
    points: Sequence[Point],
    about: Callable[[str], Informativeness],
    variant: Variant = "sigmoidal",
    sigmoid: Sigmoid | None = None,
    least: int = LEAST_POINTS,
) -> Fit:
    """Fit normalised points by ordinary least squares; `about` gives i of a data set.

    Raises `TooFewPoints` with the number needed where a data set has fewer than `least`
    configurations, and with their names where they do not tell parameters apart.
    """
    _refuse_few(points, least)
    sigmoid = sigmoid or PUBLISHED_SIGMOID
    z = np.array([point.performance for point in points])
    target = z if variant == "linear" else inverse(sigmoid, z)
    if not np.ptp(target):
        raise TooFewPoints(
            "Every configuration does equally well, so none is better than another.",
            remedy="Ask more questions, or others.",
        )
    columns = _columns(points, about, variant)
    used = [i for i in range(len(PARAMETERS)) if variant != "without_b" or i not in (3, 4)]
    _refuse_unidentified(columns[:, used], [PARAMETERS[i] for i in used])
    found, *_ = np.linalg.lstsq(columns[:, used], target, rcond=None)
    residual = target - columns[:, used] @ found
    solution, errors = np.zeros(len(PARAMETERS)), np.full(len(PARAMETERS), np.nan)
    solution[used], errors[used] = found, _errors(columns[:, used], residual)
    a1, a2, a3, b1, b2, c = (float(one) for one in solution)
    return Fit(
        a=(a1, a2, a3),
        b=(b1, b2),
        c=c,
        sigmoid=sigmoid,
        r2=1 - float((residual**2).sum() / ((target - target.mean()) ** 2).sum()),
        mse=float((residual**2).mean()),
        errors=tuple(float(one) for one in errors),
        points=len(points),
        variant=variant,
    )


def refit(
    points: Sequence[Point],
    about: Callable[[str], Informativeness],
    least: int = LEAST_POINTS,
) -> Fit:
    """Fit as `fit`, with the sigmoid's four constants fitted to these points too (appendix G).

    Raises `TooFewPoints` as `fit`, `RuntimeError` where no sigmoid is found.
    """
    straight = fit(points, about, "linear", least=least)
    expected = np.array(
        [predicted(straight, point.theta, about(point.dataset)) for point in points]
    )
    measured = np.array([point.performance for point in points])
    return fit(points, about, sigmoid=refitted(expected, measured), least=least)


def _refuse_few(points: Sequence[Point], least: int) -> None:
    for dataset in dict.fromkeys(point.dataset for point in points):
        count = len({point.theta for point in points if point.dataset == dataset})
        if count < least:
            raise TooFewPoints(
                f"{dataset} has {count} configurations; a fit needs {least}.",
                remedy="Measure more values of k, m and n.",
            )
    if not points:
        raise TooFewPoints("There is no configuration to fit.", remedy=f"Measure {least} of them.")


def _refuse_unidentified(columns: Vector, names: Sequence[str]) -> None:
    """Refuse columns that are sums of others: least squares would invent how they share."""
    rank = np.linalg.matrix_rank(columns)
    if rank == columns.shape[1]:
        return
    others = (np.delete(columns, i, axis=1) for i in range(columns.shape[1]))
    alike = [
        n for n, rest in zip(names, others, strict=True) if np.linalg.matrix_rank(rest) == rank
    ]
    raise TooFewPoints(
        f"These configurations do not tell apart: {', '.join(alike)}.",
        remedy="Measure two values each of k, m and n, over two data sets or more.",
    )


def _columns(
    points: Sequence[Point], about: Callable[[str], Informativeness], variant: Variant
) -> Vector:
    """Return the design matrix, shape (points, parameters)."""
    known = {dataset: about(dataset) for dataset in {point.dataset for point in points}}
    gains = [(known[point.dataset].document, known[point.dataset].shot) for point in points]
    return terms(np.array([point.theta for point in points]), np.array(gains), variant)


def _errors(columns: Vector, residual: Vector) -> Vector:
    """Return the standard errors of least squares; NaN where points are as few as parameters."""
    freedom = len(residual) - columns.shape[1]
    if freedom <= 0:
        return np.full(columns.shape[1], np.nan)
    covariance = np.linalg.inv(columns.T @ columns) * (residual**2).sum() / freedom
    errors: Vector = np.sqrt(np.diag(covariance))
    return errors


def inverse(sigmoid: Sigmoid, z: Vector) -> Vector:
    """Return sigma^-1 of every entry, held within the range where it is defined."""
    top = sigmoid.floor + sigmoid.height
    held = np.clip(z, sigmoid.floor + MARGIN, top - MARGIN)
    odds = sigmoid.height / (held - sigmoid.floor) - 1
    values: Vector = -np.log(odds) / sigmoid.slope - sigmoid.shift
    return values


def refitted(predicted: Vector, measured: Vector) -> Sigmoid:
    """Return the sigmoid from linear predictions to what was measured, by least squares.

    The paper found its constants this way (appendix G). Raises `RuntimeError` where none is found.
    """
    from scipy.optimize import curve_fit  # the extra `study`

    def curve(x: Vector, *constants: float) -> Vector:
        return sigma(Sigmoid(*constants), x)

    bounds = ([2 * MARGIN + 1e-6, 1e-3, -20.0, -20.0], [40.0, 50.0, 20.0, 20.0])
    start = astuple(PUBLISHED_SIGMOID)
    found, _ = curve_fit(curve, predicted, measured, p0=start, bounds=bounds, max_nfev=20_000)
    return Sigmoid(*(float(one) for one in found))
