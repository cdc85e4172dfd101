"""Whether the work of the present run is still wanted.

Stopping belongs to a run, not to a model. The code that answers a question says once, around it,
how to find out that nobody waits any more. Every runtime asks while it decodes, so that no model
needs a wrapper.
"""

from __future__ import annotations

from collections.abc import Generator as Steps
from collections.abc import Iterator
from contextlib import closing, contextmanager
from contextvars import ContextVar
from typing import TypeVar, cast

from models.protocols import Cancelled, Stopped

Piece = TypeVar("Piece")

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
    """Return the test for a call: its `own`, the run's, or one that asks both.

    None means that nothing stops it.
    """
    run = _of_run.get()
    if own is None or run is None:
        return own or run
    return lambda: own() or run()


def until_stopped(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Pass on pieces from any source until the run is stopped. Raises `Cancelled`."""
    stopped = stopped_by()
    with closing(cast("Steps[Piece, None, None]", pieces)):
        for piece in pieces:
            if stopped is not None and stopped():
                raise Cancelled
            yield piece
