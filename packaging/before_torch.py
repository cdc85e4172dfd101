"""Announces a download of several GB before pip begins it: `make` runs it in its environment."""

from __future__ import annotations

import importlib.util
import platform
import re
import subprocess
import sys
from pathlib import Path

CONSTRAINTS = Path(__file__).parents[1] / "constraints.txt"
NOTICE = """
torch: pip finds no CPU build of version {version} on this machine's package indexes. Next is the
CUDA build: about 2.7 GB to download, more once unpacked. To avoid it, press Ctrl-C and either run
make again with TORCH=no (llama.cpp alone answers questions), or add PyTorch's index of CPU wheels
to pip's settings (extra-index-url).
"""


def pinned() -> str:
    """Return the version of torch that the constraints ask for."""
    found = re.search(r"^torch==(\S+)$", CONSTRAINTS.read_text("utf-8"), re.MULTILINE)
    assert found, f"{CONSTRAINTS} pins no torch"  # noqa: S101
    return found[1]


def cuda_build_comes(version: str) -> bool:
    """Say whether pip would take the CUDA build: only 64-bit Linux on x86 has one by default."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        return False
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "index", "versions", "torch"],
        capture_output=True,
        text=True,
        check=False,
    )
    return f"{version}+cpu" not in listed.stdout


if __name__ == "__main__":
    if importlib.util.find_spec("torch") is None and cuda_build_comes(pinned()):
        print(NOTICE.format(version=pinned()), flush=True)
