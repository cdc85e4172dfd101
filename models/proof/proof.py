"""Whether the llama.cpp library computes correctly on this processor, tested once.

A library that was compiled wrongly, or for another processor, crashes its process or computes
nonsense. So when a library meets a processor for the first time, a process of its own loads a tiny
model and computes with it (`models.proof.child`). The store's folder keeps the result. Later starts
only compare sizes and times.
"""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from models.errors import LibraryBroken, MemorySpent, RuntimeFailed
from models.llama.precautions import LADDER, Precautions
from models.proof import child as proof_child
from models.proof.child import Report
from models.proof.key import for_gpu, glance, key, library_files
from models.system.files import make_private, write_private

RECORD = ".proof.json"
"""The record's name in the store's folder. The record names no file and no person."""
FLAGS = "-U__AVX512FP16__ -U__AMX_TILE__ -U__AMX_INT8__ -U__AMX_BF16__"
"""GCC 12 compiles wrongly what llama.cpp does with AMX, and AVX512-FP16 makes it slower
(docs/decisions.md); without these macros it leaves both out. The same as `make` compiles with."""
FIRST = ("start", "import")
"""The stages before anything could be switched off."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What a library may use here."""

    precautions: Precautions
    why: str = ""
    """How the library failed without them; empty where none are needed."""


@dataclass(frozen=True, slots=True)
class ProofRecord:
    """A proof, and the libraries and processor that it is true of."""

    proof: Proof
    glance: str
    """Their key by sizes and times."""
    key: str
    """Their key by contents."""


def proved(root: Path, say: Callable[[str], object]) -> Precautions:
    """Return what llama.cpp may use on this processor.

    `root` is the store's folder. `say` is told when it has to be tested, which takes half a
    second. Raises as `proof` does.
    """
    return proof(root, say).precautions


def proof(root: Path, say: Callable[[str], object], *, doubting: bool = False) -> Proof:
    """Return the proof that is remembered, or prove and remember.

    `doubting` proves anew where something is switched off: the library may have been repaired.
    Raises `LibraryBroken`, `MemorySpent` where the check was ended from outside, and
    `RuntimeFailed` for a library of another version. Then nothing is remembered.
    """
    record, libraries = root / RECORD, library_files()
    known, seen = _read(record), glance(libraries)
    trusted = known is not None and not (doubting and known.proof.why)
    if known and trusted and known.glance == seen:
        return known.proof
    contents = key(libraries)
    if known and trusted and known.key == contents:  # the same libraries, copied or touched
        found = known.proof
    else:
        with contextlib.suppress(OSError):
            record.unlink(missing_ok=True)  # if the check fails, nothing may be remembered
        say("Checking llama.cpp on this processor, once")
        found = _climbed(libraries)
    _remember(record, ProofRecord(found, seen, contents))
    return found


def patience(libraries: Sequence[Path]) -> float:
    """Return for how many seconds a child is waited for."""
    gpu = for_gpu(libraries)
    return proof_child.GPU_PATIENCE_SECONDS if gpu else proof_child.PATIENCE_SECONDS


def _climbed(libraries: Sequence[Path]) -> Proof:
    """Test the library with as few precautions as it needs."""
    failures: list[Report] = []
    for precautions in LADDER:
        report = proof_child.prove(precautions, patience(libraries))
        if report.kind == "right":
            return Proof(precautions, failures[0].where if failures else "")
        failures.append(report)
        if report.kind == "outside" or report.stage in FIRST:
            break
    raise failure(failures[-1])


def failure(report: Report) -> RuntimeFailed:
    """Return the error for a child that failed with every precaution."""
    if report.kind == "outside":
        return MemorySpent(
            f"llama.cpp was being checked, and its process {report.where}. Most likely memory "
            "ran out.",
            remedy="Close other programs, then try again.",
        )
    if report.stage in FIRST and report.remedy:
        return RuntimeFailed(f"llama.cpp's check {report.where}.", remedy=report.remedy)
    even = "" if report.stage in FIRST else f", even without {LADDER[-1].without}"
    return LibraryBroken(
        f"The llama.cpp library does not work on this processor: its check {report.where}{even}.",
        remedy=remedy(),
    )


def remedy() -> str:
    """Return the remedy for a library that does not work, or only with precautions."""
    if getattr(sys, "frozen", False):
        return "Install Askance another way: the llama.cpp of this folder was compiled elsewhere."
    return f"Compile it for this processor: {compile_command()}"


def compile_command() -> str:
    """Return the command that compiles llama.cpp properly into this installation."""
    try:
        package = f"llama-cpp-python=={version('llama-cpp-python')}"
    except PackageNotFoundError:
        package = "llama-cpp-python"
    flags = f'CFLAGS="{FLAGS}" CXXFLAGS="{FLAGS}" '
    install = "install --force-reinstall --no-deps --no-cache-dir --no-binary llama-cpp-python"
    return f"{flags}{shlex.quote(sys.executable)} -m pip {install} {package}"


def _read(record: Path) -> ProofRecord | None:
    """Return the record; None where there is none, or none that can be read."""
    try:
        match json.loads(record.read_bytes()):
            case {
                "glance": str(seen),
                "key": str(contents),
                "extra_buffers": bool(extra),
                "flash_attention": bool(flash),
                "why": str(why),
            } if Precautions(extra, flash) in LADDER:
                return ProofRecord(Proof(Precautions(extra, flash), why), seen, contents)
    except (OSError, ValueError):
        pass
    return None


def _remember(record: Path, known: ProofRecord) -> None:
    """Write the record. Where the folder is read-only, the next start proves again."""
    used = known.proof.precautions
    data = {
        "glance": known.glance,
        "key": known.key,
        "extra_buffers": used.extra_buffers,
        "flash_attention": used.flash_attention,
        "why": known.proof.why,
    }
    with contextlib.suppress(OSError):
        make_private(record.parent)
        write_private(record, json.dumps(data, indent=1).encode())
