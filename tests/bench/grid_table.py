"""Tables of run files, and the rows of them that may be published.

    python tests/bench/grid_table.py table RUN... [--baseline STRATEGY] [--pool] [--together]
        [--recall]
    python tests/bench/grid_table.py strip RUN... --out FOLDER

`table` prints, for each data set and budget, the means of every strategy over the questions that
all of them answered, with the paired 95 % interval of F1 against the baseline; `--pool` puts the
questions of all data sets into one table, `--together` the budgets; `--recall` prints recall of the
evidence among two, five and ten passages and in the answer's prompt, each with its interval, in
their place. `strip` copies
rows without answers: what is left is ids, settings, scores, tokens, seconds and hashes; `askance
eval --out` goes on from such a file.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Any

from engine.evaluation.runs import read_run
from engine.evaluation.significance import paired_difference

Row = dict[str, Any]
SECRET = ("answer", "raw")
SCORES = ("em", "f1", "acc", "substring")
KS = (2, 5, 10)
COLUMNS = ["EM", "F1", "Acc", "substring", "recall@5", "context", "computed", "s", "F1"]


def rows(paths: list[Path]) -> list[Row]:
    """Return all whole lines."""
    return [row for path in paths for row in read_run(path).rows]


def strip(paths: list[Path], out: Path) -> None:
    """Write the rows without what the models said."""
    out.mkdir(parents=True, exist_ok=True)
    for path in paths:
        kept = [{k: v for k, v in row.items() if k not in SECRET} for row in rows([path])]
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in kept)
        (out / path.name).write_text(text)


def budget(row: Row) -> str:
    """Return Y, as tables name it."""
    return f"Y = {(row.get('budget') or {}).get('generator_tokens', 0)}"


def arm(row: Row, pool: bool, together: bool) -> tuple[str, str, str]:
    """Return what distinguishes tables: data set, Y, generator."""
    dataset = "all sets" if pool else row["dataset"]
    return dataset, "all budgets" if together else budget(row), row["models"]["generator"]


def variant(row: Row, together: bool) -> tuple[str, ...]:
    """Return what may tell rows of one strategy apart within a table."""
    return (row["models"]["lookahead"], *([budget(row)] if together else []))


def names(found: list[Row], together: bool) -> dict[tuple[str, tuple[str, ...]], str]:
    """Return what to call each strategy, with what differs where it comes in several variants."""
    seen: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for row in found:
        seen[row["strategy"]].add(variant(row, together))
    called = {}
    for strategy, variants in seen.items():
        columns = zip(*variants, strict=True)
        differing = [at for at, column in enumerate(columns) if len(set(column)) > 1]
        for one in variants:
            called[strategy, one] = ", ".join([strategy, *(one[at] for at in differing)])
    return called


def table(paths: list[Path], baseline: str, pool: bool, together: bool, recall: bool) -> None:
    """Print one Markdown table for each data set, budget and generator."""
    columns = [*(f"recall@{k}" for k in KS), "recall, read"] if recall else COLUMNS
    show = recall_line if recall else line
    groups: dict[tuple[str, str, str], dict[str, dict[str, Row]]] = defaultdict(dict)
    found = rows(paths)
    called = names(found, together)
    for row in found:
        name = called[row["strategy"], variant(row, together)]
        groups[arm(row, pool, together)].setdefault(name, {})[row["id"]] = row
    for (dataset, tokens, generator), strategies in sorted(groups.items()):
        asked = set.intersection(*(set(found) for found in strategies.values()))
        print(f"\n**{dataset}**, {tokens}, {generator}, {len(asked)} questions\n")
        print(f"| {' | '.join(['strategy', *columns])} |")
        print("|---" * (1 + len(columns)) + "|")
        base = [strategies[baseline][i] for i in sorted(asked)] if baseline in strategies else []
        for name, answered in strategies.items():
            print(show(name, [answered[i] for i in sorted(asked)], base))


def mean(values: list[float]) -> float:
    """Return the mean; of nothing it is zero."""
    return sum(values) / max(1, len(values))


def score(row: Row, key: str) -> float:
    """Return a score, zero where it has no value."""
    return float(row["scores"].get(key) or 0.0)


def recall_of(row: Row, k: int) -> float:
    """Return the part of the evidence among the best `k` passages, by what chose them last."""
    selected = f"select_recall@{k}"
    return score(row, selected if selected in row["scores"] else f"recall_recall@{k}")


def gained(values: list[float], base: list[float]) -> str:
    """Return the mean difference and its interval; nothing against nothing, or itself."""
    if not base:
        return ""
    by = paired_difference(values, base)
    return f"{by.mean:+.3f} [{by.low:+.3f}, {by.high:+.3f}]"


def recall_line(name: str, found: list[Row], base: list[Row]) -> str:
    """Return what evidence a strategy found."""
    base = [] if found == base else base
    cells = []
    for of in (*(partial(recall_of, k=k) for k in KS), partial(score, key="read_recall")):
        values = [of(row) for row in found]
        gain = gained(values, [of(row) for row in base])
        cells.append(f"{mean(values):.3f} {f'({gain})' if gain else ''}".strip())
    return f"| {' | '.join([name, *cells])} |"


def line(name: str, found: list[Row], base: list[Row]) -> str:
    """Return a strategy's row."""

    def tokens(row: Row, key: str) -> int:
        return sum(row["tokens"][role][key] for role in ("lookahead", "generator"))

    others = [] if found == base else [score(row, "f1") for row in base]
    gain = gained([score(row, "f1") for row in found], others)
    cells = [f"{mean([score(r, key) for r in found]):.3f}" for key in SCORES]
    cells += [
        f"{mean([recall_of(r, 5) for r in found]):.3f}",
        f"{mean([tokens(r, 'prompt') for r in found]):,.0f}",
        f"{mean([tokens(r, 'computed') for r in found]):,.0f}",
        f"{mean([r['seconds']['total'] for r in found]):.1f}",
        gain,
    ]
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    """Run one of the two parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["table", "strip"])
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--baseline", default="order_preserving")
    parser.add_argument("--pool", action="store_true")
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--recall", action="store_true")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    if args.part == "strip":
        strip(args.runs, args.out)
    else:
        table(args.runs, args.baseline, args.pool, args.together, args.recall)


if __name__ == "__main__":
    main()
