"""What every confidence threshold would have done, from runs recorded without one.

    python tests/bench/study_abstention.py ANSWERABLE.jsonl UNANSWERABLE.jsonl [THRESHOLD…]

The runs come from `askance eval --least-confidence 0 --out …`; a row whose confidence is below
the threshold counts as an abstention. Prints figures only.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

THRESHOLDS = (0.0, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6)


def rows(path: str) -> list[dict[str, Any]]:
    """Return the rows of a run."""
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def abstains(row: dict[str, Any], threshold: float) -> bool:
    """Say whether a row is an abstention at a threshold."""
    confidence = row["confidence"]
    return bool(row["scores"]["abstained"]) or (confidence is not None and confidence < threshold)


def mean(values: Sequence[float]) -> float:
    """Return the mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def main() -> None:
    """Print one line a threshold."""
    answerable, unanswerable = rows(sys.argv[1]), rows(sys.argv[2])
    print(f"{len(answerable)} answerable, {len(unanswerable)} unanswerable")
    for threshold in [float(t) for t in sys.argv[3:]] or THRESHOLDS:
        given = [r for r in answerable if not abstains(r, threshold)]
        right = sum(r["scores"]["substring"] for r in given)
        f1 = sum(r["scores"]["f1"] for r in given) / len(answerable)
        cited = [r["scores"]["citation_precision"] for r in given]
        precision = mean([p for p in cited if p is not None])
        words = mean([r["scores"]["answer_words"] for r in given])
        quiet = sum(abstains(r, threshold) for r in unanswerable)
        print(
            f"at {threshold:.2f}: right {right:.0f}, F1 {f1:.3f}, answered {len(given)}, "
            f"words {words:.1f}, citation precision {precision:.2f}; "
            f"unanswerable: abstained {quiet}"
        )


if __name__ == "__main__":
    main()
