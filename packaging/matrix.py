"""Builds and tries every way to install Askance, and writes what came of it: `matrix.py [WAY…]`.

Each line of a try is `ok SECONDS WHAT`, `FAILED SECONDS WHAT` or `size N UNIT WHAT`. The table goes
to OUT/matrix.md, with it goes the list of parts of what was installed (`parts.py`).
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

PACKAGING = Path(__file__).parent
WAYS = ("wheel", "bundle", "deb", "folder")
"""In this order: all but the first take the wheels that were collected for it."""
MODEL = "smollm2-135m-instruct-q4_1"
"""The smallest model of the catalogue: it answers in every try that has a home for models."""


@dataclass
class Outcome:
    """What came of one way."""

    way: str
    steps: list[tuple[str, str, str]] = field(default_factory=list)
    """ok or FAILED, seconds, what."""
    sizes: list[str] = field(default_factory=list)

    def take(self, said: str) -> None:
        """Take in what a script said; what is neither step nor size is its complaint."""
        for line in said.splitlines():
            word, _, rest = line.partition(" ")
            if word in ("ok", "FAILED"):
                seconds, _, what = rest.partition(" ")
                self.steps.append((word, seconds, what))
            elif word == "size":
                self.sizes.append(rest)
            else:
                print(f"    {line}", flush=True)

    @property
    def failed(self) -> bool:
        """Whether a step failed."""
        return any(state == "FAILED" for state, _, _ in self.steps)

    def rows(self) -> list[str]:
        """Return its rows of the table."""
        rows = [f"| {self.way} | {what} | {s} | {state} |" for state, s, what in self.steps]
        return rows + [f"| {self.way} | size: {size} | | |" for size in self.sizes]


def run(outcome: Outcome, name: str, *command: str, **environment: str) -> None:
    """Run a script, take in what it says, and note how long it took."""
    began = time.monotonic()
    done = subprocess.run(  # noqa: S603 - scripts of this folder
        command, check=False, capture_output=True, text=True, env=os.environ | environment
    )
    seconds = f"{time.monotonic() - began:.1f}"
    outcome.take(done.stdout)
    if done.returncode:
        print(done.stderr[-3000:], flush=True)
    outcome.steps.append(("FAILED" if done.returncode else "ok", seconds, name))


def take(way: str, out: Path, house: Path, gpu: str) -> Outcome:
    """Build and try one way."""
    print(f"{way} …", flush=True)
    outcome = Outcome(way)
    model = MODEL if gpu == "none" else ""
    told = {"PYTHON": sys.executable, "MODEL": model, "VERSION": version()}
    models = (MODEL,) if way == "bundle" else ()
    run(
        outcome,
        "build.sh",
        "sh",
        str(PACKAGING / way / "build.sh"),
        str(out),
        str(house),
        *models,
        **told,
    )
    if not outcome.failed:
        trial = str(PACKAGING / way / "try.sh")
        run(outcome, "try.sh in all", "sh", trial, str(out), str(house), **told)
    return outcome


def version() -> str:
    """Return the version, which stands in one place."""
    text = (PACKAGING.parent / "pyproject.toml").read_text("utf-8")
    return str(tomllib.loads(text)["project"]["version"])


def table(outcomes: list[Outcome], built_for: str) -> str:
    """Return the table, with what was said of the machine above it."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    about = (
        f"Askance {version()}, {built_for}. Built and tried on {date.today()}, {cores} core(s), "
        f"{platform.platform()}, Python {platform.python_version()}."
    )
    rows = (row for outcome in outcomes for row in outcome.rows())
    return "\n".join([about, "", "| way | what | seconds | |", "|---|---|---|---|", *rows, ""])


def main() -> int:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("ways", nargs="*", metavar="WAY")
    parser.add_argument("--gpu", default="none", help="what llama.cpp is built for")
    parser.add_argument("--cpu", default="native", help="native or portable")
    parser.add_argument("--out", type=Path, default=PACKAGING.parent / "dist")
    parser.add_argument("--house", type=Path, help="a folder of wheels, collected if it is empty")
    told = parser.parse_args()
    house = told.house or told.out / f"wheels-{told.gpu}-{told.cpu}"
    told.out.mkdir(parents=True, exist_ok=True)
    outcomes = []
    if not list(house.glob("askance-*.whl")):
        collecting = Outcome("wheels")
        script = str(PACKAGING / "wheelhouse.py")
        options = ("--gpu", told.gpu, "--cpu", told.cpu)
        run(collecting, "collect", sys.executable, script, str(house), *options)
        outcomes.append(collecting)
    os.environ["CPU"] = told.cpu
    built_for = f"llama.cpp for {told.gpu}, {told.cpu} CPU"
    for way in told.ways or WAYS:
        outcomes.append(take(way, told.out, house, told.gpu))
        if way == "wheel":
            parts = Outcome("parts")
            script = str(PACKAGING / "parts.py")
            run(parts, "list of parts", sys.executable, script, str(told.out), str(house))
            outcomes.append(parts)
        (told.out / "matrix.md").write_text(table(outcomes, built_for), "utf-8")
    print(table(outcomes, built_for))
    return 1 if any(outcome.failed for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
