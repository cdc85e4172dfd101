"""A thread for long calls into C, so that whoever asked can change their mind meanwhile.

Python runs signal handlers in the main thread, between two of its own instructions: during a
call into C that lasts seconds, Ctrl-C does nothing. Nor can another thread close an iterator
that is at work. So the call runs elsewhere and the asking thread waits, awake.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from models.protocols import Stopped

POLL_SECONDS = 0.02
"""How often `stopped` is asked."""

T = TypeVar("T")


class CallThread:
    """Runs one call at a time, always in the same thread."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="llama")

    def call(
        self, function: Callable[[], T], stopped: Stopped | None, abort: Callable[[], None]
    ) -> T:
        """Return what the function returns.

        When `stopped()` turns true, or this thread is interrupted, `abort` is called, which must
        make the function return soon. The call is always over when this method is.
        """
        future = self._pool.submit(function)
        try:
            while True:
                try:
                    return future.result(timeout=POLL_SECONDS)
                except TimeoutError:
                    if stopped is not None and stopped():
                        abort()
        finally:
            if not future.done():
                abort()
                wait([future])

    def close(self) -> None:
        """Wait for the call that runs, if any, and end the thread."""
        self._pool.shutdown()
