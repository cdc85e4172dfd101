"""What the process does to itself before it sees a person's files."""

from __future__ import annotations

import sys

PR_SET_DUMPABLE = 4
"""From `linux/prctl.h`."""


def forbid_core_dumps() -> None:
    """Make a crash leave no copy of the memory on disk.

    The limit covers core files; on Linux the flag also covers a `core_pattern` that pipes the
    dump to a program, which ignores the limit.
    """
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
