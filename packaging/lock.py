"""Writes constraints-hashes.txt: what constraints.txt pins of a program's needs, with SHA-256.

`pip install --require-hashes -r constraints-hashes.txt` then takes these files and no others, on
every platform. The hashes are those that the package index states; uv asks it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "constraints-hashes.txt"
HEAD = "packaging/lock.py, from pyproject.toml and constraints.txt"


def main() -> int:
    """Ask the index, and write."""
    command = [
        *(sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", "--universal"),
        *("--constraints", "constraints.txt", "--generate-hashes", "--no-annotate"),
        *("--custom-compile-command", HEAD, "--no-config", "--native-tls", "--quiet"),
        *("--python-version", "3.11", "--output-file", str(LOCK)),
    ]
    return subprocess.run(command, cwd=ROOT, check=False).returncode  # noqa: S603 - uv


if __name__ == "__main__":
    sys.exit(main())
