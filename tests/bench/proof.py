"""What proving llama.cpp's library costs, and what becomes of libraries that fail on purpose.

python -P tests/bench/proof.py [RUNS]

Times are by the clock, medians, in processes of their own: the first start finds no record, the
second finds it. A C compiler is needed for the second table.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from models.errors import RuntimeFailed
from models.proof import child as proof_child
from models.proof import proof
from tests.support.toy_library import compiled

START = """
import sys, time
from pathlib import Path
from models.proof.proof import proved
began = time.perf_counter()
proved(Path(sys.argv[1]), lambda text: None)
print(time.perf_counter() - began)
"""
FAULTS = (
    *("init 4 always", "load 11 always", "prompt 11 always", "batch 6 always"),
    *("callback 7 always", "prompt exit always", "prompt nonsense always", "prompt 9 always"),
    *("load 6 extra", "prompt 11 extra", "prompt hang extra", "prompt nan extra"),
    *("batch 4 flash", "batch nonsense flash"),
)
PATIENCE = 5.0


def main() -> None:
    """Print both tables."""
    times(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LLAMA_CPP_LIB_PATH"] = str(compiled(Path(folder)))
        proof_child.PATIENCE_SECONDS = PATIENCE
        print(f"\n| fault | outcome | seconds |\n|---|---|---|\n| none | {outcome('')}")
        for fault in FAULTS:
            print(f"| {fault} | {outcome(fault)}", flush=True)


def times(runs: int) -> None:
    """Print how long the first start takes and how long a later one."""
    first, later = [], []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as root:
            for found in (first, later):
                command = [sys.executable, "-c", START, root]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                found.append(float(done.stdout))
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = (spent.ru_utime + spent.ru_stime) / runs
    print(f"first start {statistics.median(first):.2f} s (worst {max(first):.2f})")
    print(f"later starts {1000 * statistics.median(later):.1f} ms (worst {1000 * max(later):.1f})")
    print(f"both together {cpu:.2f} s of processor time, Python's own start included")


def outcome(fault: str) -> str:
    """Return what comes of a library with this fault, and the seconds."""
    os.environ["TOY_FAULT"] = fault
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as root:
        try:
            found = proof(Path(root), lambda text: None)
            without = found.precautions.without
            said = f"works without {without}: {found.why}" if found.why else "works"
        except RuntimeFailed as error:
            said = f"`{error.kind}`: {error.message}"
    return f"{said} | {time.perf_counter() - began:.1f} |"


if __name__ == "__main__":
    main()
