"""One measurement in a process of its own: a pickled `Job` on stdin, JSON on stdout."""

from __future__ import annotations

import gc
import json
import pickle
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from recall_engines import BM25S, ENGINES, RankBM25
from recall_texts import Growth

from engine.language.tokens import terms
from engine.retrieval.recall import Recall


@dataclass(frozen=True)
class Job:
    """What a child does: "measure" an engine, "verify" our scores, "grow" the texts, "read"."""

    task: str
    texts: list[str]
    queries: list[str] = field(default_factory=list)
    """The first is asked right after building."""
    engine: str = "ours"
    sampled: list[tuple[str, list[str]]] = field(default_factory=list)
    words: int = 0
    """Words to grow the texts to."""


class Watch:
    """Seconds since the last look."""

    def __init__(self) -> None:
        """Start."""
        self._began = time.perf_counter()

    def lap(self) -> float:
        """Return the seconds since the last lap."""
        began, self._began = self._began, time.perf_counter()
        return self._began - began


def megabytes(field_name: str) -> float:
    """Return a line of this process's memory: VmRSS now, or VmHWM since the last reset.

    `ru_maxrss` would not do: it keeps the size of the process that started this one.
    """
    status = Path("/proc/self/status").read_text()
    found = re.search(rf"{field_name}:\s+(\d+) kB", status)
    return int(found[1]) / 1000 if found else 0.0


def reset_peak() -> float:
    """Begin a new peak of memory and return what is in use, in MB."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    return megabytes("VmRSS")


def warm_memory() -> None:
    """Use memory once and give it back.

    The host of a virtual machine takes its time to find memory that was not used lately; it did
    so to any engine, for up to three times as long as ours builds.
    """
    np.ones(1 << 30, np.uint8)


def measure(job: Job) -> dict[str, Any]:
    """Return seconds and megabytes of one engine."""
    engine = ENGINES[job.engine]()
    base, watch = reset_peak(), Watch()
    engine.tokenise(job.texts)
    tokenise = watch.lap()
    warm_memory()
    reset_peak()
    watch.lap()
    used = time.process_time()
    engine.build(job.texts)
    build = watch.lap()
    found = engine.best(job.queries[:1])
    first = watch.lap()
    used = time.process_time() - used
    for query in job.queries[1:]:
        found += engine.best([query])
    later = watch.lap() / max(1, len(job.queries) - 1)
    one = five = 0.0
    for question, samples in job.sampled:
        watch.lap()
        engine.best([question])
        one += watch.lap() / len(job.sampled)
        engine.best(samples)
        five += watch.lap() / len(job.sampled)
    return {
        "tokenise": tokenise,
        "build": build,
        "first": first,
        "cpu": used,
        "later": later,
        "one": one,
        "five": five,
        "peak": megabytes("VmHWM") - base,
        "best": found,
    }


def verify(job: Job) -> dict[str, Any]:
    """Return the largest difference of our scores to both libraries', over all queries."""
    tokens = [terms(text) for text in job.texts]
    okapi, lucene = RankBM25(), BM25S()
    okapi.take(tokens)
    lucene.take(tokens)
    oracles = {
        "okapi": (okapi.scores, Recall(job.texts, "okapi", stop_words=False, stemming=False)),
        "lucene": (lucene.scores, Recall(job.texts, "lucene", stop_words=False, stemming=False)),
    }
    worst = dict.fromkeys(oracles, 0.0)
    for query in job.queries:
        for name, (oracle, ours) in oracles.items():
            difference = float(np.abs(oracle(query) - ours.scores([query])[0]).max())
            worst[name] = max(worst[name], difference)
    return worst


def grow(job: Job) -> dict[str, Any]:
    """Return seconds and megabytes of our engine over grown texts; the texts do not count."""
    growth = Growth(job.texts)
    texts = [text for chunk in growth.chunks(job.words) for text in chunk]
    base, watch = reset_peak(), Watch()
    recall = Recall(texts)
    recall.scores([""])  # waits for the folding
    build = watch.lap()
    recall.scores(job.queries[:1])
    first = watch.lap()
    for query in job.queries[1:]:
        recall.scores([query])
    later = watch.lap() / max(1, len(job.queries) - 1)
    return {
        "words": growth.made,
        "distinct": growth.distinct,
        "passages": len(texts),
        "build": build,
        "first": first,
        "later": later,
        "peak": megabytes("VmHWM") - base,
    }


def read(job: Job) -> dict[str, Any]:
    """Return the seconds of one plain read of the folded texts in memory, and their bytes."""
    data = "\n".join(job.texts).casefold().encode()
    numbers = np.frombuffer(data[: len(data) // 8 * 8], np.uint64)
    watch = Watch()
    seconds = []
    for _ in range(20):
        np.bitwise_xor.reduce(numbers)
        seconds.append(watch.lap())
    return {"bytes": len(data), "seconds": min(seconds)}


TASKS: dict[str, Callable[[Job], dict[str, Any]]] = {
    "measure": measure,
    "verify": verify,
    "grow": grow,
    "read": read,
}


def main() -> None:
    """Do one job."""
    job: Job = pickle.load(sys.stdin.buffer)
    print(json.dumps(TASKS[job.task](job)))


if __name__ == "__main__":
    main()
