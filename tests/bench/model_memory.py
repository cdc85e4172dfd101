"""Compare the estimate of a model's memory with what loading it takes.

python -P tests/bench/model_memory.py ID [CONTEXT]

One model a process: the peak is that of the process. `-P` keeps `models.py` beside this file apart.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from models.store.catalogue import load_catalogue
from models.store.estimate import CONTEXT, estimate_row
from models.store.store import Store

PROMPT = "The lease of the boathouse ends in December. " * 400
TOKENS = 1500


def main() -> None:
    """Load, run a prompt with five replies, print one row of a table in MB."""
    from models.llama.generator import load_llama
    from models.protocols import GenerationRequest

    row = load_catalogue().row(sys.argv[1])
    context = int(sys.argv[2]) if len(sys.argv) > 2 else CONTEXT
    store = Store.default(os.environ)
    found = estimate_row(row, store, context)
    if found is None:
        sys.exit("Nothing is known of this model.")
    model = load_llama(store.open(row), row.id, context=context)
    text = PROMPT
    while model.count(text) > TOKENS:
        text = text[:-200]
    list(model.sample(GenerationRequest((text,), max_tokens=8, n=5)))
    lines = Path("/proc/self/status").read_text().splitlines()
    peak = 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    parts = (found.weights, found.cache, found.buffers, found.needed, found.reorder, found.peak)
    cells = [row.id, f"{context:,}", *(f"{size / 1e6:,.0f}" for size in (*parts, peak))]
    print("|", " | ".join(cells), "|", f"{100 * (found.peak / peak - 1):+.0f} % |")


if __name__ == "__main__":
    main()
