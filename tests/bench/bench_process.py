"""What the engine's process costs `askance ask`, beside the same question in one process.

    python tests/bench/bench_process.py [--times 7] [--model ID] [--question WORDS]

Both arms run the whole command over the sample, in turn, as processes of their own. Memory is the
peak of the proportional set size of the command and all that it started, read every 20 ms.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

from app.sources.sample_files import sample_folder

SMALL = "smollm2-135m-instruct-q4_1"
QUESTION = "Which ferry does Kim take?"
MAIN = "import sys; from app.main import run; sys.exit(run())"
IN_ONE = """
import app.backend.client, app.backend.early_start
from app.backend.composition import make_engine
app.backend.client.EngineProcess = make_engine
app.backend.early_start.begin = lambda: None
"""
ARMS = {"one process": IN_ONE + MAIN, "own process": MAIN}
EVERY = 0.02


def family(pid: int) -> list[int]:
    """Return a process and all that it started."""
    found = [pid]
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += family(int(child))
    except OSError:
        pass
    return found


def pss(pid: int) -> int:
    """Return kilobytes; 0 for a process that is gone."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def run(arm: str, asked: list[str]) -> tuple[float, float]:
    """Return the seconds and the megabytes of one command."""
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-c", ARMS[arm], *asked],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    peak = 0
    while process.poll() is None:
        peak = max(peak, sum(map(pss, family(process.pid))))
        time.sleep(EVERY)
    if process.returncode not in (0, 3):
        sys.exit(f"{arm} ended with exit code {process.returncode}")
    return time.monotonic() - began, peak / 1000


def main() -> None:
    """Print both arms and their difference."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=7)
    parser.add_argument("--model", default=SMALL)
    parser.add_argument("--question", default=QUESTION)
    told = parser.parse_args()
    asked = ["ask", told.question, str(sample_folder()), "--strategy", "vanilla", "--json"]
    asked += ["--lookahead", told.model, "--generator", told.model]
    seen: dict[str, list[tuple[float, float]]] = {arm: [] for arm in ARMS}
    for turn in range(told.times + 1):
        for arm in ARMS:
            measured = run(arm, asked)
            if turn:  # the first one warms caches of the system
                seen[arm].append(measured)
    for arm, rows in seen.items():
        seconds, memory = zip(*rows, strict=True)
        print(
            f"{arm:12} {statistics.median(seconds):6.2f} s (from {min(seconds):.2f})"
            f"  {statistics.median(memory):7.1f} MB"
        )
    one, own = (seen[arm] for arm in ARMS)
    pairs = list(zip(one, own, strict=True))
    print(
        f"difference   {statistics.median(b[0] - a[0] for a, b in pairs):+6.2f} s"
        f"            {statistics.median(b[1] - a[1] for a, b in pairs):+7.1f} MB"
    )


if __name__ == "__main__":
    main()
