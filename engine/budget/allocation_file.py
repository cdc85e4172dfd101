"""Files of a fitted computation allocation model: numbers alone, nothing of anybody's."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.allocation import Allocation, Fit, Informativeness, Sigmoid
from engine.errors import DataError

LEAST_POINTS = 12
"""Fewest configurations of a data set that a fit needs."""


def written(fit: Fit, about: Sequence[Informativeness], fitted_to: str) -> str:
    """Return the file of a fit: its parameters, and what a document and an example are worth.

    A person's own files were not measured, so the mean over the data sets is used for them.
    """
    if not about:
        raise ValueError("there is no data set to take the worth of a document from")
    mean = Informativeness(
        sum(one.document for one in about) / len(about), sum(one.shot for one in about) / len(about)
    )
    kept = {
        **{name: getattr(fit, name) for name in ("a", "b", "c", "r2", "points")},
        "sigmoid": asdict(fit.sigmoid),
        "about": asdict(mean),
        "fitted_to": fitted_to,
    }
    return json.dumps(kept, indent=2, allow_nan=False) + "\n"


def read_allocation(file: Path) -> Allocation:
    """Return the allocation model of a file. Raises `DataError` for anything else."""
    try:
        row: dict[str, Any] = json.loads(file.read_text("utf-8"))
        first, second, third = map(_number, row["a"])
        document, shot = map(_number, row["b"])
        fit = Fit(
            (first, second, third),
            (document, shot),
            _number(row["c"]),
            Sigmoid(**{name: _number(value) for name, value in row["sigmoid"].items()}),
            r2=_number(row["r2"]),
            points=int(row["points"]),
        )
        _refuse_nonsense(fit)
        about = Informativeness(_number(row["about"]["document"]), _number(row["about"]["shot"]))
        source = f"{file.name}, fitted to {row['fitted_to']} over {fit.points} configurations"
    except (OSError, KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise DataError(
            f"{file} holds no fitted allocation model ({error!r}).",
            remedy="Make one: python tests/bench/study_allocation.py RUN… --keep FILE.",
            path=file,
        ) from error
    return Allocation(fit, about, source)


def _number(value: Any) -> float:
    """Return a finite number. Raises `ValueError`, `TypeError`."""
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value} is no finite number")
    return number


def _refuse_nonsense(fit: Fit) -> None:
    """Raise `ValueError` for numbers that no fit gives."""
    if min(fit.sigmoid.height, fit.sigmoid.slope) <= 0:
        raise ValueError("the sigmoid does not rise")
    if fit.points < LEAST_POINTS:
        raise ValueError(f"it is fitted to {fit.points} configurations; {LEAST_POINTS} are needed")
