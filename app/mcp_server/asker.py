"""Asks the engine's process from an event loop, one question after the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace

from app.backend.client import EngineFailed
from app.backend.messages import Cancel, Ended, Engine, Happened, ModelsSaid, Reply, Request
from engine.events import Event


class Asker:
    """The engine, for several callers at once; each waits for its turn."""

    def __init__(self, engine: Engine) -> None:
        """Listen to the engine. Made inside the loop that will ask."""
        self._loop = asyncio.get_running_loop()
        self._engine = engine
        self._turn = asyncio.Lock()
        self._number = 0
        self._replies: asyncio.Queue[Reply] = asyncio.Queue()
        engine.listen(self._heard)

    @property
    def busy(self) -> bool:
        """Whether a question is being answered."""
        return self._turn.locked()

    async def events(self, request: Request) -> AsyncIterator[Event | str]:
        """Yield the events of a request, and what models are doing in words.

        Closing the iterator, or cancelling the task that iterates, cancels the request. Raises
        `EngineFailed`.
        """
        async with self._turn:
            self._number += 1
            number = self._number
            self._engine.send(replace(request, number=number))
            ended = False
            try:
                while not ended:
                    match await self._replies.get():
                        case Happened(number=of, event=event) if of == number:
                            yield event
                        case ModelsSaid(number=of, text=text) if of == number:
                            yield text
                        case Ended(number=of, failure=failure) if of == number:
                            ended = True
                            if failure is not None:
                                raise EngineFailed(failure)
            finally:
                if not ended:
                    self._engine.send(Cancel(number))

    def _heard(self, reply: Reply) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody asks any more
            self._loop.call_soon_threadsafe(self._replies.put_nowait, reply)
