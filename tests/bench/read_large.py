"""Large mailboxes: seconds to the first ranked mail, to all text, to a second question; memory.

    read_large.py FOLDER [--attachments SECONDS]

FOLDER holds mailboxes, as `read_grow.py DATA GROWN --copies 10` makes them. Two, four and all of
them are searched twice, each time by a process of its own. Attachments are left out unless seconds
are given. Each row ends with the seconds for a gigabyte, and its ratio to the first row's.
"""

from __future__ import annotations

import argparse
import multiprocessing
import threading
import time
from pathlib import Path

import psutil

from engine.answer import search
from engine.events import Found, Reading
from engine.retrieval.memory import Memory
from engine.settings import Settings
from ingest.item import Reason

QUERIES = ("signed lease form", "gas pipeline contract")


def watched(peak: list[int]) -> None:
    """Note the most memory that this process and its readers take."""
    me = psutil.Process()
    while True:
        taken = 0
        for process in (me, *me.children(recursive=True)):
            try:
                taken += process.memory_info().rss
            except psutil.NoSuchProcess:
                continue
        peak[0] = max(peak[0], taken)
        time.sleep(0.2)


def measured(paths: list[Path], attachments: float, out: multiprocessing.SimpleQueue[dict]) -> None:
    """Search twice, and put what it took."""
    peak = [0]
    threading.Thread(target=watched, args=(peak,), daemon=True).start()
    row: dict[str, float] = {"gigabytes": sum(path.stat().st_size for path in paths) / 1e9}
    with Memory() as memory:
        for number, query in enumerate(QUERIES, 1):
            began = time.perf_counter()
            for event in search(query, paths, Settings(attachments=attachments), memory=memory):
                seconds = time.perf_counter() - began
                if isinstance(event, Reading) and event.best is not None:
                    row.setdefault("first", seconds)
                elif isinstance(event, Found):
                    row[f"end {number}"] = seconds
                    skipped = event.result.coverage.skipped
                    row["left"] = sum(one.reason is Reason.LATER for one in skipped)
    out.put(row | {"peak": peak[0] / 1e6})


def main() -> None:
    """Print a row for two, four and all mailboxes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--attachments", type=float, default=0)
    given = parser.parse_args()
    paths = sorted(given.folder.glob("*.mbox"))
    base = 0.0
    for count in (2, 4, len(paths)):
        out = multiprocessing.SimpleQueue()
        one = multiprocessing.Process(target=measured, args=(paths[:count], given.attachments, out))
        one.start()
        row = out.get()
        one.join()
        rate = row["end 1"] / row["gigabytes"]
        base = base or rate
        print(
            f"{row['gigabytes']:.1f} GB: first {row.get('first', row['end 1']):.1f} s, end "
            f"{row['end 1']:.1f} s, second question {row['end 2']:.1f} s, "
            f"peak {row['peak']:,.0f} MB, {row['left']:.0f} with attachments left; "
            f"{rate:.1f} s a GB, {rate / base:.2f} times",
            flush=True,
        )


if __name__ == "__main__":
    main()
