"""What one step more of documents, examples or rounds is worth, question by question.

    python tests/bench/study_steps.py RUNS/allocation*.jsonl [--metric f1]

For each two values it takes all configurations of drag and iterdrag that were
measured at both and differ in nothing else, averages the metric over them, and prints the paired
difference over the questions with its 95 % interval. The fit of study_allocation.py takes means of
the same questions for independent points; this does not.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from engine.evaluation.runs import read_run
from engine.evaluation.significance import paired_difference
from engine.strategies import registry
from engine.strategies.drag import DRAG, IterDRAG

NAMES = ("documents", "examples", "rounds")
Theta = tuple[int, int, int]
Values = dict[Theta, dict[tuple[str, str], float]]


def values_of(paths: list[Path], metric: str) -> Values:
    """Return the metric by k, m and n (0 of drag), then by data set and question."""
    found: Values = defaultdict(dict)
    for path in paths:
        for row in read_run(path).rows:
            strategy = registry.get(row["strategy"])
            if isinstance(strategy, DRAG | IterDRAG):
                theta = (strategy.k, strategy.m, getattr(strategy, "n", 0))
                found[theta][row["dataset"], row["id"]] = row["scores"].get(metric) or 0.0
    return found


def steps(values: Values) -> Iterator[str]:
    """Yield a line for each two values of each parameter: rounds also by examples."""
    for axis, name in enumerate(NAMES):
        for group in sorted({_group(axis, theta) for theta in values}):
            levels = sorted({theta[axis] for theta in values if _group(axis, theta) == group})
            for low, high in combinations(levels, 2):
                pairs = [
                    (theta, (*theta[:axis], high, *theta[axis + 1 :]))
                    for theta in values
                    if theta[axis] == low and _group(axis, theta) == group
                ]
                pairs = [(few, more) for few, more in pairs if more in values]
                if pairs:
                    yield f"{name}, {group}: {low} to {high}: {_said(values, pairs)}"


def _group(axis: int, theta: Theta) -> str:
    """Return what is looked at apart: the method, and for rounds whether examples are shown."""
    if NAMES[axis] == "rounds":
        return "with examples" if theta[1] else "without examples"
    return "iterdrag" if theta[2] else "drag"


def _said(values: Values, pairs: list[tuple[Theta, Theta]]) -> str:
    asked = sorted(set.intersection(*(set(values[one]) for pair in pairs for one in pair)))

    def mean(side: int, question: tuple[str, str]) -> float:
        return sum(values[pair[side]][question] for pair in pairs) / len(pairs)

    found = paired_difference([mean(1, q) for q in asked], [mean(0, q) for q in asked])
    return (
        f"{found.mean:+.3f} [{found.low:+.3f}, {found.high:+.3f}], "
        f"{len(asked)} questions, {len(pairs)} pairs"
    )


def main() -> None:
    """Print every step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--metric", default="f1")
    args = parser.parse_args()
    print("\n".join(steps(values_of(args.runs, args.metric))))


if __name__ == "__main__":
    main()
