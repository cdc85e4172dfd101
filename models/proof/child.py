"""llama.cpp in a process of its own, which it may crash, and what the end of that means."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from models.llama.precautions import Precautions
from models.system.offline import OFFLINE
from models.system.signals import signal_name

COMMAND = (sys.executable, "-P", "-m", "models.proof.main")
PATIENCE_SECONDS = 30.0
"""Seconds. It takes half a second, and a few on a busy machine."""
GPU_PATIENCE_SECONDS = 300.0
"""A GPU's driver may compile its programs the first time."""
LONGER = 5
"""Seconds after which the child ends itself, in case its parent is gone."""
QUIET = {
    "GGML_NO_BACKTRACE": "1",  # it would start a debugger
    "OMP_WAIT_POLICY": "passive",  # active waiting takes ten times as long beside other programs
}
TINY_MODEL = "askance-tiny-model"
"""The name of the memory that holds it, where it need not be a file on a disk."""
FAULTS = frozenset(
    getattr(signal, name)
    for name in ("SIGSEGV", "SIGABRT", "SIGILL", "SIGBUS", "SIGFPE", "SIGTRAP", "SIGSYS")
    if hasattr(signal, name)
)
"""Signals by which a library ends its own process. Any other came from outside."""
STAGES = {
    "start": "before llama.cpp was loaded",
    "import": "while llama.cpp was loaded",
    "load": "while a model was loaded",
    "prompt": "while a prompt was read",
    "batch": "while several replies were written together",
    "callback": "while attention was read",
}


@dataclass(frozen=True, slots=True)
class Report:
    """What a child said and how it ended."""

    kind: Literal["right", "failed", "outside"]
    """`outside` means that something else ended it; the library may work."""
    what: str = ""
    """How it failed, as words that follow "its check"."""
    stage: str = "start"
    """One of `STAGES`."""
    described: dict[str, Any] | None = None
    """What the library says of itself, where that was asked."""
    remedy: str = ""
    """The remedy that the child named."""

    @property
    def where(self) -> str:
        """Say how it failed, and at which stage."""
        return f"{self.what} {STAGES[self.stage]}"


def prove(precautions: Precautions, patience: float) -> Report:
    """Let a child compute with a tiny model, with these precautions, for so many seconds."""
    with _folder() as folder:
        return _run(
            {
                "do": "prove",
                "extra_buffers": precautions.extra_buffers,
                "flash_attention": precautions.flash_attention,
                "folder": folder,
            },
            patience,
        )


def describe(patience: float) -> Report:
    """Let a child say what the library is."""
    return _run({"do": "describe"}, patience)


@contextmanager
def _folder() -> Iterator[str | None]:
    """Return a folder for the tiny model, None where it need not be a file on a disk.

    The child may die before it could delete anything.
    """
    if hasattr(os, "memfd_create") and Path("/proc/self/fd").is_dir():
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="askance-") as folder:
        yield folder


def _run(asked: dict[str, Any], patience: float) -> Report:
    """Start a child, wait for its end, make a report of it."""
    asked |= {"seconds": int(patience) + LONGER}
    try:
        started = subprocess.Popen(  # noqa: S603 -- our own interpreter and module
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | OFFLINE | QUIET,
            start_new_session=True,  # a Ctrl-C is this process's to hear
            encoding="utf-8",
            errors="replace",
        )
    except OSError as error:
        return Report("outside", f"could not be started ({error.strerror})")
    with started as child:
        try:
            said, hung = _said(child, json.dumps(asked), patience)
        finally:
            child.kill()
    return _report(said, None if hung else child.returncode)


def _said(child: subprocess.Popen[str], asked: str, patience: float) -> tuple[str, bool]:
    """Return the child's lines, and whether it went on for too long."""
    try:
        return child.communicate(asked, timeout=patience)[0], False
    except subprocess.TimeoutExpired:
        child.kill()
        return child.communicate()[0], True


def _report(said: str, status: int | None) -> Report:
    """Make a report of lines and status; None is the status of a child that had to be ended."""
    stage, last = "start", {}
    for line in said.splitlines():
        try:
            last = json.loads(line)
        except ValueError:
            continue  # the library's own line, or one that a crash cut off
        stage = last.get("stage", stage)
    if "right" in last or "described" in last:
        return Report("right", stage=stage, described=last.get("described"))
    if "wrong" in last:
        return Report("failed", f"computed nonsense ({last['wrong']})", stage)
    if "memory" in last:
        return Report("outside", f"had no memory ({last['memory']})", stage)
    if "refused" in last:
        refused = str(last["refused"]).rstrip(".")
        return Report("failed", f"failed ({refused})", stage, remedy=last["remedy"])
    if status is None or status == -getattr(signal, "SIGALRM", 0):
        return Report("failed", "hung", stage)
    return _died(status, stage)


def _died(status: int, stage: str) -> Report:
    if status >= 0:
        return Report("failed", f"ended with status {status}", stage)
    kind: Literal["failed", "outside"] = "failed" if -status in FAULTS else "outside"
    return Report(kind, f"was ended by {signal_name(-status)}", stage)
