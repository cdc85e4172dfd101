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

"""
TABLE = "| package | version | licence |\n|---|---|---|\n"
EXTRAS = """

## With an extra

What the extras `cluster`, `mcp`, `ocr`, `pictures`, `pst`, `report` and `study` bring besides. No
package holds them. The extra `torch` is not in this list: builds of torch for NVIDIA bring
libraries under terms of NVIDIA's own.

"""
REASONS = "\n\n## Those that are more than a notice to keep\n\n"


PACKAGED = "constraints-hashes.txt"
ALL = "constraints-hashes-extras.txt"


def needed(lock: str = ALL) -> list[str]:
    """Return the names of all packages that an installation can bring, on any platform."""
    return re.findall(r"^([\w.-]+)==", (ROOT / lock).read_text("utf-8"), re.MULTILINE)


def ask(interpreter: str) -> list[Row]:
    """Return what pip-licenses finds of the needed packages in an environment."""
    command = [
        *(sys.executable, "-m", "piplicenses", "--from=mixed", "--format=json", "--with-system"),
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
    packaged = {_plain(name) for name in needed(PACKAGED)}
    own = [row for row in rows if _plain(row["Name"]) in packaged]
    others = [row for row in rows if _plain(row["Name"]) not in packaged]
    elsewhere, _ = unseen(rows, ALL)
    reasons = [f"- **{name}**: {why}" for name, why in RULES["named"].items()]
    others_end = f"\n\nOn other systems come {', '.join(elsewhere)}; nobody looked at these."
    parts = [HEAD, _table(own), others_end, EXTRAS, _table(others), REASONS, "\n".join(reasons)]
    return "".join([*parts, "\n"])


def unseen(rows: list[Row], lock: str) -> tuple[list[str], list[str]]:
    """Return what a lock names and the environment lacks: of other platforms, and of this one."""
    found = {_plain(row["Name"]) for row in rows}
    lines = re.findall(r"^([\w.-]+)==\S+( ; )?", (ROOT / lock).read_text("utf-8"), re.MULTILINE)
    absent = [(name, bool(marker)) for name, marker in lines if _plain(name) not in found]
    return [n for n, other in absent if other], [n for n, other in absent if not other]


def _table(rows: list[Row]) -> str:
    cells = (f"| {row['Name']} | {row['Version']} | {row['License']} |" for row in rows)
    return TABLE + "\n".join(cells)


def main() -> int:
    """Check and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("file", type=Path, nargs="?", default=ROOT / "docs" / "licences.md")
    parser.add_argument("--python", default=sys.executable)
    told = parser.parse_args()
    rows = ask(told.python)
    _, absent = unseen(rows, ALL)
    if absent:
        print(f"Not in this environment, so nobody looked at them: {', '.join(absent)}")
        return 1
    if strangers := refused(rows):
        print("Look at these licences, then name them in packaging/licences.toml:")
        print("\n".join(strangers))
        return 1
    told.file.write_text(page(rows), "utf-8")
    print(f"{len(rows)} packages, all allowed or named.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
