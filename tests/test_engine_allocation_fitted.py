"""Files of a fitted allocation model: nonsense in them is refused, not followed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.allocation import PAPER, Informativeness
from engine.budget.allocation_file import read_allocation, written
from engine.errors import DataError

FITTED = replace(PAPER, r2=0.5, points=24)


def test_a_fit_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "fit.json"
    file.write_text(written(FITTED, [Informativeness(0.2, 0.1)], "two models"))
    found = read_allocation(file)
    assert found.fit == FITTED
    assert found.about == Informativeness(0.2, 0.1)
    assert found.source == "fit.json, fitted to two models over 24 configurations"


@pytest.mark.parametrize(
    "change",
    [
        lambda row: row | {"a": [float("nan")] * 3},
        lambda row: row | {"c": 1e999},
        lambda row: row | {"r2": None},
        lambda row: row | {"points": 11},
        lambda row: row | {"sigmoid": row["sigmoid"] | {"height": -3.0}},
        lambda row: row | {"sigmoid": row["sigmoid"] | {"slope": 0}},
        lambda row: row | {"about": {"document": float("inf"), "shot": 0}},
    ],
)
def test_nonsense_is_refused(
    change: Callable[[dict[str, Any]], dict[str, Any]], tmp_path: Path
) -> None:
    row = json.loads(written(FITTED, [Informativeness(0.2, 0.1)], "models"))
    file = tmp_path / "fit.json"
    file.write_text(json.dumps(change(row)))
    with pytest.raises(DataError, match="holds no fitted allocation model"):
        read_allocation(file)


def test_a_fit_without_a_number_is_not_written() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        written(replace(FITTED, r2=float("nan")), [Informativeness(0.2, 0.1)], "models")
