"""A llama.cpp library that fails on purpose, compiled over the real one (`toy_library.c`)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from models.proof.key import library_files

SOURCE = Path(__file__).with_name("toy_library.c")


def compiled(folder: Path) -> Path:
    """Compile it into a folder that also has the other libraries; return the folder.

    The test is skipped where nothing compiles C, except where a skip would go unnoticed.
    """
    if sys.platform != "linux":
        pytest.skip("libraries are laid over each other in Linux's way")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        reason = "no C compiler is here for a library that fails on purpose"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    real = next(path for path in library_files() if path.name == "libllama.so").resolve()
    headers = real.parents[2] / "include"
    subprocess.run(
        [
            *(compiler, "-shared", "-fPIC", "-O1", f"-I{headers}", f'-DTOY_REAL="{real}"'),
            *("-o", str(folder / "libllama.so"), str(SOURCE), f"-Wl,-rpath,{real.parent}"),
            *("-Wl,--no-as-needed", str(real), "-ldl"),
        ],
        check=True,
    )
    for other in library_files():
        if "ggml" in other.name:
            (folder / other.name).symlink_to(other)
    return folder
