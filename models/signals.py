"""How a process ended, in words for people."""

from __future__ import annotations

import signal


def signal_text(number: int) -> str:
    """Return `SIGSEGV (Segmentation fault)` for 11."""
    try:
        name = signal.Signals(number).name
    except ValueError:  # a real-time signal has no name
        return f"signal {number}"
    return f"{name} ({signal.strsignal(number) or f'signal {number}'})"
