"""Work in a child process: native code that dies costs one piece of work.

The models of every evaluation run in such a process, as those of a person's questions do.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from models.errors import AskanceError
from models.system.signals import signal_text

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

Piece = TypeVar("Piece")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class StageReached:
    """The stage that a piece of work reached, for the message when the process dies."""

    stage: str


Work = Callable[[Piece], Iterator[Result | StageReached]]
"""Yields the results of a piece of work, and the stages that it reaches."""


@dataclass(frozen=True, slots=True)
class _Over:
    """A piece of work is done."""

    error: AskanceError | None = None


class Died(Exception):
    """The process ended amid a piece of work. What it yielded before is good."""

    def __init__(self, code: int | None, stage: str) -> None:
        """Take the exit code, negative for a signal, and the stage reached, if known."""
        how = f"exit code {code}"
        if code is not None and code < 0:
            how = signal_text(-code)
        self.said = f"The process was ended by {how}{f' at the stage {stage}' if stage else ''}."
        super().__init__(self.said)


class ChildProcess(Generic[Piece, Result]):
    """A function in a child process, which is started again after it died."""

    def __init__(self, begin: Callable[[], Work[Piece, Result]]) -> None:
        """Start nothing yet. `begin` is pickled, and returns the function in the child process."""
        self._begin = begin
        self._process: SpawnProcess | None = None
        self._link: Connection | None = None
        self.closed = False

    def results(self, piece: Piece) -> Iterator[Result]:
        """Yield the results of a piece of work.

        Raises `Died`, and the `AskanceError` that the function raises.
        """
        stage = ""
        try:
            link = self._linked()
            link.send(piece)
            while not isinstance(said := link.recv(), _Over):
                if isinstance(said, StageReached):
                    stage = said.stage
                else:
                    yield said
        except (EOFError, OSError) as error:
            raise Died(self._buried(), stage) from error
        if said.error is not None:
            raise said.error

    def close(self) -> None:
        """End the process at once; a thread that waits for a result gets `Died`."""
        self.closed = True
        self._end_if_closed()

    def join(self) -> None:
        """Wait until a closed process is gone. No thread may wait for a result any more."""
        self._buried()

    def _end_if_closed(self) -> None:
        """End a process that was started while another thread closed this."""
        if self.closed and self._process is not None:
            self._process.kill()

    def _linked(self) -> Connection:
        if self.closed:
            raise EOFError
        if self._link is None:
            # A fork would share loaded libraries and threads; a fork server, a socket in a folder.
            context = multiprocessing.get_context("spawn")
            self._link, theirs = context.Pipe()
            self._process = context.Process(
                target=_serve, args=(theirs, self._begin), name="evaluation", daemon=True
            )
            self._process.start()
            theirs.close()
            self._end_if_closed()
        return self._link

    def _buried(self) -> int | None:
        """Let go of the process that ended, and return its exit code."""
        process, self._process = self._process, None
        link, self._link = self._link, None
        if link is not None:
            link.close()
        if process is None:
            return None
        process.join()
        return process.exitcode


def _serve(link: Connection, begin: Callable[[], Work[Any, Any]]) -> None:
    """Do one piece of work after another until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it ends it
    work: Work[Any, Any] | None = None
    while True:
        try:
            piece = link.recv()
        except EOFError:
            return
        error: AskanceError | None = None
        try:
            work = work or begin()
            for result in work(piece):
                link.send(result)
        except AskanceError as raised:
            error = raised
        link.send(_Over(error))
