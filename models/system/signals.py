"""How a process ended, in words for people."""

from __future__ import annotations

import signal


def signal_name(number: int) -> str:
    """Return `SIGSEGV` for 11."""
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal has no name
        return f"signal {number}"


def signal_text(number: int) -> str:
    """Return `SIGSEGV (Segmentation fault)` for 11."""
    meaning = signal.strsignal(number)
    return f"{signal_name(number)} ({meaning})" if meaning else signal_name(number)
