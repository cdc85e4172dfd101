"""Run files: one resumable JSON line an answer, and the means over them.

A line belongs outside any project that is published: it holds the answer.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from engine.allocation import Allocation
from engine.errors import DataError
from engine.prompts.examples import Example
from engine.settings import Settings
from engine.strategies import registry
from models.roles import ModelSet

Row = dict[str, Any]


@dataclass(slots=True)
class RunSummary:
    """Means over all scored questions of one setting."""

    strategy: str
    questions: int
    scores: dict[str, float]
    counts: dict[str, int] = field(default_factory=dict)
    """How many questions each mean is over."""


def summarise(strategy: str, rows: Sequence[Row]) -> RunSummary:
    """Return the mean of every score over the rows that have it."""
    names = sorted({name for row in rows for name in row["scores"]})
    scores, counts = {}, {}
    for name in names:
        values = [row["scores"][name] for row in rows if row["scores"].get(name) is not None]
        if values:
            scores[name], counts[name] = sum(values) / len(values), len(values)
    return RunSummary(strategy, len(rows), scores, counts)


def setting_of(
    settings: Settings, models: ModelSet, shown: Sequence[Example] = (), **choice: object
) -> dict[str, Any]:
    """Return the settings of a row; rows of other settings are not reused.

    `shown` are the worked examples: other ones, or another order, make another setting.
    """
    return {
        "strategy": registry.described(registry.get(settings.strategy)),
        "effort": settings.effort,
        "budget": asdict(settings.budget) if settings.budget else None,
        "max_context": settings.max_context,
        "seed": settings.seed,
        "least_confidence": settings.least_confidence,
        "infer": settings.infer,
        "stemming": settings.stemming,
        "allocation": _named(settings.allocation),
        "models": {"lookahead": models.lookahead_id, "generator": models.generator_id},
        "examples_sha256": _sha256([asdict(one) for one in shown]) if shown else None,
        **choice,
    }


def _named(allocation: Allocation | None) -> str | None:
    """Return the name of a fit, with a hash that distinguishes fits of one name."""
    if allocation is None:
        return None
    numbers = {"fit": asdict(allocation.fit), "about": asdict(allocation.about)}
    return f"{allocation.source}, {_sha256(numbers)[:12]}"


def _sha256(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


_UNSAID = {"candidates": False, "examples": 0}
"""Settings that rows of older versions leave out, with their values then."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a run file holds."""

    path: Path
    rows: list[Row]
    damaged: tuple[int, ...]
    """1-based numbers of damaged lines: cut off by a kill, or corrupted."""


def read_run(path: Path) -> Run:
    """Return the good lines of a run file. Raises `DataError` when it cannot be read at all."""
    return read_lines(path, is_row)


def read_lines(path: Path, is_good: Callable[[Row], bool]) -> Run:
    """Return the good lines of a file. Raises `DataError` when it cannot be read at all."""
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise DataError(
            f"{path} could not be read: {error.strerror}.", remedy="Give a run file.", path=path
        ) from error
    rows, damaged = [], []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            row = _object(line)
            if row is None or not is_good(row):
                damaged.append(number)
            else:
                rows.append(row)
    return Run(path, rows, tuple(damaged))


def _object(line: bytes) -> Row | None:
    """Return a line's JSON object, None if it has none."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):  # not UTF-8, not JSON, or brackets without end
        return None
    return row if isinstance(row, dict) else None


def is_row(row: Row) -> bool:
    """Say whether an object has the fields of a row, with the right types."""
    asked = all(isinstance(row.get(name), str) for name in ("id", "dataset"))
    if not asked or not _are_numbers(row.get("scores")):
        return False
    if "refused" in row or "failed" in row:
        return True
    used = row.get("tokens")
    return _are_numbers(row.get("seconds")) and isinstance(used, dict)


def _are_numbers(value: object) -> bool:
    return isinstance(value, dict) and all(
        one is None or isinstance(one, int | float) for one in value.values()
    )


def refuse_no_run(out: Path | None) -> None:
    """Refuse to write to a file that is no run file, before anything is asked.

    Raises as `refuse_other_file`.
    """
    if out is not None:
        refuse_other_file(out, is_row, "answers of an earlier run", "--out")


def refuse_other_file(out: Path, is_good: Callable[[Row], bool], what: str, option: str) -> None:
    """Raise `DataError` if the file has lines and no good one, or if its folder is missing."""
    if not out.parent.is_dir():
        raise DataError(f"There is no folder {out.parent}.", remedy="Make it first.", path=out)
    if not out.exists():
        return
    found = read_lines(out, is_good)
    if found.damaged and not found.rows:
        raise DataError(
            f"{out} holds no {what}.",
            remedy=f"Give another {option}; nothing was written.",
            path=out,
        )


def earlier_rows(out: Path | None) -> list[Row]:
    """Return the rows of an earlier run, of any setting."""
    return read_run(out).rows if out is not None and out.exists() else []


def earlier(out: Path | None, setting: dict[str, Any]) -> dict[str, Row]:
    """Return the rows of an earlier run by id. A line cut off by a kill is dropped.

    Questions at which the process died are left out, and so asked again.
    """
    found = {}
    for row in earlier_rows(out):
        if "failed" not in row and all(
            row.get(key, _UNSAID.get(key)) == value for key, value in setting.items()
        ):
            found[row["id"]] = row
    return found


def append(out: Path | None, row: Row) -> None:
    """Append a row in one write, after ending a line that a kill cut off.

    A new file is readable by its owner alone, as it holds answers and passages.
    """
    if out is None:
        return
    line = json.dumps(row, ensure_ascii=False) + "\n"
    with open(out, "ab+", opener=_private) as stream:
        if stream.seek(0, os.SEEK_END):
            stream.seek(-1, os.SEEK_END)
            line = line if stream.read(1) == b"\n" else "\n" + line
        stream.write(line.encode())


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
