"""The sigmoid through which the computation allocation model sees performance (appendix G)."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import numpy.typing as npt

from engine.allocation import PUBLISHED_SIGMOID, Sigmoid

Vector = npt.NDArray[np.float64]

MARGIN = 0.01
"""Margin that keeps normalised performance where the inverse is defined: the published sigmoid
ranges from -2.18 to 1.12, so values are kept from -2.17 to 1.11."""


def sigma(sigmoid: Sigmoid, x: Vector) -> Vector:
    """Return sigma of every entry."""
    inner = -sigmoid.slope * (x + sigmoid.shift)
    values: Vector = sigmoid.height / (1 + np.exp(inner)) + sigmoid.floor
    return values


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
