"""Tables over the arms of run files: means with intervals, and differences."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.evaluation.arms import Arm
from engine.evaluation.provenance import refuse_to_compare
from engine.evaluation.significance import Difference, mean_interval, paired_difference, paired_test

MAIN = ("choice", "list_f1", "rouge_l", "f1", "rightly_abstained")
"""A set's main score is the first of these that half of its answers have, else the commonest."""
BASELINES = ("order_preserving", "vanilla")
"""Default baselines of a comparison."""


def main_score(arms: Sequence[Arm]) -> str:
    """Return the score that arms of one set are judged by."""
    rows = [row for arm in arms for row in arm.answered]
    counts = {s: sum(row["scores"].get(s) is not None for row in rows) for s in MAIN}
    commonest = max(MAIN, key=lambda score: counts[score])
    return next((s for s in MAIN if 0 < counts[s] >= len(rows) / 2), commonest)


@dataclass(frozen=True, slots=True)
class Cell:
    """The cell of one arm in a table."""

    found: Difference | None
    """Mean and interval of the set's main score; None where nothing was answered."""
    questions: int
    """Questions that were answered."""
    of: int
    """Questions of the set that any arm was asked."""

    @property
    def text(self) -> str:
        """The cell as people read it. An unfinished one shows its progress, or is empty."""
        if self.found is None:
            return ""
        shown = f"{self.found.mean:.3f} [{self.found.low:.3f}, {self.found.high:.3f}]"
        return shown if self.questions == self.of else f"{shown}, {self.questions} of {self.of}"


def cell_of(arm: Arm | None, score: str, of: int) -> Cell:
    """Return what a table shows of an arm; an empty cell for none."""
    values = list(arm.values(score).values()) if arm else []
    if not values:
        return Cell(None, 0, of)
    return Cell(mean_interval(values), len(arm.answered) if arm else 0, of)


@dataclass(frozen=True, slots=True)
class ArmDifference:
    """One arm less another, over the questions that both have answered."""

    arm: Arm
    base: Arm
    score: str
    difference: Difference
    p: float
    """Two-sided, by sign flips."""
    questions: int

    @property
    def text(self) -> str:
        """The difference as people read it."""
        d = self.difference
        return f"{d.mean:+.3f} [{d.low:+.3f}, {d.high:+.3f}], p = {self.p:.3f}"


def compared(arm: Arm, base: Arm, score: str) -> ArmDifference | None:
    """Return the paired difference; None without a question in common. Raises `DataDiffers`."""
    if arm.rows.keys() & base.rows.keys():
        rows = list(arm.rows.values()), list(base.rows.values())
        refuse_to_compare(*rows, (arm.label, base.label))
    ours, theirs = arm.values(score), base.values(score)
    shared = [i for i in ours if i in theirs]
    if not shared:
        return None
    pair = [ours[i] for i in shared], [theirs[i] for i in shared]
    return ArmDifference(
        arm, base, score, paired_difference(*pair), paired_test(*pair), len(shared)
    )


def against_baseline(arms: Sequence[Arm], score: str, name: str | None) -> list[ArmDifference]:
    """Return how arms of one set differ from its baseline, the arm called `name` if given."""
    base = _baseline(arms, name)
    if base is None:
        return []
    found = (compared(arm, base, score) for arm in arms if arm is not base)
    return [one for one in found if one is not None]


def _baseline(arms: Sequence[Arm], name: str | None) -> Arm | None:
    for wanted in (name,) if name else BASELINES:
        for arm in arms:
            if wanted in (arm.label, arm.setting["strategy"]):
                return arm
    return None if name else next(iter(arms), None)


def between_runs(arms: Sequence[Arm], score: str) -> Iterator[ArmDifference]:
    """Yield, for each setting that several files answered, the later file less the first."""
    first: dict[str, Arm] = {}
    for arm in arms:
        key = json.dumps(arm.setting, sort_keys=True)
        base = first.setdefault(key, arm)
        if base is not arm:
            found = compared(arm, base, score)
            if found is not None:
                yield found


def front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Return the numbers of the (price, quality) points that no other point beats in both, cheapest
    first."""
    order = sorted(range(len(points)), key=lambda i: (points[i][0], -points[i][1]))
    best, kept = float("-inf"), []
    for i in order:
        if points[i][1] > best:
            best = points[i][1]
            kept.append(i)
    return kept
