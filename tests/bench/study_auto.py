"""`auto` against every fixed strategy, pooled over the sets of run files.

    askance eval QUESTIONS CORPUS --strategy auto --strategy fb_rag --strategy vanilla --out RUN
    python tests/bench/study_auto.py RUN... [--metric f1] [--strategy auto]

Rows are joined by data set, question and everything they were made with but the strategy. For each
other strategy it prints, over the questions that both answered: means, the difference of the
metric with its paired 95 % interval (bootstrap over questions), and the ratio of effective context.
The verdict is that of the aim: within 2 points of the best fixed strategy or better, at no more
than 1.25 times its effective context. Run files are resumable, and so is this: give what is there.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from engine.evaluation.comparing import paired_difference
from engine.evaluation.runs import read_run

Row = dict[str, Any]
Key = tuple[str, str, str]
MADE_WITH = ("effort", "budget", "max_context", "seed", "models", "least_confidence", "candidates")
POINTS = 0.02
RATIO = 1.25


def keyed(paths: Iterable[Path]) -> dict[str, dict[Key, Row]]:
    """Return rows by strategy, then by data set, question and what they were made with."""
    found: dict[str, dict[Key, Row]] = defaultdict(dict)
    for path in paths:
        for row in read_run(path).rows:
            made = json.dumps([row.get(name) for name in MADE_WITH], sort_keys=True)
            found[row["strategy"]][row["dataset"], row["id"], made] = row
    return dict(found)


def score(row: Row, metric: str) -> float:
    """Return a row's metric; what was refused or has none is wrong."""
    return float(row["scores"].get(metric) or 0.0)


def context(row: Row) -> int:
    """Return the input tokens of both language models; 0 for what was refused."""
    tokens = row.get("tokens", {})
    return sum(tokens.get(role, {}).get("prompt", 0) for role in ("lookahead", "generator"))


def seconds(row: Row) -> float:
    return float(row.get("seconds", {}).get("total", 0.0))


def mean(values: Iterable[float]) -> float:
    known = list(values)
    return sum(known) / max(1, len(known))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--metric", default="f1")
    parser.add_argument("--strategy", default="auto")
    args = parser.parse_args()
    by_strategy = keyed(args.runs)
    own = by_strategy.pop(args.strategy, {})
    if not own:
        raise SystemExit(f"No row of {args.strategy} in {', '.join(map(str, args.runs))}.")
    print(f"| strategy | questions | {args.metric} | context | s | difference | context ratio |")
    print("|---|---|---|---|---|---|---|")
    verdicts = []
    for name, rows in sorted(by_strategy.items()):
        both = sorted(own.keys() & rows.keys())
        if not both:
            continue
        mine, theirs = ([side[key] for key in both] for side in (own, rows))
        by = paired_difference(
            [score(row, args.metric) for row in mine], [score(row, args.metric) for row in theirs]
        )
        ratio = sum(map(context, mine)) / max(1, sum(map(context, theirs)))
        best = mean(score(row, args.metric) for row in theirs)
        verdicts.append((best, name, by.mean, ratio, len(both)))
        print(
            f"| {name} | {len(both)} | {best:.3f} | {mean(map(context, theirs)):,.0f} "
            f"| {mean(map(seconds, theirs)):.1f} | {by.mean:+.3f} [{by.low:+.3f}, {by.high:+.3f}] "
            f"| {ratio:.2f} |"
        )
    pooled = list(own.values())
    print(
        f"| **{args.strategy}** | {len(pooled)} "
        f"| {mean(score(row, args.metric) for row in pooled):.3f} "
        f"| {mean(map(context, pooled)):,.0f} | {mean(map(seconds, pooled)):.1f} |  |  |"
    )
    sets = Counter(key[0] for key in own)
    print("\n" + ", ".join(f"{name} {count}" for name, count in sorted(sets.items())))
    if verdicts:
        _, name, difference, ratio, count = max(verdicts)
        met = difference >= -POINTS and ratio <= RATIO
        print(
            f"Best fixed strategy: {name}. {args.strategy} is {100 * difference:+.1f} points at "
            f"{ratio:.2f} times its context over {count} questions: the aim is "
            f"{'met' if met else 'not met'}."
        )


if __name__ == "__main__":
    main()
