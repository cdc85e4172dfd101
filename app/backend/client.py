"""How a command asks the engine's process: events as an iterator, failures as errors."""

from __future__ import annotations

import queue
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING

from app.backend.early_start import taken
from app.backend.messages import (
    Cancel,
    Ended,
    Engine,
    Failure,
    Happened,
    ModelsSaid,
    Reply,
    Request,
    Unlock,
)
from app.backend.process import EngineProcess
from models.errors import AskanceError

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.events import Event
    from models.roles import Loading


class EngineFailed(AskanceError):
    """What went wrong in the engine's process, as it would have been raised here."""

    def __init__(self, failure: Failure) -> None:
        """Take what the engine told."""
        super().__init__(failure.message, remedy=failure.remedy, path=failure.path)
        self.kind = failure.kind
        self.exit_code = failure.exit_code


def open_engine(*, watch: bool = False) -> Engine:
    """Return the engine in its process, which every front end asks.

    It may have been started already (`app.backend.early_start`). With `watch` it reports files
    that change after they were read.
    """
    return (None if watch else taken()) or EngineProcess(watch=watch)


class EngineClient(AbstractContextManager["EngineClient"]):
    """Asks one question after the other. A context that ends the engine."""

    def __init__(self, engine: Engine, passwords: Sequence[str] = ()) -> None:
        """Start the engine, so that it gets ready while the question is prepared.

        `passwords` are tried on encrypted files.
        """
        self.loadings: Sequence[Loading] = ()
        """Models that were loaded for the last question."""
        self._engine = engine
        self._number = 0
        self._replies: queue.SimpleQueue[Reply] = queue.SimpleQueue()
        engine.listen(self._replies.put)
        for password in passwords:
            engine.send(Unlock(password))

    def events(
        self, request: Request, say: Callable[[str], object] = lambda text: None
    ) -> Iterator[Event]:
        """Yield the events of an answer; `say` is told what models are doing.

        Raises `EngineFailed`. Closing the iterator cancels.
        """
        self._number += 1
        number = self._number
        self._engine.send(replace(request, number=number))
        ended = False
        try:
            while not ended:
                match self._replies.get():
                    case Happened(number=of, event=event) if of == number:
                        yield event
                    case ModelsSaid(number=of, text=text) if of == number:
                        say(text)
                    case Ended(number=of) as end if of == number:
                        ended = True
                        self._end(end)
        finally:
            if not ended:
                self._engine.send(Cancel(number))

    def _end(self, end: Ended) -> None:
        self.loadings = end.loadings
        if end.failure is not None:
            raise EngineFailed(end.failure)

    def __exit__(self, *_: object) -> None:
        """End the engine."""
        self._engine.close()
