"""Reads every file of a tree, each on its own, and says what became of it, by format.

    python tests/bench/read_corpora.py ROOT [--list REASON] [--no-trace]

Fails when reading raises, leaves anything behind, changes the tree or looks for a network: home
and temporary folder are empty ones that must stay empty, and where strace is installed, all
processes are traced for connections and for files opened to be written.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ingest.files import File, UnreadableError
from ingest.item import Item
from ingest.reading.session import Session
from ingest.recognise import HEAD, recognise, refine

NOW = datetime(2026, 11, 17, tzinfo=UTC)
CALLS = "connect,bind,sendto,creat,mkdir,mkdirat,rename,renameat2,unlink,open,openat"
_WRITES = re.compile(
    r"open(?:at)?\(.*O_(?:WRONLY|RDWR|CREAT)(?!.*\) = -1)|^\d+ (?:creat|mkdir|rename)"
)
_NETWORK = re.compile(r"(?:connect|bind|sendto)\(\d+, .*AF_(?!UNIX|NETLINK)")
_OWN = re.compile(r'"/dev/(?:null|tty|pts/)|"/proc/self/')


@dataclass
class Outcome:
    """What became of one file."""

    path: str
    format: str
    items: int
    reasons: list[str]
    characters: int
    seconds: float
    error: str = ""


def outcome_of(path: Path, session: Session) -> Outcome:
    """Read one file; an exception, which there must never be, is noted."""
    begin = time.perf_counter()
    items: list[Item] = []
    reasons: list[str] = []
    error = ""
    try:
        for found in session.read([path], zone=UTC, now=NOW):
            if isinstance(found, Item):
                items.append(found)
            else:
                assert found.remedy
                reasons.append(found.reason.value)
    except Exception as raised:  # noqa: BLE001 - this is what is looked for
        error = f"{type(raised).__name__}: {raised}"
    seconds = time.perf_counter() - begin
    characters = sum(len(item.text) for item in items)
    return Outcome(
        os.fsdecode(path), format_of(path), len(items), reasons, characters, seconds, error
    )


def format_of(path: Path) -> str:
    try:
        with File(path, path.resolve()) as file:
            return refine(recognise(file.at(0, HEAD), path), file.whole(1 << 30)).value
    except (UnreadableError, OSError):
        return "no regular file"


def read_all(root: Path) -> None:
    """Print the outcome of every file of the tree, one JSON object a line."""
    with Session() as session:
        for path in sorted(path for path in root.rglob("*") if not path.is_dir()):
            print(json.dumps(asdict(outcome_of(path, session))), flush=True)


def read_traced(root: Path, is_traced: bool) -> tuple[list[Outcome], list[str]]:
    """Return the outcomes, and what reading left behind, wrote or asked the network for."""
    with TemporaryDirectory() as above:
        home, trace = Path(above) / "home", Path(above) / "trace"
        home.mkdir()
        strace = ["strace", "-f", "-qq", "--seccomp-bpf", "-e", f"trace={CALLS}", "-o", str(trace)]
        command = strace * (is_traced and bool(shutil.which("strace")))
        command += [sys.executable, "-B", __file__, str(root), "--child"]
        names = ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
        env = os.environ | {name: str(home) for name in names}
        before = _tree(root)
        done = subprocess.run(command, stdout=subprocess.PIPE, env=env, cwd=home, check=False)
        faults = [f"left behind: {path}" for path in home.rglob("*")]
        faults += [f"changed: {path}" for path, _ in before ^ _tree(root)]
        faults += [f"the program ended with {done.returncode}"] * bool(done.returncode)
        faults += _traced_faults(trace) if trace.exists() else []
    return [Outcome(**json.loads(line)) for line in done.stdout.splitlines()], faults


def _tree(root: Path) -> set[tuple[str, int]]:
    return {(str(path), path.lstat().st_mtime_ns) for path in [root, *root.rglob("*")]}


def _traced_faults(trace: Path) -> list[str]:
    with trace.open(errors="replace") as lines:
        return [
            line.strip()[:200]
            for line in lines
            if _NETWORK.search(line) or (_WRITES.search(line) and not _OWN.search(line))
        ]


def print_table(outcomes: list[Outcome]) -> None:
    by_format: dict[str, list[Outcome]] = defaultdict(list)
    for one in outcomes:
        by_format[one.format].append(one)
    print(
        f"{'format':28}{'files':>6}{'read':>6}{'items':>7}{'characters':>12}{'seconds':>9}  skipped"
    )
    rows: list[tuple[str, list[Outcome]]] = sorted(by_format.items(), key=lambda row: -len(row[1]))
    for name, some in [*rows, ("all", outcomes)]:
        read = sum(one.items > 0 for one in some)
        skipped = Counter(reason for one in some for reason in set(one.reasons))
        reasons = ", ".join(f"{count} {reason}" for reason, count in skipped.most_common())
        print(
            f"{name:28}{len(some):6}{read:6}{sum(one.items for one in some):7}"
            f"{sum(one.characters for one in some):12,}{sum(one.seconds for one in some):9.1f}"
            f"  {reasons}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--list", metavar="REASON", help="name the files skipped for this reason")
    parser.add_argument("--no-trace", action="store_true")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options: Any = parser.parse_args()
    if options.child:
        read_all(options.root)
        return
    outcomes, faults = read_traced(options.root.absolute(), not options.no_trace)
    print_table(outcomes)
    faults += [f"{one.path}: {one.error}" for one in outcomes if one.error]
    faults += [f"{one.path}: nothing" for one in outcomes if not one.items and not one.reasons]
    for one in outcomes:
        if options.list in one.reasons:
            print(one.path)
    print(f"{len(faults)} faults", *faults[:50], sep="\n")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
