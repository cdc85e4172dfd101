"""`auto` against every fixed strategy, pooled over the sets of run files.

    python tests/bench/grid.py auto personal core-800 --data DATA --out FOLDER
    python tests/bench/study_auto.py FOLDER/{core-800,auto,personal}.*.jsonl [--metric f1]
        [--strategy auto] [--against NAME...] [--least 240]

Rows are joined by data set, question and everything they were made with but the strategy (of two
of one strategy, the last file's counts), and compared over the questions that have a gold answer
and that every strategy was asked: what was refused is wrong. For each fixed strategy it prints
means, the difference of the metric with its paired 95 % interval (bootstrap over questions), and
the ratio of effective context over what both answered. The verdict is that of the aim: within 2
points of the best fixed strategy or better, at no more than 1.25 times its effective context, over
so many questions as the aim names; with fewer there is none. Run files are resumable, and so is
this: give what is there.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.evaluation.arms import SETTINGS
from engine.evaluation.runs import read_run
from engine.evaluation.significance import Difference, paired_difference

Row = dict[str, Any]
Key = tuple[str, str, str]
POINTS = 0.02
RATIO = 1.25
LEAST = 240


def keyed(paths: Iterable[Path]) -> dict[str, dict[Key, Row]]:
    """Return rows by strategy, then by data set, question and what they were made with."""
    found: dict[str, dict[Key, Row]] = defaultdict(dict)
    for path in paths:
        for row in read_run(path).rows:
            made = json.dumps([row.get(name) for name in SETTINGS[1:]], sort_keys=True)
            found[row["strategy"]][row["dataset"], row["id"], made] = row
    return dict(found)


def shared(by_strategy: dict[str, dict[Key, Row]], metric: str) -> list[Key]:
    """Return what every strategy was asked and has a gold answer, in order."""
    asked = set.intersection(*(set(rows) for rows in by_strategy.values()))
    return sorted(key for key in asked if _gold(by_strategy, key, metric))


def _gold(by_strategy: dict[str, dict[Key, Row]], key: Key, metric: str) -> bool:
    """Say whether the question has a gold answer: those who answered it have the metric."""
    done = [rows[key] for rows in by_strategy.values() if answered(rows[key])]
    return bool(done) and all(has(row, metric) for row in done)


def answered(row: Row) -> bool:
    return "tokens" in row


def has(row: Row, metric: str) -> bool:
    return row["scores"].get(metric) is not None


def score(row: Row, metric: str) -> float:
    """Return a row's metric; what was refused is wrong."""
    return float(row["scores"][metric]) if has(row, metric) else 0.0


def context(row: Row) -> int:
    """Return the input tokens of both language models."""
    return sum(row["tokens"][role]["prompt"] for role in ("lookahead", "generator"))


def mean(values: Iterable[float]) -> float:
    known = list(values)
    return sum(known) / max(1, len(known))


@dataclass(frozen=True)
class Compared:
    """One fixed strategy, and what `auto` makes of the same questions."""

    name: str
    score: float
    context: float
    seconds: float
    refused: int
    difference: Difference
    ratio: float
    """Of effective context, over what both answered; NaN where they answered nothing in common."""

    @property
    def met(self) -> bool:
        return self.difference.mean >= -POINTS and self.ratio <= RATIO


def compared(name: str, own: Sequence[Row], others: Sequence[Row], metric: str) -> Compared:
    """Compare rows of the same questions, in the same order."""
    both = [(a, b) for a, b in zip(own, others, strict=True) if answered(a) and answered(b)]
    spent = [sum(context(pair[side]) for pair in both) for side in (0, 1)]
    done = [row for row in others if answered(row)]
    return Compared(
        name,
        mean(score(row, metric) for row in others),
        mean(map(context, done)),
        mean(row["seconds"].get("total", 0.0) for row in done),
        len(others) - len(done),
        paired_difference([score(r, metric) for r in own], [score(r, metric) for r in others]),
        spent[0] / spent[1] if spent[1] else float("nan"),
    )


def report(
    by_strategy: dict[str, dict[Key, Row]], strategy: str, metric: str, least: int
) -> Iterator[str]:
    """Yield the table, and the verdict or why there is none."""
    keys = shared(by_strategy, metric)
    if len(by_strategy) < 2 or not keys:
        counts = ", ".join(f"{name} {len(rows)}" for name, rows in sorted(by_strategy.items()))
        yield f"There is nothing to compare {strategy} with; rows: {counts}."
        return
    rows = {name: [known[key] for key in keys] for name, known in by_strategy.items()}
    own = rows.pop(strategy)
    every = [compared(name, own, theirs, metric) for name, theirs in sorted(rows.items())]
    yield f"| strategy | {metric} | context | s | refused | difference | context ratio |"
    yield "|---|---|---|---|---|---|---|"
    for one in every:
        d = one.difference
        yield (
            f"| {one.name} | {one.score:.3f} | {one.context:,.0f} | {one.seconds:.1f} "
            f"| {one.refused} | {d.mean:+.3f} [{d.low:+.3f}, {d.high:+.3f}] | {one.ratio:.2f} |"
        )
    me = compared(strategy, own, own, metric)
    yield (
        f"| **{strategy}** | {me.score:.3f} | {me.context:,.0f} | {me.seconds:.1f} "
        f"| {me.refused} |  |  |"
    )
    sets = Counter(key[0] for key in keys)
    yield "\n" + ", ".join(f"{name} {count}" for name, count in sorted(sets.items()))
    yield _verdict(strategy, max(every, key=lambda one: one.score), len(keys), by_strategy, least)


def _verdict(
    strategy: str,
    best: Compared,
    count: int,
    by_strategy: dict[str, dict[Key, Row]],
    least: int,
) -> str:
    if count < least:
        fewest = min(by_strategy, key=lambda name: len(by_strategy[name]))
        return (
            f"No verdict: all strategies were asked {count} questions with a gold answer, and "
            f"{least} are needed; {fewest} has {len(by_strategy[fewest])} rows."
        )
    return (
        f"Best fixed strategy: {best.name}. {strategy} is {100 * best.difference.mean:+.1f} points "
        f"at {best.ratio:.2f} times its context over {count} questions: the aim is "
        f"{'met' if best.met else 'not met'}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--metric", default="f1")
    parser.add_argument("--strategy", default="auto")
    parser.add_argument("--against", nargs="+", help="only these fixed strategies")
    parser.add_argument("--least", type=int, default=LEAST, help="questions a verdict needs")
    args = parser.parse_args()
    by_strategy = keyed(args.runs)
    if args.strategy not in by_strategy:
        raise SystemExit(f"No row of {args.strategy} in {', '.join(map(str, args.runs))}.")
    if args.against:
        wanted = {args.strategy, *args.against}
        by_strategy = {name: rows for name, rows in by_strategy.items() if name in wanted}
    print("\n".join(report(by_strategy, args.strategy, args.metric, args.least)))


if __name__ == "__main__":
    main()
