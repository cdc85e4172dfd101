"""Writes what constraints.txt pins of a program's needs, with SHA-256: two files.

`pip install --require-hashes -r constraints-hashes.txt` then takes these files and no others, on
every platform: what the packages hold. `constraints-hashes-extras.txt` has the other extras too,
but `torch`, whose builds come from an index for each kind of GPU. The hashes are those that the
package index states; uv asks it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEAD = "packaging/lock.py, from pyproject.toml and constraints.txt"
PACKAGED = ("history",)
FILES = {
    "constraints-hashes.txt": PACKAGED,
    "constraints-hashes-extras.txt": (
        *(*PACKAGED, "cluster", "mcp", "ocr", "pictures", "pst", "report", "study"),
    ),
}
"""Each with the extras that it covers."""


def lock(name: str, extras: tuple[str, ...]) -> int:
    """Ask the index, and write one file."""
    command = [
        *(sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", "--universal"),
        *(part for extra in extras for part in ("--extra", extra)),
        *("--constraints", "constraints.txt", "--generate-hashes", "--no-annotate"),
        *("--custom-compile-command", HEAD, "--no-config", "--native-tls", "--quiet"),
        *("--python-version", "3.11", "--output-file", name),
    ]
    return subprocess.run(command, cwd=ROOT, check=False).returncode  # noqa: S603 - uv


def main() -> int:
    """Write both."""
    return max(lock(name, extras) for name, extras in FILES.items())


if __name__ == "__main__":
    sys.exit(main())
