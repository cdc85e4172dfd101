"""Ctrl-C: the first one unwinds, the second one leaves at once."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from app.exits import ExitCode


@contextmanager
def interruptible() -> Iterator[None]:
    """Let a second Ctrl-C end the process even while native code holds the main thread.

    Python runs its signal handler between bytecodes, so a first Ctrl-C waits for the running
    llama.cpp call. The wake-up pipe is written by the C handler at once, and a thread reads it.
    """
    default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not default or threading.current_thread() is not threading.main_thread():
        yield
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    watcher = threading.Thread(target=_leave_on_second, args=(reader,), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(writer)
        watcher.join()


def _leave_on_second(reader: int) -> None:
    seen = 0
    while received := os.read(reader, 1):
        seen += received[0] == signal.SIGINT
        if seen == 2:
            os.write(2, b"Interrupted.\n")
            os._exit(ExitCode.INTERRUPTED)
    os.close(reader)
