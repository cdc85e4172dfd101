"""Files of a fitted computation allocation model: numbers alone, nothing of anybody's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.effort import Allocation
from engine.errors import DataError
from engine.evaluation.allocation import Fit, Informativeness, Sigmoid


def written(fit: Fit, about: Sequence[Informativeness], fitted_to: str) -> str:
    """Return the file of a fit: its parameters, and what a document and an example are worth.

    A person's own files are no data set, so the mean over those measured stands for them.
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
    return json.dumps(kept, indent=2) + "\n"


def read_allocation(file: Path) -> Allocation:
    """Return the allocation model of a file. Raises `DataError` for anything else."""
    try:
        row: dict[str, Any] = json.loads(file.read_text("utf-8"))
        first, second, third = map(float, row["a"])
        document, shot = map(float, row["b"])
        fit = Fit(
            (first, second, third),
            (document, shot),
            float(row["c"]),
            Sigmoid(**{name: float(value) for name, value in row["sigmoid"].items()}),
            r2=float(row["r2"]),
            points=int(row["points"]),
        )
        about = Informativeness(float(row["about"]["document"]), float(row["about"]["shot"]))
        source = f"{file.name}, fitted to {row['fitted_to']} over {fit.points} configurations"
    except (OSError, UnicodeDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(
            f"{file} holds no fitted allocation model ({error!r}).",
            remedy="Make one: python tests/bench/study_allocation.py RUN… --keep FILE.",
            path=file,
        ) from error
    return Allocation(fit, about, source)
