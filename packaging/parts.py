"""Writes the list of parts of what the packages hold (SBOM, CycloneDX): `parts.py OUT HOUSE`.

HOUSE is a folder of wheels (wheelhouse.py). The list is taken of an environment that has them and
nothing else, then held against `constraints-hashes.txt` and the version in pyproject.toml.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAME = "askance.cdx.json"


def write(out: Path, house: Path) -> None:
    """Install, and let cyclonedx look. Raises CalledProcessError; they have said what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        inside = str(Path(folder, "bin", "python"))
        wheels = ("--no-index", "--find-links", str(house))
        about = ("--pyproject", str(ROOT / "pyproject.toml"))
        for module in (
            ("venv", "--without-pip", folder),
            ("pip", "--python", inside, "install", "--quiet", *wheels, "askance[history]"),
            ("cyclonedx_py", "environment", inside, *about, "--output-reproducible"),
        ):
            target = ("-o", str(out / NAME)) if module[0] == "cyclonedx_py" else ()
            subprocess.run([sys.executable, "-m", *module, *target], check=True)  # noqa: S603


def problems(path: Path) -> list[str]:
    """Return what the list lacks or has wrong, one sentence each."""
    found = json.loads(path.read_text("utf-8"))
    listed = {_plain(part["name"]): part["version"] for part in found["components"]}
    lock = (ROOT / "constraints-hashes.txt").read_text("utf-8")
    wanted = re.findall(r"^([\w.-]+)==(\S+) \\", lock, re.MULTILINE)  # those of every system
    said = [
        f"{name} {version} is pinned, and the list says {listed.get(_plain(name), 'nothing')}"
        for name, version in wanted
        if listed.get(_plain(name)) != version
    ]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    described = found["metadata"]["component"]["version"]
    if described != project["version"]:
        said.append(f"the list is of askance {described}, not {project['version']}")
    return said


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def main() -> int:
    """Write and check."""
    out, house = map(Path, sys.argv[1:3])
    write(out, house)
    wrong = problems(out / NAME)
    for sentence in wrong:
        print(f"FAILED - {sentence}")
    found = json.loads((out / NAME).read_text("utf-8"))
    print(f"size {len(found['components'])} parts in {NAME}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
