"""Whether the work of the present run is still wanted.

Stopping belongs to a run, not to a model: whoever answers a question says once, around it, how to
find out that nobody waits any more. Every runtime asks while it decodes, so a model needs no
wrapper, and none is rebuilt to be stopped.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from models.protocols import Stopped

_of_run: ContextVar[Stopped | None] = ContextVar("stopped", default=None)


@contextmanager
def stoppable(stopped: Stopped) -> Iterator[None]:
    """Let models that are used in this block raise `Cancelled` once `stopped()` is true.

    It holds for the thread that enters the block. A block inside another replaces it.
    """
    token = _of_run.set(stopped)
    try:
        yield
    finally:
        _of_run.reset(token)


def stopped_by(own: Stopped | None = None) -> Stopped | None:
    """Return what says that a call is to stop: its `own`, the run's, or either of both.

    None: nothing stops it.
    """
    run = _of_run.get()
    if own is None or run is None:
        return own or run
    return lambda: own() or run()
