"""Run files: one resumable JSON line an answer, and the means over them.

A line belongs outside any project that is published: it holds the answer.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from engine.settings import Settings
from engine.strategies import registry
from models.roles import ModelSet


@dataclass(slots=True)
class Summary:
    """Means over all scored questions of one setting."""

    strategy: str
    questions: int
    scores: dict[str, float]
    counts: dict[str, int] = field(default_factory=dict)
    """How many questions each mean is over."""


def summarise(strategy: str, rows: Sequence[dict[str, Any]]) -> Summary:
    """Return the mean of every score over the rows that have it."""
    names = sorted({name for row in rows for name in row["scores"]})
    scores, counts = {}, {}
    for name in names:
        values = [row["scores"][name] for row in rows if row["scores"].get(name) is not None]
        if values:
            scores[name], counts[name] = sum(values) / len(values), len(values)
    return Summary(strategy, len(rows), scores, counts)


def setting_of(settings: Settings, models: ModelSet, **choice: object) -> dict[str, Any]:
    """Return what a row was made with; rows of other settings are not reused."""
    return {
        "strategy": registry.described(registry.get(settings.strategy)),
        "effort": settings.effort,
        "budget": asdict(settings.budget) if settings.budget else None,
        "max_context": settings.max_context,
        "seed": settings.seed,
        "least_confidence": settings.least_confidence,
        "infer": settings.infer,
        "stemming": settings.stemming,
        "models": {"lookahead": models.lookahead_id, "generator": models.generator_id},
        **choice,
    }


_UNSAID = {"candidates": False, "examples": 0}
"""What rows of older versions were made with."""


def earlier(out: Path | None, setting: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the rows of an earlier run by id. A line cut off by a kill is dropped."""
    if out is None or not out.exists():
        return {}
    rows = {}
    for line in out.read_text("utf-8").splitlines():
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            continue
        if all(row.get(key, _UNSAID.get(key)) == value for key, value in setting.items()):
            rows[row["id"]] = row
    return rows


def append(out: Path | None, row: dict[str, Any]) -> None:
    """Write a row behind those there are; a line that a kill cut off is ended first.

    A new file is the person's alone: answers and passages stand in it.
    """
    if out is None:
        return
    cut = out.exists() and not out.read_bytes().endswith(b"\n") and out.stat().st_size > 0
    with open(out, "a", encoding="utf-8", opener=_private) as stream:
        stream.write(("\n" if cut else "") + json.dumps(row, ensure_ascii=False) + "\n")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
