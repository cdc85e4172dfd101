"""The machine's memory, and its graphics processors, whether used or not."""

from __future__ import annotations

import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")
NVIDIA = Path("/proc/driver/nvidia/gpus")
CARDS = Path("/sys/class/drm")
AMD = "0x1002"
QUERY = ("--query-gpu=name,memory.total,memory.free", "--format=csv,noheader,nounits")
MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class MemoryBytes:
    """Bytes; 0 is unknown."""

    total: int
    free: int
    """What a program can get without swapping others out."""


def is_x86() -> bool:
    """Say whether the processor is one of x86's."""
    return platform.machine().lower() in ("x86_64", "amd64", "i386", "i686")


@dataclass(frozen=True, slots=True)
class Gpu:
    """A graphics processor."""

    name: str
    memory: MemoryBytes


def memory() -> MemoryBytes:
    """Return the machine's memory, or what this process may use of it."""
    total, free = _system_memory()
    # psutil reports the whole machine, even in a container that may use less.
    limit = _number(CGROUP / "memory.max")
    if limit and (not total or limit < total):
        left = max(0, limit - _number(CGROUP / "memory.current"))
        total, free = limit, min(free, left) if total else left
    return MemoryBytes(total, free)


def gpus_present() -> list[Gpu]:
    """Return the graphics processors of the system, whether llama.cpp can use them or not."""
    return _nvidia() or _amd()


def _system_memory() -> tuple[int, int]:
    import psutil  # takes 20 ms, and most commands never ask

    try:
        found = psutil.virtual_memory()
    except (OSError, KeyError, ValueError, psutil.Error):  # /proc may be hidden from a process
        return 0, 0
    return found.total, found.available


def _nvidia() -> list[Gpu]:
    if not NVIDIA.is_dir():
        return []
    program = shutil.which("nvidia-smi")
    if program:
        try:
            said = subprocess.run(  # noqa: S603 -- the driver's own program, fixed arguments
                [program, *QUERY], capture_output=True, text=True, timeout=10, check=True
            ).stdout
            return [_nvidia_line(line) for line in said.splitlines() if line.strip()]
        except (OSError, ValueError, subprocess.SubprocessError):
            pass
    return [Gpu("NVIDIA", MemoryBytes(0, 0)) for _ in NVIDIA.iterdir()]


def _nvidia_line(line: str) -> Gpu:
    name, total, free = line.rsplit(",", 2)
    return Gpu(name.strip(), MemoryBytes(int(total) * MEBIBYTE, int(free) * MEBIBYTE))


def _amd() -> list[Gpu]:
    found = []
    for card in sorted(CARDS.glob("card[0-9]*/device")):
        try:
            vendor = (card / "vendor").read_text().strip()
        except OSError:
            continue
        total = _number(card / "mem_info_vram_total")
        if vendor == AMD and total:
            used = _number(card / "mem_info_vram_used")
            found.append(Gpu("AMD", MemoryBytes(total, max(0, total - used))))
    return found


def _number(path: Path) -> int:
    """Return the number in a file of the kernel's, 0 when there is none ("max")."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return 0
