"""Fits the computation allocation model to run files of drag and iterdrag.

    python tests/bench/grid.py allocation --data DATA --out FOLDER
    python tests/bench/study_allocation.py FOLDER/allocation.*.jsonl --plot PNG --keep FILE

Prints the best configuration within each budget and method (the shape of table 1), the fit over
both methods with its ablations, with the published sigmoid and with one fitted to these points,
what it predicts of data sets it has not seen and of longer contexts, and, with --plot PNG,
performance against effective context. DRAG has one round; only with IterDRAG's is its worth known.
With --keep FILE the fit over all points is kept, for the setting answer.allocation; it is refused
where there are too few of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import get_args

from engine.allocation import PUBLISHED, Fit, Informativeness, Variant
from engine.budget.allocation_file import LEAST_POINTS, written
from engine.errors import QuestionError
from engine.evaluation.runs import read_run
from tests.bench.allocation_configurations import (
    METHODS,
    Configuration,
    best_within,
    configurations,
    points_of,
)
from tests.bench.allocation_fit import (
    EXTREMES,
    PARAMETERS,
    Point,
    fit,
    informativeness,
    normalised,
    p_values,
    refit,
    without_extremes,
)
from tests.bench.allocation_picks import Pick, extrapolated, unseen
from tests.bench.allocation_picks import best_within as best_within_points

ABOUT = Callable[[str], Informativeness]


def best_table(found: Sequence[Configuration], budgets: Sequence[int]) -> Iterator[str]:
    """Yield the best measured configuration of each method within each budget, set by set."""
    sets = sorted({one.dataset for one in found})
    yield f"| budget | method | {' | '.join(sets)} | mean |"
    yield f"|---|---|{'---|' * len(sets)}---|"
    for budget in budgets:
        for method in METHODS:
            best = [best_within(found, one, method, budget) for one in sets]
            cells = [_cell(one) for one in best]
            known = [one.performance for one in best if one]
            mean = f"{sum(known) / len(known):.3f}" if len(known) == len(sets) else "—"
            yield f"| {budget} | {method} | {' | '.join(cells)} | {mean} |"


def _cell(best: Configuration | None) -> str:
    if best is None:
        return "—"
    said = f"{best.performance:.3f} {best.label} at {best.context:,.0f}"
    if best.method == "DRAG" and best.theta and best.read not in (None, best.theta[0]):
        said += f", {best.read:.1f} documents read"
    return said + (f", {best.refused:.0%} refused" if best.refused else "")


def tried(what: str, say: Callable[[], Iterator[str]]) -> Iterator[str]:
    """Yield what there is to say, or why there is nothing: one refusal hinders no other part."""
    try:
        yield from say()
    except (QuestionError, RuntimeError) as error:
        yield f"{what}: no fit: {error}"


def report(raw: Sequence[Point], budgets: Sequence[int]) -> Iterator[str]:
    """Yield the fits over all data sets and methods, their ablations and what they predict."""
    points = normalised(raw)
    about = partial(informativeness, points)
    rest = without_extremes(points)
    for name, used, least in (
        ("all points", points, LEAST_POINTS),
        ("without extremes", rest, LEAST_POINTS - EXTREMES),
    ):
        for variant in get_args(Variant):
            yield from tried(
                f"{name}, {variant}", partial(_fitted, name, used, about, variant, least)
            )
        yield from tried(f"{name}, own sigmoid", partial(_refitted, name, used, about, least))
    sets = sorted({point.dataset for point in raw})
    for budget in budgets:
        for dataset in sets:
            what = f"unseen {dataset} within {budget}"
            yield from tried(what, partial(_unseen, what, raw, dataset, budget))
    for short, long in pairwise(budgets):
        yield from tried(f"{short} to {long}", partial(_extrapolated, raw, short, long))


def _fitted(
    name: str, used: Sequence[Point], about: ABOUT, variant: Variant, least: int
) -> Iterator[str]:
    yield from _described(f"{name}, {variant}", fit(used, about, variant, least=least))


def _refitted(name: str, used: Sequence[Point], about: ABOUT, least: int) -> Iterator[str]:
    found = refit(used, about, least)
    yield from _described(f"{name}, own sigmoid", found)
    s = found.sigmoid
    yield (
        f"  sigma(x) = {s.height:.2f} / (1 + exp(-{s.slope:.2f} (x + {s.shift:.2f}))) "
        f"+ {s.floor:.2f}"
    )


def _described(name: str, found: Fit) -> Iterator[str]:
    yield f"{name}: R2 {found.r2:.3f}, MSE {found.mse:.3f} of {found.points}"
    values = (*found.a, *found.b, found.c)
    for what, value, p in zip(PARAMETERS, values, p_values(found), strict=True):
        yield f"  {what}: {value:+.3f}, p = {p:.3g}"


def _unseen(what: str, raw: Sequence[Point], dataset: str, budget: int) -> Iterator[str]:
    own = [point for point in raw if point.dataset == dataset]
    ships = best_within_points(own, budget, PUBLISHED.fit, PUBLISHED.about)
    picks = f"; what ships picks {ships.predicted.theta}" if ships else ""
    yield f"{what}: {said(unseen(raw, dataset, budget))}{picks}"


def _extrapolated(raw: Sequence[Point], short: int, long: int) -> Iterator[str]:
    for dataset, pick in extrapolated(raw, short, long).items():
        yield f"{dataset}, {short} to {long}: {said(pick)}"


def said(pick: Pick | None) -> str:
    """Return what a prediction turned out to be."""
    if pick is None:
        return "nothing fits"
    base = f", baseline {pick.baseline.performance:.3f}" if pick.baseline else ""
    return (
        f"predicted {pick.predicted.theta} {pick.predicted.performance:.3f}, oracle "
        f"{pick.oracle.theta} {pick.oracle.performance:.3f} ({pick.share:.1%}){base}"
    )


def kept(raw: Sequence[Point], fitted_to: str) -> str:
    """Return the file of the fit over all points. Raises `TooFewPoints`."""
    points = normalised(raw)
    sets = list(dict.fromkeys(point.dataset for point in points))
    about = {name: informativeness(points, name) for name in sets}
    return written(fit(points, about.__getitem__), list(about.values()), fitted_to)


def plot(found: Sequence[Configuration], metric: str, path: Path) -> None:
    """Draw performance against effective context, a panel a data set (figure 1)."""
    from matplotlib import pyplot

    sets = sorted({one.dataset for one in found})
    figure, panels = pyplot.subplots(
        1,
        len(sets),
        figsize=(4.5 * len(sets), 4.2),
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for dataset, axes in zip(sets, panels[0], strict=True):
        for method in METHODS:
            own = [one for one in found if (one.dataset, one.method) == (dataset, method)]
            if not own:
                continue
            own.sort(key=lambda one: one.context)
            contexts = [one.context for one in own]
            reached = [one.performance for one in own]
            best = list(accumulate(reached, max))
            (line,) = axes.plot(contexts, best, drawstyle="steps-post", label=method)
            axes.scatter(contexts, reached, color=line.get_color(), s=16)
        axes.set_xscale("log")
        axes.set_title(dataset)
        axes.set_xlabel("effective context length, tokens")
        axes.set_ylabel(metric)
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
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
    runs = [read_run(path) for path in args.runs]
    for run in runs:
        if run.damaged:
            print(f"{run.path}: damaged lines left out: {', '.join(map(str, run.damaged))}")
    try:
        found = configurations(runs, args.metric)
    except QuestionError as error:
        raise SystemExit(str(error)) from error
    print("\n".join(best_table(found, args.budgets)), end="\n\n")
    print("\n".join(report(points_of(found), args.budgets)))
    if args.plot:
        plot(found, args.metric, args.plot)
    if args.keep:
        try:
            args.keep.write_text(kept(points_of(found), args.fitted_to))
        except QuestionError as error:
            raise SystemExit(f"No fit is kept: {error}") from error


if __name__ == "__main__":
    main()
