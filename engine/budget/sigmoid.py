"""The sigmoid through which the computation allocation model sees performance (appendix G)."""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]

MARGIN = 0.01
"""Normalised performance is held so far within the sigmoid's range, where its inverse is defined:
with the published constants, which end at -2.18 and 1.12, within -2.17 and 1.11."""


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
        held = np.clip(z, self.floor + MARGIN, self.floor + self.height - MARGIN)
        values: Vector = -np.log(self.height / (held - self.floor) - 1) / self.slope - self.shift
        return values


PUBLISHED_SIGMOID = Sigmoid()
"""With the constants of appendix G."""


def refitted(predicted: Vector, measured: Vector) -> Sigmoid:
    """Return the sigmoid from linear predictions to what was measured, by least squares.

    So the published constants were found (appendix G). Raises `RuntimeError` where none is found.
    """
    from scipy.optimize import curve_fit  # the extra `study`

    def sigma(x: Vector, *constants: float) -> Vector:
        return Sigmoid(*constants)(x)

    bounds = ([2 * MARGIN + 1e-6, 1e-3, -20.0, -20.0], [40.0, 50.0, 20.0, 20.0])
    start = astuple(PUBLISHED_SIGMOID)
    found, _ = curve_fit(sigma, predicted, measured, p0=start, bounds=bounds, max_nfev=20_000)
    return Sigmoid(*(float(one) for one in found))
