"""Runs a program and learns which files its whole process tree wrote, from the kernel or by name.

strace sees every file that was opened to be written, even one that is gone again. Where it may
not trace, what lies in the folders before and after is compared.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.privacy import system_calls as tracing
from app.privacy.system_calls import can_trace

# A shell that starts the tests in the background has them ignore it, and children inherit that.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@dataclass
class Ran:
    """How a program ended, and what it wrote."""

    code: int
    out: bytes
    err: bytes
    written: list[str] = field(default_factory=list)
    """Paths that a process of it opened to write, made or linked, gone or not; of a renamed
    one its new name."""
    reached: tuple[str, ...] = ()
    """Attempts to reach something that has an address."""
    lines: list[str] = field(default_factory=list)
    """The trace."""
    is_traced: bool = False


During = Callable[[subprocess.Popen[bytes], Path], None]
"""Is given the process, and where its trace is written."""


def run(
    command: Sequence[str],
    *,
    home: Path,
    folders: Sequence[Path],
    environ: Mapping[str, str] | None = None,
    during: During | None = None,
    before: Callable[[], None] | None = None,
    around: Sequence[str] = (),
) -> Ran:
    """Run to the end; `during` may end it earlier. `before` is done in the child, before exec.

    `around` is a command that runs the program, and its tracer, where it says.
    """
    known = _state(folders)
    traced = can_trace() and before is None
    with tempfile.TemporaryDirectory(dir=home.parent) as folder:
        log = Path(folder, "trace.log")
        process = subprocess.Popen(
            [*around, *(tracing.traced(command, log) if traced else command)],
            cwd=home,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"} | dict(environ or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=before,
        )
        if during is not None:
            during(process, log)
        out, err = process.communicate(timeout=600)
        lines = tracing.lines_of(log)
    changed = [str(path) for path, state in _state(folders).items() if known.get(path) != state]
    written = sorted({*tracing.written(lines), *changed})
    return Ran(process.returncode, out, err, written, tracing.reached(lines), lines, traced)


def program(*arguments: str | Path) -> list[str]:
    """Return the command line of the program itself."""
    return [sys.executable, "-m", "app.main", *map(str, arguments)]


def scripted(*arguments: str | Path) -> list[str]:
    """Return the command line of the program with scripted models."""
    child = Path(__file__).parent / "privacy_child.py"
    return [sys.executable, str(child), *map(str, arguments)]


def program_of(process: subprocess.Popen[bytes]) -> int:
    """Return the id of the program itself: of strace's only child, or of the process."""
    return tracing.started_by(process) if can_trace() else process.pid


def engine_of(program: int) -> int:
    """Return the id of the process in which a program of `scripted` answers."""
    for thread in Path(f"/proc/{program}/task").iterdir():
        for child in (thread / "children").read_text().split():
            if b"engine" in Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0"):
                return int(child)
    raise AssertionError("no engine was started")


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
