"""One question over a mailbox, as a person asks it: stage times and peak memory.

    python tests/bench/bench_question.py MAILBOX QUESTION [ask's flags]

Runs `askance ask --json` as a child and `askance --help` five times. Prints figures only,
never the answer.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time


def main() -> None:
    """Print times in seconds and memory in MiB."""
    mailbox, question, *flags = sys.argv[1:]
    askance = [sys.executable, "-m", "app.main"]
    helps = []
    for _ in range(5):
        began = time.perf_counter()
        subprocess.run([*askance, "--help"], check=True, stdout=subprocess.DEVNULL)
        helps.append(time.perf_counter() - began)
    print(f"askance --help      {min(helps):.3f} s (best of 5), {max(helps):.3f} s (worst)")
    began = time.perf_counter()
    done = subprocess.run(
        [*askance, "ask", question, mailbox, "--json", *flags], stdout=subprocess.PIPE
    )
    wall = time.perf_counter() - began
    answer = json.loads(done.stdout)
    print(f"exit {done.returncode}, grounded: {answer['grounded']}, strategy {answer['strategy']}")
    print(f"read {answer['coverage']['read']}, skipped {len(answer['coverage']['skipped'])}")
    for name, value in answer["timings_ms"].items():
        if value is not None:
            print(f"{name:20}{value / 1000:8.2f} s")
    print(f"{'wall, with start':20}{wall:8.2f} s")
    print(f"tokens {answer['tokens']}")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"peak memory {peak:,.0f} MiB, model files mapped included; {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
