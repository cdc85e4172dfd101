"""What scan.c would gain from a compiler's other flags: CPU seconds, side by side.

    python tests/bench/recall_builds.py [--megabytes 20] [--rounds 15] [--flags=-march=native …]

The first build has the flags of packaging/compile_scan.py, which ask for nothing beyond the least
of the architecture; each `--flags` is one more. Sentences of docs/ in random order are folded, and
questions made of their words are scored; the scores must be equal to the bit. Prints medians of
the process's CPU seconds, all threads together, and of each round's ratio to the first build.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from bench_parts import row

from engine.retrieval.recall import Recall
from engine.retrieval.scan_compiled import CompiledScan

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "packaging"))
from compile_scan import FLAGS  # noqa: E402 - packaging/ is no package


def build(flags: list[str], folder: Path) -> CompiledScan:
    """Compile scan.c with further flags."""
    library = folder / f"scan{abs(hash(tuple(flags)))}.so"
    source = str(ROOT / "engine" / "retrieval" / "scan.c")
    subprocess.run(["cc", *FLAGS, *flags, source, "-o", str(library)], check=True)
    return CompiledScan(library)


def texts(megabytes: float) -> list[str]:
    """Return passages of about 200 words, of so many megabytes in all."""
    pages = " ".join(path.read_text("utf-8") for path in sorted((ROOT / "docs").glob("*.md")))
    words = pages.split()
    pick = random.Random(7)
    size, made = 0.0, []
    while size < megabytes * 1e6:
        starts = (pick.randrange(len(words) - 20) for _ in range(10))
        made.append(" ".join(" ".join(words[at : at + 20]) for at in starts))
        size += len(made[-1].encode())
    return made


def spent(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


def main() -> None:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--flags", action="append", default=[])
    args = parser.parse_args()
    passages = texts(args.megabytes)
    pick = random.Random(8)
    asked = [" ".join(pick.choice(passages).split()[:12]) for _ in range(20)]
    with tempfile.TemporaryDirectory() as folder:
        builds = {"baseline": build([], Path(folder))}
        builds |= {flags: build(flags.split(), Path(folder)) for flags in args.flags}
        took: dict[str, list[tuple[float, float]]] = {name: [] for name in builds}
        scores: set[bytes] = set()
        for number in range(args.rounds):
            for name, scan in list(builds.items())[:: -1 if number % 2 else 1]:
                recall = Recall(scan=scan)
                folding = spent(lambda recall=recall: (recall.add(passages), recall._lengths()))
                asking = spent(lambda recall=recall: scores.add(recall.scores(asked).tobytes()))
                took[name].append((folding, asking))
    assert len(scores) == 1, "the builds differ"
    for part, what in enumerate(("folding", "20 questions")):
        for name, times in took.items():
            pairs = zip(times, took["baseline"], strict=True)
            ratios = [mine[part] / base[part] for mine, base in pairs]
            seconds = median(each[part] for each in times)
            row(f"{what}, {name}", f"{seconds:.3f} s", f"{median(ratios):.2f} of baseline")


if __name__ == "__main__":
    main()
