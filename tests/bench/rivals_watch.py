"""Wall and processor seconds and memory of a process and of all it has started.

Standard library alone: environments of other programs import it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


class Watch:
    """Wall seconds and processor seconds since this process began, its children's included."""

    def __init__(self) -> None:
        """Begin when the process did."""
        self._began = time.perf_counter() - _age()

    def now(self) -> tuple[float, float]:
        """Return both. Processor seconds hold on a busy machine, wall seconds on a quiet one."""
        return time.perf_counter() - self._began, cpu_of(os.getpid())


def cpu_of(process: int) -> float:
    """Return the processor seconds of a process and of all it has started."""
    try:
        fields = _stat(process)
    except OSError:  # it has ended
        return 0.0
    own = sum(float(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")
    return own + sum(cpu_of(child) for child in _children(process))


def peak_of(process: int) -> int:
    """Return the most bytes that a process and those it has started held, each at its own peak.

    `ru_maxrss` would not do: it begins with what the starting process held.
    """
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    own = next((x.split()[1] for x in status.splitlines() if x.startswith("VmHWM")), "0")
    return 1024 * int(own) + sum(peak_of(child) for child in _children(process))


def _children(process: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{process}/task").iterdir())
        return [int(one) for task in tasks for one in (task / "children").read_text().split()]
    except OSError:
        return []


def _stat(process: int) -> list[str]:
    """Return the fields behind the name: 11 to 14 are its own time and that of ended children."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def seconds_of(watch: Watch, act: Callable[[], Any]) -> tuple[Any, tuple[float, float]]:
    """Return what `act` returns, and the wall and processor seconds it took."""
    wall, cpu = watch.now()
    result = act()
    after = watch.now()
    return result, (after[0] - wall, after[1] - cpu)


def mean(values: Sequence[float]) -> float:
    """Return the mean; 0 of nothing."""
    return sum(values) / max(1, len(values))


def _age() -> float:
    """Return for how many seconds this process has run."""
    up = float(Path("/proc/uptime").read_text().split()[0])
    return up - float(_stat(os.getpid())[19]) / os.sysconf("SC_CLK_TCK")
