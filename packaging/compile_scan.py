"""Compiles engine/retrieval/scan.c while pip builds Askance, and puts the pages of docs/ into the
wheel for `askance help`; hatchling runs it (pyproject.toml).

Without a C compiler the wheel is a pure one, and recall runs on numpy.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

FLAGS = ["-std=c11", "-O3", "-fPIC", "-shared"]


class CompileScan(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the library into the wheel, or beside its source for an editable installation."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, or say why not."""
        docs = Path(self.root) / "docs"
        for page in (*docs.glob("*.md"), *docs.glob("recipes/*.md")):
            if version != "editable":
                inside = page.relative_to(docs).as_posix()
                build_data["force_include"][str(page)] = f"app/help/{inside}"
        folder = Path(self.root) / "engine" / "retrieval"
        source = folder / "scan.c"
        self.made = folder if version == "editable" else Path(tempfile.mkdtemp())
        name = library_name(source)
        problem = compile_to(self.made / name, source)
        if problem:
            self.app.display_warning(f"Recall is not compiled and will be slower: {problem}")
        elif version == "editable":
            for old in folder.glob("scan-*.so"):
                if old.name != name:
                    old.unlink()
        else:
            build_data["force_include"][str(self.made / name)] = f"engine/retrieval/{name}"
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what is now in the wheel."""
        if version != "editable":
            for left in self.made.iterdir():
                left.unlink()
            self.made.rmdir()


def library_name(source: Path) -> str:
    """Return the library's name, by which `scan_compiled` knows that it fits its source."""
    return f"scan-{hashlib.sha256(source.read_bytes()).hexdigest()[:16]}.so"


def compile_to(library: Path, source: Path) -> str | None:
    """Compile the library and return what is wrong, or None.

    It replaces an older file of its name at once: a program may have that one loaded.
    """
    compiler = shlex.split(os.environ.get("CC") or "cc")
    fresh = library.with_suffix(f".{os.getpid()}")
    command = [*compiler, *FLAGS, str(source), "-o", str(fresh)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError:
        return f"no C compiler found ({compiler[0]})"
    if done.returncode:
        fresh.unlink(missing_ok=True)
        return f"{compiler[0]} failed: {done.stderr.strip()}"
    fresh.replace(library)
    return None


def platform() -> str:
    """Return this machine's tag for wheels, which promises nothing for older systems."""
    return next(tag for tag in platform_tags() if not tag.startswith(("manylinux", "musllinux")))
