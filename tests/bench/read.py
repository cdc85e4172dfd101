"""Reading speed: ours beside one process, the standard library with pypdf, and ripgrep.

    python tests/bench/read_grow.py DATA GROWN
    python tests/bench/read.py GROWN [--rounds 3] [--workers 2] [--only documents]

One run measures all readers on the same trees, each in a process of its own, with the page cache
dropped before (where the system allows it) and filled; the modules are compiled before, as an
installer does. Times are wall seconds, medians over the rounds, and CPU seconds of the warm run;
ours include starting its processes. Mails are timed until the last of them is there: ours go on to
attachments then, the standard library leaves them alone. Memory is the most that was resident in
the program, and in its workers together. What a worker that had to be replaced used is not counted.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from read_plain import read_plainly

import ingest
from ingest.item import Item, Kind
from ingest.reading.session import Session

TREES = ("text.mbox", "attachments.mbox", "documents")
PATTERN = "contract|meeting|invoice|budget"
CONVERTER = """#!/bin/sh
case "$1" in
*.pdf) exec pdftotext -q "$1" - ;;
*.docx|*.xlsx|*.pptx|*.odt|*.ods|*.epub) exec unzip -p "$1" "*.xml" "*.xhtml" ;;
*) exec cat ;;
esac
"""
NOW = datetime(2026, 11, 17, tzinfo=UTC)


@dataclass
class Figures:
    """What one reader did to one tree."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    """Of all its processes: what the wall says when others use the machine too."""
    mails_seconds: float = 0.0
    again_seconds: float = 0.0
    """The second question over the same tree."""
    refill_seconds: float = 0.0
    """The same once more after `forget`: the processes are there, the text is not."""
    files: int = 0
    mails: int = 0
    items: int = 0
    skipped: int = 0
    characters: int = 0
    kept: int = 0
    """Bytes that the session says it keeps."""
    before_mb: float = 0.0
    """Resident in the program before it read anything."""
    program_mb: float = 0.0
    workers_mb: float = 0.0
    protection: list[str] = field(default_factory=list)


def ours(tree: Path, workers: int) -> Figures:
    figures = Figures(before_mb=_resident(os.getpid()))
    with Session(workers=workers) as session:
        begin = time.process_time()
        figures.seconds, figures.mails_seconds, items = _timed(session, tree, figures)
        figures.cpu_seconds = time.process_time() - begin + sum(map(_cpu, _workers()))
        figures.mails = sum(item.kind is Kind.MAIL and not item.locator.part for item in items)
        figures.characters = sum(len(item.text) for item in items)
        figures.items = len(items)
        figures.kept = session.size
        figures.again_seconds = _timed(session, tree, Figures())[0]
        figures.protection = list(session.protection or ())
        figures.program_mb, figures.workers_mb = (
            _resident(os.getpid()),
            sum(map(_resident, _workers())),
        )
        session.forget()
        items.clear()
        figures.refill_seconds = _timed(session, tree, Figures())[0]
    return figures


def _timed(session: Session, tree: Path, figures: Figures) -> tuple[float, float, list[Item]]:
    items: list[Item] = []
    mails_at = 0.0
    begin = time.perf_counter()
    reading = session.read([tree], zone=UTC, now=NOW)
    for found in reading:
        if isinstance(found, Item):
            items.append(found)
            if found.kind is Kind.MAIL and not found.locator.part:
                mails_at = time.perf_counter() - begin
        else:
            figures.skipped += 1
    figures.files = reading.tally.files_found
    return time.perf_counter() - begin, mails_at, items


def plain(tree: Path, _: int) -> Figures:
    begin, cpu = time.perf_counter(), time.process_time()
    files, mails, characters = read_plainly(tree)
    seconds = time.perf_counter() - begin
    return Figures(
        seconds,
        time.process_time() - cpu,
        seconds,
        files=files,
        mails=mails,
        characters=characters,
        program_mb=_resident(os.getpid()),
    )


def ripgrep(tree: Path, _: int) -> Figures:
    return _search(tree, [])


def ripgrep_with_converters(tree: Path, _: int) -> Figures:
    script = Path.cwd() / "convert.sh"
    script.write_text(CONVERTER)
    script.chmod(0o700)
    return _search(tree, ["--pre", str(script)])


def _search(tree: Path, flags: list[str]) -> Figures:
    begin = time.perf_counter()
    command = ["rg", "--no-ignore", "--hidden", "-a", "-i", "-c", *flags, PATTERN, str(tree)]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    seconds = time.perf_counter() - begin
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    files = sum(path.is_file() for path in [tree, *tree.rglob("*")])
    cpu = used.ru_utime + used.ru_stime
    return Figures(seconds, cpu, files=files, workers_mb=used.ru_maxrss / 1024)


READERS: dict[str, Callable[[Path, int], Figures]] = {
    "ours": ours,
    "ours, one process": lambda tree, _: ours(tree, 1),
    "stdlib and pypdf": plain,
    "ripgrep, unconverted": ripgrep,
    "ripgrep, converters": ripgrep_with_converters,
}
SLOW = ("stdlib and pypdf",)
"""Minutes over the documents: measured once."""


def _resident(process: int) -> float:
    """Return the most megabytes that a process ever had resident."""
    status = Path(f"/proc/{process}/status").read_text()
    line = next((line for line in status.splitlines() if line.startswith("VmHWM")), "VmHWM: 0 kB")
    return int(line.split()[1]) / 1024


def _cpu(process: int) -> float:
    """Return the seconds that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _workers() -> Iterator[int]:
    for task in Path("/proc/self/task").iterdir():
        yield from map(int, (task / "children").read_text().split())


