"""The rivals' table: each rival's better setting, with ratios to Askance."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rivals_corpora import Row

TIMES = ("first", "first_answer", "second", "answer")
COLUMNS = {
    "first": "first sources, s",
    "first_answer": "first answer, s",
    "second": "second sources, s",
    "answer": "second answer, s",
    "disk": "disk, MB",
    "memory": "memory, MB",
    "recall": "recall@10",
    "f1": "F1",
    "substring": "substring",
    "answered": "asked",
    "abstained": "abstained",
}


def table(scratch: Path, clock: str) -> None:
    """Print one table a corpus and size: each rival's better setting, with ratios to Askance."""
    rows = [json.loads(line) for line in (scratch / "rows.jsonl").read_text().splitlines()]
    for corpus, size in dict.fromkeys((row["corpus"], row["size"]) for row in rows):
        own = [r for r in rows if (r["corpus"], r["size"]) == (corpus, size)]
        items = own[0]["items"]
        print(f"\n**{corpus}**, {items:,} items, {own[0]['passages']:,} passages\n")
        print(f"| | {' | '.join(COLUMNS.values())} | text readable |")
        print("|---" * (len(COLUMNS) + 2) + "|")
        best = [_best([r for r in own if r["rival"] == n]) for n in dict.fromkeys(_names(own))]
        base = next(r for r in best if r["rival"] == "askance")
        for row in best:
            print(_line(row, base, clock))


def _names(rows: Sequence[Row]) -> list[str]:
    return [row["rival"] for row in rows]


def _best(rows: Sequence[Row]) -> Row:
    """Return the setting with the higher recall, then the quicker one; a failed one last."""
    return max(rows, key=lambda r: ("failed" not in r, r.get("recall", 0), -r.get("first", 1e9)))


def _line(row: Row, base: Row, clock: str) -> str:
    name = f"{row['rival']} {row['setting']}".strip()
    if "failed" in row:
        return f"| {name} | failed: {' '.join(row['failed'])[:120]} |"
    cells = []
    for column in COLUMNS:
        is_time = column in TIMES
        key = f"{column}_cpu" if is_time and clock == "cpu" else column
        value, over = row.get(key), base.get(key)
        if value is None:
            cells.append("")
            continue
        value = value / 1e6 if column in ("disk", "memory") else value
        text = f"{value:.3f}" if value < 10 else f"{value:.1f}"
        shown = is_time and over and row is not base
        cells.append(f"{text} ({row[key] / over:.1f} x)" if shown else text)
    readable = row.get("readable")
    cells.append("" if readable is None else "yes" if readable > 0.5 else "no")
    return f"| {name} | {' | '.join(cells)} |"
