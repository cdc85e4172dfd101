"""What the process does to itself before it sees a person's files."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

COREDUMP_FILTER = Path("/proc/self/coredump_filter")
PR_SET_DUMPABLE = 4
"""From `linux/prctl.h`."""


def forbid_core_dumps() -> None:
    """Make a crash leave no copy of the memory on disk.

    The limit covers core files; on Linux the flag also covers a `core_pattern` that pipes the
    dump to a program, which ignores the limit. A process started from this one loses the flag and
    keeps the filter: with no bit set, a dump of it would hold no memory (core(5)). That is what
    `MADV_DONTDUMP` does for single pages, for all of them.
    """
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        import ctypes

        # Before the flag, which makes the file root's.
        with contextlib.suppress(OSError):
            COREDUMP_FILTER.write_text("0")
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
