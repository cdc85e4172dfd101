"""Runs a program and learns which files its whole process tree wrote, from the kernel or by name.

strace sees every file that was opened to be written, even one that is gone again. Where it may
not trace, what lies in the folders before and after is compared.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

CALLS = (
    "open,openat,openat2,creat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,truncate,"
    "mkdir,mkdirat,memfd_create,mknod,mknodat"
)
_LINE = re.compile(r"^\d+ +(\w+)\((.*)$")
_FAILED = re.compile(r"\) += -1 E")
_WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE")
_PATH = re.compile(r'"((?:[^"\\]|\\.)*)"')
_NO_FILES = re.compile(r"^/(?:dev/(?:null|tty|pts/\d+|full|urandom)|proc/(?:self|\d+)/.*)$")


@dataclass
class Ran:
    """How a program ended, and what it wrote."""

    code: int
    out: bytes
    err: bytes
    written: list[str] = field(default_factory=list)
    """Paths that a process of it opened to write, made or linked, gone or not; of a renamed
    one its new name."""
    is_traced: bool = False


@cache
def can_trace() -> bool:
    """Say whether strace is here and may trace."""
    if not shutil.which("strace"):
        return False
    return subprocess.run(["strace", "-qq", "-e", "trace=none", "true"]).returncode == 0


def run(
    command: Sequence[str],
    *,
    home: Path,
    folders: Sequence[Path],
    environ: Mapping[str, str] | None = None,
    during: Callable[[subprocess.Popen[bytes]], None] | None = None,
    before: Callable[[], None] | None = None,
) -> Ran:
    """Run to the end; `during` may end it earlier. `before` is done in the child, before exec."""
    log = home.parent / "trace.log"
    log.unlink(missing_ok=True)
    known = _state(folders)
    traced = can_trace() and before is None
    prefix = (
        ["strace", "-f", "-qq", "-o", str(log), "-e", f"trace={CALLS}", "-e", "signal=none"]
        if traced
        else []
    )
    process = subprocess.Popen(
        [*prefix, *command],
        cwd=home,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"} | dict(environ or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=before,
    )
    if during is not None:
        during(process)
    out, err = process.communicate(timeout=600)
    written = _written(log) if traced else []
    changed = [str(path) for path, state in _state(folders).items() if known.get(path) != state]
    return Ran(process.returncode, out, err, sorted({*written, *changed}), traced)


def program(*arguments: str | Path) -> list[str]:
    """Return the command line of the program itself."""
    return [sys.executable, "-m", "app.main", *map(str, arguments)]


def scripted(*arguments: str | Path) -> list[str]:
    """Return the command line of the program with scripted models."""
    child = Path(__file__).parent / "privacy_child.py"
    return [sys.executable, str(child), *map(str, arguments)]


def traced_child(process: subprocess.Popen[bytes]) -> int:
    """Return the id of the program itself: of strace's only child, or of the process."""
    if not can_trace():
        return process.pid
    for _ in range(200):
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        if children:
            return int(children[0])
    raise AssertionError("strace has not started the program")


def _written(log: Path) -> list[str]:
    found = []
    for line in log.read_text("utf-8", "replace").splitlines():
        match = _LINE.match(line)
        if not match or _FAILED.search(line):
            continue
        call, arguments = match.groups()
        if call in ("open", "openat", "openat2") and not _WRITES.search(arguments):
            continue
        paths = _PATH.findall(arguments) or [arguments]
        if call.startswith("rename") and paths[0] in found:
            found.remove(paths[0])  # what it held is in the other one
            paths = paths[1:]
        found += [path for path in paths if not _NO_FILES.match(path) and path not in found]
    return found


def _state(folders: Sequence[Path]) -> dict[Path, tuple[int, int]]:
    """Return size and time of every file; what other programs do away with meanwhile is left."""
    known = {}
    for folder in folders:
        for top, _, names in os.walk(folder):
            for path in (Path(top, name) for name in names):
                try:
                    facts = path.lstat()
                except OSError:
                    continue
                known[path] = (facts.st_size, facts.st_mtime_ns)
    return known
