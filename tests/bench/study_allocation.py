"""Fits the computation allocation model to run files of drag and iterdrag.

    askance eval QUESTIONS CORPUS --strategy 'drag:k={0,1,2,5,10},m={0,1,2,4,8}' --out RUN
    python tests/bench/study_allocation.py RUN... --metric f1 --budgets 512 1024 2048 4096 8192

Prints the best configuration within each budget and method (the shape of table 1), the fit with
its ablations, what it predicts of data sets it has not seen and of longer contexts, and, with
--plot PNG, performance against effective context. With --keep FILE the fit over all points is kept,
for the setting answer.allocation; it is refused where there are too few of them.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

from engine.errors import QuestionError
from engine.evaluation.allocating import Pick, extrapolate, leave_one_out
from engine.evaluation.allocation import (
    Point,
    Variant,
    fit,
    informativeness,
    normalised,
    without_extremes,
)
from engine.evaluation.fitted import written
from engine.strategies import registry

Row = dict[str, Any]


def points_of(paths: list[Path], metric: str) -> dict[str, list[Point]]:
    """Return the mean of every configuration, by method."""
    groups: dict[tuple[str, str, tuple[int, int, int]], list[Row]] = defaultdict(list)
    for path in paths:
        for line in path.read_text().splitlines():
            row = json.loads(line)
            strategy = registry.get(row["strategy"])
            if strategy.name in ("drag", "iterdrag") and metric in row["scores"]:
                theta = (strategy.k, strategy.m, getattr(strategy, "n", 1))  # type: ignore[attr-defined]
                groups[strategy.name, row["dataset"], theta].append(row)
    found: dict[str, list[Point]] = defaultdict(list)
    for (method, dataset, (k, m, n)), rows in sorted(groups.items()):
        performance = sum(row["scores"][metric] for row in rows) / len(rows)
        context = sum(row["tokens"]["generator"]["prompt"] for row in rows) / len(rows)
        found[method].append(Point(dataset, k, m, n, performance, context))
    return found


def best_table(by_method: dict[str, list[Point]], budgets: list[int]) -> None:
    """Print the best measured configuration of each method, data set and budget."""
    print("| data set | budget | method | (k, m, n) | context | score |\n|---|---|---|---|---|---|")
    datasets = sorted({point.dataset for points in by_method.values() for point in points})
    for dataset in datasets:
        for budget in budgets:
            for method, points in by_method.items():
                within = [p for p in points if p.dataset == dataset and p.context <= budget]
                if within:
                    best = max(within, key=lambda point: point.performance)
                    cells = (best.theta, f"{best.context:,.0f}", f"{best.performance:.3f}")
                    print(f"| {dataset} | {budget} | {method} |", *(f"{c} |" for c in cells))


def report_fit(raw: list[Point], budgets: list[int]) -> None:
    """Print the fit of one method over all its data sets, its ablations and its predictions."""
    points = normalised(raw)

    def about(dataset: str) -> Any:
        return informativeness(points, dataset)

    for name, used in (("all points", points), ("without extremes", without_extremes(points))):
        for variant in get_args(Variant):
            found = fit(used, about, variant)
            print(f"{name}, {variant}: R2 {found.r2:.3f}, MSE {found.mse:.3f} of {found.points}")
            if variant == "sigmoidal":
                print(f"  a {found.a}, b {found.b}, c {found.c:.3f}, p {found.p_values()}")
    for budget in budgets:
        for dataset, pick in leave_one_out(raw, points, about, budget).items():
            print(f"unseen {dataset} within {budget}: {said(pick)}")
    for short, long in pairwise(budgets):
        for dataset, pick in extrapolate(raw, points, about, short, long).items():
            print(f"{dataset}, {short} to {long}: {said(pick)}")


def said(pick: Pick | None) -> str:
    """Return what a prediction turned out to be."""
    if pick is None:
        return "nothing fits"
    base = f", baseline {pick.baseline.performance:.3f}" if pick.baseline else ""
    return (
        f"predicted {pick.predicted.theta} {pick.predicted.performance:.3f}, oracle "
        f"{pick.oracle.theta} {pick.oracle.performance:.3f} ({pick.share:.0%}){base}"
    )


def kept(raw: list[Point], fitted_to: str) -> str:
    """Return the file of the fit over all points. Raises `TooFewPoints`."""
    points = normalised(raw)
    sets = list(dict.fromkeys(point.dataset for point in points))
    about = {name: informativeness(points, name) for name in sets}
    return written(fit(points, about.__getitem__), list(about.values()), fitted_to)


def plot(by_method: dict[str, list[Point]], path: Path) -> None:
    """Draw performance against effective context (figure 1). Needs matplotlib."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    for method, points in by_method.items():
        axes.scatter([p.context for p in points], [p.performance for p in points], label=method)
    axes.set_xscale("log")
    axes.set_xlabel("effective context length, tokens")
    axes.set_ylabel("score")
    axes.legend()
    figure.savefig(path, dpi=120, bbox_inches="tight")


def main() -> None:
    """Read the runs and print everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--metric", default="f1")
    parser.add_argument("--budgets", type=int, nargs="+", default=[512, 1024, 2048, 4096, 8192])
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--keep", type=Path, help="where the fit goes, for answer.allocation")
    parser.add_argument("--fitted-to", default="these models", help="what the file says of itself")
    args = parser.parse_args()
    by_method = points_of(args.runs, args.metric)
    best_table(by_method, args.budgets)
    for method, points in by_method.items():
        print(f"\n{method}:")
        try:
            report_fit(points, args.budgets)
        except QuestionError as error:
            print(f"  no fit: {error}")
    if args.keep:
        try:
            args.keep.write_text(kept(by_method["iterdrag"] or by_method["drag"], args.fitted_to))
        except QuestionError as error:
            raise SystemExit(f"No fit is kept: {error}") from error
    if args.plot:
        plot(by_method, args.plot)


if __name__ == "__main__":
    main()
