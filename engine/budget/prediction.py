"""The performance that the computation allocation model predicts (`engine.allocation`)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.allocation import Fit, Informativeness, Sigmoid, Variant

Vector = npt.NDArray[np.float64]

EPSILON = 0.01
"""Added to theta, whose entries may be 0."""


def predicted(model: Fit, theta: tuple[int, int, int], i: Informativeness) -> float:
    """Return the normalised performance expected of a configuration."""
    weights = np.array([*model.a, *model.b, model.c])
    inner = terms(np.array([theta]), np.array([[i.document, i.shot]]), model.variant) @ weights
    return float((inner if model.variant == "linear" else sigma(model.sigmoid, inner))[0])


def sigma(sigmoid: Sigmoid, x: Vector) -> Vector:
    """Return sigma of every entry."""
    inner = -sigmoid.slope * (x + sigmoid.shift)
    values: Vector = sigmoid.height / (1 + np.exp(inner)) + sigmoid.floor
    return values


def terms(thetas: Vector, gains: Vector, variant: Variant) -> Vector:
    """Return what a, b and c are the weights of, shape (points, 6).

    "quadratic" has the squares of the logarithms wherever the model has these.
    """
    logs = np.log(thetas + EPSILON)
    if variant == "quadratic":
        logs = logs**2
    return np.column_stack([logs, gains * logs[:, :2], np.ones(len(logs))])
