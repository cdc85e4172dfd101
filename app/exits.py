"""Exit codes, part of the command line's contract."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What the process's exit status says."""

    ANSWERED = 0
    FAILED = 1
    USAGE = 2
    NOTHING_FOUND = 3
    """No hit, or the answer is an abstention."""
    MODEL = 4
    """A model is missing or failed its check."""
    INTERRUPTED = 130
