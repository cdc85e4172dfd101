"""Whether the program abstains where it should, and cites what it should, at each effort.

    python tests/bench/grid.py trust-unanswerable trust-answerable --data DATA --out FOLDER
    python tests/bench/study_trust.py FOLDER/trust-*.jsonl [--data DATA] [--late]

Prints one line for each data set and effort. Abstention precision is the share of abstentions
whose question has no answer, recall the share of questions without an answer where it abstained.
Citation precision is the share of cited passages that hold gold evidence, over answers that cite;
citation recall the share of gold evidence that is cited, over questions that were answered. With
`--data`, also how often the wrong answer that a question without one is a trap for was given. With
`--late`, also what looking ahead only where `quick` found no answer would have come to.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.evaluation import metrics
from engine.evaluation.runs import read_run

Row = dict[str, Any]
HEADER = (
    "| set | effort | no answer | abstained | trapped | answer | abstained | right | F1 "
    "| abstention precision | recall | citation precision | recall | input tokens | s |"
)


def traps(data: Path | None) -> dict[str, str]:
    """Return the wrong answer that each question is a trap for, by the question's id."""
    found: dict[str, str] = {}
    for path in sorted((data / "dev").glob("*.jsonl")) if data else []:
        for line in path.read_text().splitlines():
            row = json.loads(line)
            if row.get("trap_answer"):
                found[row["id"]] = str(row["trap_answer"])
    return found


def mean(values: Sequence[float | None]) -> str:
    """Return the mean of what there is, to three places."""
    known = [value for value in values if value is not None]
    return f"{sum(known) / len(known):.3f}" if known else ""


def share(part: int, whole: int) -> str:
    """Return a proportion to three places, nothing of nothing."""
    return f"{part / whole:.3f}" if whole else ""


def line(rows: list[Row], trap: dict[str, str]) -> str:
    """Return the cells of one data set at one effort."""
    without = [row for row in rows if "rightly_abstained" in row["scores"]]
    having = [row for row in rows if "wrongly_abstained" in row["scores"]]
    quiet = sum(row["scores"]["abstained"] == 1 for row in without)
    missed = sum(row["scores"]["abstained"] == 1 for row in having)
    answered = [row for row in having if not row["scores"]["abstained"]]
    trapped = [
        metrics.substring_match(row["answer"], [trap[row["id"]]])
        for row in without
        if row["id"] in trap and not row["scores"]["abstained"]
    ]
    cells = [
        len(without),
        quiet,
        f"{sum(trapped):.0f}" if any(row["id"] in trap for row in without) else "",
        len(having),
        missed,
        f"{sum(row['scores']['substring'] for row in having):.0f}" if having else "",
        mean([row["scores"]["f1"] for row in having]),
        share(quiet, quiet + missed) if without else "",
        share(quiet, len(without)),
        mean([row["scores"].get("citation_precision") for row in answered]),
        mean([row["scores"].get("citation_recall") for row in answered]),
        f"{sum(row['effective_context'] for row in rows) / len(rows):,.0f}",
        f"{sum(row['seconds']['total'] for row in rows) / len(rows):.1f}",
    ]
    return " | ".join(map(str, cells))


def late(quick: list[Row], balanced: list[Row]) -> list[Row]:
    """Return the rows of `quick` that answer; for the rest, those of `balanced` at both costs."""
    further = {row["id"]: row for row in balanced}
    return [
        first if not first["scores"]["abstained"] else together(first, further[first["id"]])
        for first in quick
        if first["id"] in further
    ]


def together(first: Row, second: Row) -> Row:
    """Return the second row with what both took."""
    return second | {
        "effective_context": first["effective_context"] + second["effective_context"],
        "seconds": {"total": first["seconds"]["total"] + second["seconds"]["total"]},
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--late", action="store_true")
    given = parser.parse_args()
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for path in given.runs:
        for row in read_run(path).rows:
            groups[row["dataset"], row["effort"]].append(row)
    if given.late:
        for dataset in dict.fromkeys(dataset for dataset, _ in groups):
            put = late(groups[dataset, "quick"], groups[dataset, "balanced"])
            if put:
                groups[dataset, "quick, balanced where it abstains"] = put
    trap = traps(given.data)
    print(HEADER)
    print("|---" * (HEADER.count("|") - 1) + "|")
    for (dataset, effort), rows in groups.items():
        print(f"| {dataset} | {effort} | {line(rows, trap)} |")


if __name__ == "__main__":
    main()
