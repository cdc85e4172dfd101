"""Mutates files of one format, led by coverage, and reads them until something gives way.

    python tests/bench/fuzz.py FORMAT --minutes N [--seeds FOLDER...] [--out FOLDER]

FORMAT is a value of `ingest.recognise.Format`, such as "mail" or "PDF". Needs atheris, which is
no dependency. Seeds are the files of that format in the folders, and the odd files of the tests;
of zips the members are mutated. A finding is an exception that `ingest` does not handle itself,
an item that is not in order, more than 10 CPU seconds, a minute, more than 2 GB, or a dead process.
What the last net around each file catches is no finding, but counted by kind, with an example.
The format's reader runs in this process; after a hang or a death another takes its place.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import BadZipFile

HANG, STARVED, MEMORY_MB = 10, 60, 2048
SEED_BYTES, LONGEST = 200_000, 400_000
INSTRUMENTED = ["ingest", "icalendar", "recurring_ical_events", "pypdf", "email"]
_NET = re.compile(r"could not be read \((\w+)\)")
_EXECUTED = re.compile(r"^(?:#|Done )(\d+)\b", re.MULTILINE)


@dataclass
class Findings:
    """What one process found, kept on disk so that it outlives the process."""

    folder: Path
    seen: set[str] = field(default_factory=set)

    def add(self, name: str, data: bytes, detail: str) -> None:
        """Keep an input under the name of what it does; the first of each kind is enough."""
        if name in self.seen:
            return
        self.seen.add(name)
        stem = re.sub(r"\W+", "_", name)[:120]
        if not (self.folder / f"{stem}.txt").exists():
            (self.folder / f"{stem}.bin").write_bytes(data)
            (self.folder / f"{stem}.txt").write_text(detail)


def child(form_name: str, folder: Path, flags: list[str]) -> None:
    """Fuzz in this process; libFuzzer ends it."""
    import atheris  # type: ignore[import-not-found]

    with atheris.instrument_imports(include=INSTRUMENTED):
        from fuzz_target import Target

        from ingest.damage import DAMAGED

    target = Target(form_name)
    findings = Findings(folder)

    def test_one(data: bytes) -> None:
        begin = time.process_time()
        try:
            for one in target.read(data):
                remedy = getattr(one, "remedy", "")
                fault = target.fault_of(one)
                if fault:
                    findings.add(f"fault {fault}", data, repr(one)[:2000])
                net = _NET.search(remedy)
                if net:
                    findings.add(f"net {net[1]}", data, remedy)
        except Exception as error:  # noqa: BLE001 - this is what is looked for
            frames = traceback.extract_tb(error.__traceback__)
            last = next((f for f in reversed(frames) if "/ingest/" in f.filename), frames[-1])
            name = f"raised {type(error).__name__} {Path(last.filename).name} {last.name}"
            findings.add(name, data, traceback.format_exc())
        seconds = time.process_time() - begin
        if seconds > HANG / 3:
            name = "hangs" if seconds > HANG else "slow"
            findings.add(name, data, f"{seconds:.1f} CPU seconds")

    def mutate(data: bytes, limit: int, seed: int) -> bytes:
        if data.startswith(b"PK") and seed % 4:
            try:
                return _mutated_member(data, limit, seed, atheris.Mutate)
            except (BadZipFile, *DAMAGED):
                pass
        mutated: bytes = atheris.Mutate(data, limit)
        return mutated

    atheris.Setup([sys.argv[0], *flags], test_one, custom_mutator=mutate)
    atheris.Fuzz()


def _mutated_member(data: bytes, limit: int, seed: int, mutate: Any) -> bytes:
    from tests.odd.archives import unzipped, zipped

    members = unzipped(data)
    name = sorted(members)[seed // 4 % len(members)]
    members[name] = mutate(members[name], max(limit // 2, len(members[name]) + 64))
    packed = zipped(members, 1)
    return packed if len(packed) <= limit else data[:limit]


def seeds(form_name: str, folders: list[Path]) -> Iterator[bytes]:
    """Yield the odd files of this format, then small files of it in the folders."""
    from ingest.recognise import HEAD, recognise, refine
    from tests.odd import places
    from tests.odd.make import content_of, functions

    def is_right(data: bytes, name: str) -> bool:
        try:
            form = recognise(data[:HEAD], Path(name))
            return len(data) < SEED_BYTES and refine(form, data).value == form_name
        except Exception:  # noqa: BLE001 - a seed that cannot be recognised is none
            return False

    # Bombs end in every process: the pool's limits are for them.
    for name in sorted(n for n in functions() - set(vars(places)) if "bomb" not in n):
        made = content_of(name)
        for data in [made] if isinstance(made, bytes) else made.values():
            if is_right(data, _named(name)):
                yield data
    for folder in folders:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            if path.stat().st_size < SEED_BYTES and is_right(data := path.read_bytes(), path.name):
                yield data


def _named(name: str) -> str:
    """Return a file name for an odd file, whose function begins with the suffix."""
    kind = name.partition("_")[0]
    return f"a.{ {'mail': 'eml', 'latex': 'tex', 'markdown': 'md', 'text': 'txt'}.get(kind, kind) }"


def run(form_name: str, minutes: float, folders: list[Path], out: Path) -> None:
    """Fuzz for so long, with a new process after each that hung or died, and print what came."""
    out.mkdir(parents=True, exist_ok=True)
    executions = ends = 0
    with TemporaryDirectory() as temporary:
        corpus = Path(temporary) / "corpus"
        corpus.mkdir()
        for data in seeds(form_name, folders):
            (corpus / sha256(data).hexdigest()).write_bytes(data)
        count = len(list(corpus.iterdir()))
        until = time.monotonic() + minutes * 60
        while (left := until - time.monotonic()) > 1 and ends < 50:
            flags = [f"-max_total_time={left:.0f}", f"-timeout={STARVED}", f"-max_len={LONGEST}"]
            flags += [f"-report_slow_units={STARVED}"]
            flags += [f"-rss_limit_mb={MEMORY_MB}", f"-artifact_prefix={out}/", str(corpus)]
            command = [sys.executable, __file__, form_name, "--child", json.dumps(flags)]
            done = subprocess.run(
                [*command, "--out", str(out)],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                check=False,
                env=os.environ | {"TMPDIR": temporary},
            )
            executions += max(map(int, _EXECUTED.findall(done.stderr)), default=0)
            if done.returncode:
                ends += 1
                (out / f"end_{ends}.log").write_text(done.stderr[-20_000:])
    report(form_name, out, minutes, count, executions, ends)


def report(
    form_name: str, out: Path, minutes: float, count: int, executions: int, ends: int
) -> None:
    kinds = sorted(path.stem for path in out.glob("*.txt"))
    ended = sorted(path.name for path in out.iterdir() if "-" in path.name)
    stamp = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
    print(
        f"{form_name}: {minutes:g} minutes until {stamp}Z, {count} seeds,"
        f" {executions:,} executions, {ends} processes ended early"
    )
    print(*(f"  {kind}" for kind in [*kinds, *ended] or ["nothing found"]), sep="\n", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("format")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seeds", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path, default=Path("fuzz-findings"))
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.format, options.out, json.loads(options.child))
    else:
        out = options.out / options.format.replace(" ", "_")
        run(options.format, options.minutes, options.seeds, out)


if __name__ == "__main__":
    main()
