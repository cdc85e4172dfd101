"""What waiting awake costs beside another program, against OpenMP's own choice.

    python tests/bench/bench_waiting.py [--model ID] [--times 3]

Each run is a process of its own that reads a prompt of 500 tokens and writes 32, on a quiet machine
and beside a program that keeps one core busy. Both choices take turns.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys

SMALL = "qwen2.5-coder-0.5b-instruct-q4_k_m"
BUSY = [sys.executable, "-c", "while True: pass"]
CHOICES = {"OpenMP's own": {}, "short": {"GOMP_SPINCOUNT": "3000"}}
RUN = """
import os, sys, time
from models.store.catalogue import load_catalogue
from models.llama.generator import load_llama
from models.protocols import GenerationRequest
from models.store.store import Store

row = load_catalogue().row(sys.argv[1])
model = load_llama(Store.default(os.environ).open(row), row.id, context=2048)
text = "The lease of the boathouse ends in December. " * 400
while model.count(text) > 500:
    text = text[:-300]
model.next_token_logprobs("Once", ("a",))
model.forget()
began = time.monotonic()
model.next_token_logprobs(text, ("a",))
read = model.count(text) / (time.monotonic() - began)
generated, began = model.usage.generated, time.monotonic()
list(model.sample(GenerationRequest(("Once upon a time",), max_tokens=32)))
print(read, (model.usage.generated - generated) / (time.monotonic() - began))
"""


def measured(model: str, choice: dict[str, str]) -> tuple[float, float]:
    """Return tokens a second, read and written."""
    kept = {k: v for k, v in os.environ.items() if k not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    done = subprocess.run(
        [sys.executable, "-c", RUN, model],
        env=kept | choice,
        capture_output=True,
        text=True,
        check=True,
    )
    read, written = done.stdout.split()
    return float(read), float(written)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default=SMALL)
    parser.add_argument("--times", type=int, default=3)
    told = parser.parse_args()
    for place in ("quiet", "beside a busy program"):
        other = None if place == "quiet" else subprocess.Popen(BUSY, start_new_session=True)
        seen: dict[str, list[tuple[float, float]]] = {name: [] for name in CHOICES}
        try:
            for _ in range(told.times):
                for name, choice in CHOICES.items():
                    seen[name].append(measured(told.model, choice))
        finally:
            if other is not None:
                other.kill()
                other.wait()
        for name, rows in seen.items():
            read, written = (statistics.median(column) for column in zip(*rows, strict=True))
            print(f"{place:22} {name:14} reads {read:6.1f}  writes {written:6.2f} tokens/s")


if __name__ == "__main__":
    main()