def measure(reader: str, tree: Path, workers: int) -> Figures:
    """Run one reader in a process of its own."""
    command = [sys.executable, __file__, str(tree.absolute())]
    command += ["--child", reader, "--workers", str(workers)]
    with TemporaryDirectory() as folder:
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=folder)
    return Figures(**json.loads(done.stdout))


def drop_page_cache() -> bool:
    try:
        os.sync()
        Path("/proc/sys/vm/drop_caches").write_text("3")
    except OSError:
        return False
    return True


def compare(tree: Path, rounds: int, workers: int) -> None:
    size = sum(path.stat().st_size for path in [tree, *tree.rglob("*")] if path.is_file()) / 1e6
    print(f"\n{tree.name}: {size:.1f} MB")
    print(
        f"  {'':21}{'cold':>8}{'warm':>8}{'CPU':>8}{'':34}{'memory':>12}{'of ours':>15}{'CPU':>8}"
    )
    base: Figures | None = None
    for reader in READERS:
        times = range(1 if reader in SLOW else rounds)
        cold = [measure(reader, tree, workers).seconds for _ in times if drop_page_cache()]
        warm = [measure(reader, tree, workers) for _ in times]
        middle = sorted(warm, key=lambda one: one.seconds)[len(warm) // 2]
        base = base or middle
        _print_row(reader, cold, middle, base, size)
        if reader == "ours":
            _print_session(middle, size)


def _print_row(
    reader: str, cold: list[float], warm: Figures, base: Figures, megabytes: float
) -> None:
    """Print times, rates and memory; the rate of mails is until the last of them."""
    first = f"{median(cold):.2f}" if cold else "-"
    is_mailbox = warm.mails > warm.files
    seconds = warm.mails_seconds if is_mailbox else warm.seconds
    count, unit = (warm.mails, "mails") if is_mailbox else (warm.files, "files")
    print(
        f"  {reader:21}{first:>8}{warm.seconds:8.2f}{warm.cpu_seconds:8.2f}"
        f"{count / seconds:10,.0f} {unit}/s{megabytes / seconds:8.1f} MB/s"
        f"{warm.program_mb:8.0f} +{warm.workers_mb:5.0f} MB"
        f"{warm.seconds / base.seconds:8.2f}{warm.cpu_seconds / base.cpu_seconds:8.2f}"
    )


def _print_session(one: Figures, megabytes: float) -> None:
    text = max(one.characters / 1e6, 0.01)
    grown = one.program_mb - one.before_mb
    whole = grown + one.workers_mb
    again = one.seconds / one.again_seconds
    print(
        f"    {one.files} files, {one.mails} mails, {one.items} items, {one.skipped} skipped;"
        f" to the end {one.seconds:.2f} s, {megabytes / one.seconds:.1f} MB/s\n"
        f"    {text:.1f} M characters, kept in {one.kept / 1e6:.1f} MB; the program grew by"
        f" {grown:.0f} MB, {grown / text:.1f} times that, with its workers {whole / text:.1f}\n"
        f"    second question {one.again_seconds:.3f} s, {again:.0f} times as fast; forgotten and"
        f" read again {one.refill_seconds:.2f} s; protection: {', '.join(one.protection) or 'none'}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("grown", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--only", choices=TREES)
    parser.add_argument("--child", choices=READERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(asdict(READERS[options.child](options.grown, options.workers))))
        return
    compileall.compile_dir(Path(ingest.__file__).parent, quiet=1)
    cold = "dropped before each cold run" if drop_page_cache() else "warm in every run"
    print(f"{options.workers} workers, median of {options.rounds}, page cache {cold}")
    for name in TREES:
        if options.only in (None, name):
            compare(options.grown / name, options.rounds, options.workers)


if __name__ == "__main__":
    main()
