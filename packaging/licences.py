"""Lists the licences of all that Askance needs, and refuses those that nobody looked at.

`licences.py [--python INTERPRETER] [FILE]` has pip-licenses look at an environment, checks it
against `licences.toml`, and writes `docs/licences.md` or FILE.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RULES = tomllib.loads((ROOT / "packaging" / "licences.toml").read_text("utf-8"))
Row = dict[str, Any]
HEAD = """<!-- Written by packaging/licences.py. -->

# Licences

Askance is under Apache-2.0. This is what it needs, and under what terms.

| package | version | licence |
|---|---|---|
"""


def needed() -> list[str]:
    """Return the names of all packages that an installation can bring, on any platform."""
    lock = (ROOT / "constraints-hashes.txt").read_text("utf-8")
    return re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)


def ask(interpreter: str) -> list[Row]:
    """Return what pip-licenses finds of the needed packages in an environment."""
    command = [
        *(sys.executable, "-m", "piplicenses", "--from=mixed", "--format=json"),
        *("--python", interpreter, "--packages", *needed()),
    ]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout  # noqa: S603
    found: list[Row] = json.loads(said)
    return sorted(found, key=lambda row: str(row["Name"]).lower())


def refused(rows: list[Row]) -> list[str]:
    """Return what is under terms that are neither allowed nor named, one sentence each."""
    named = {_plain(name) for name in RULES["named"]}
    return [
        f"{row['Name']} {row['Version']}: {row['License']}"
        for row in rows
        if _plain(row["Name"]) not in named and not _is_allowed(row["License"])
    ]


def _is_allowed(licence: str) -> bool:
    """Say whether a licence is allowed: each of those that hold together, or one to choose."""
    return any(
        all(part.strip(" ()") in RULES["allowed"] for part in re.split(r" AND |;", choice))
        for choice in licence.split(" OR ")
    )


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def page(rows: list[Row]) -> str:
    """Return the page of licences."""
    lines = [f"| {row['Name']} | {row['Version']} | {row['License']} |" for row in rows]
    reasons = [f"- **{name}**: {why}" for name, why in (RULES["named"] | RULES["optional"]).items()]
    head = "\n\n## Those that are more than a notice to keep\n\n"
    return HEAD + "\n".join(lines) + head + "\n".join(reasons) + "\n"


def main() -> int:
    """Check and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("file", type=Path, nargs="?", default=ROOT / "docs" / "licences.md")
    parser.add_argument("--python", default=sys.executable)
    told = parser.parse_args()
    rows = ask(told.python)
    if strangers := refused(rows):
        print("Look at these licences, then name them in packaging/licences.toml:")
        print("\n".join(strangers))
        return 1
    told.file.write_text(page(rows), "utf-8")
    print(f"{len(rows)} packages, all allowed or named.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
