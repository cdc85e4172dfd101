"""The thread that answers: one question after the other, with models and text kept between them."""

from __future__ import annotations

import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import replace
from typing import cast

from app.backend.messages import (
    Cancel,
    Changed,
    Command,
    Draw,
    Drew,
    Ended,
    Failure,
    Forget,
    Happened,
    ModelsSaid,
    ReadOn,
    Reply,
    Request,
    Tell,
    TextKept,
    Unlock,
    Working,
)
from app.errors import MemoryRanOut, is_memory_spent
from engine.events import Event
from engine.retrieval.memory import Memory
from ingest.item import Skipped
from ingest.reading.ledger import Tally
from models.errors import AskanceError
from models.protocols import Cancelled
from models.roles import ModelSet
from models.stopping import stoppable

IDLE_CHECK_SECONDS = 30
PAUSE = 1.0
"""Seconds after an answer before what it had no time for is read."""
TOLD = 0.5
"""Seconds between two words about that."""
PEOPLE = 300
"""Names told to the screen after an answer."""

OpenModels = Callable[[Request, Callable[[str], object]], ModelSet]
"""Returns the models for a request; is given a function that shows a line meanwhile. While the
choice is the same it returns the same set."""
Answers = Callable[[Request, ModelSet | None, Memory], Iterator[Event]]
"""Answers one question with these models; a search has none."""


class Answerer:
    """An `app.backend.messages.Engine` in this process."""

    def __init__(
        self,
        open_models: OpenModels,
        answers: Answers,
        memory: Memory,
        *,
        watch: bool = True,
        idle_check: float = IDLE_CHECK_SECONDS,
    ) -> None:
        """Nothing is opened before the first question. `close` closes the memory too.

        With `watch` it tells of files that change after they were read. After `idle_check` seconds
        without a question, and so on, idle models are unloaded.
        """
        self._watch = watch
        self._idle_check = idle_check
        self._open_models = open_models
        self._answers = answers
        self._memory = memory
        self._tell: Tell = lambda reply: None
        self._waiting: queue.SimpleQueue[Request | Forget | None] = queue.SimpleQueue()
        self._cancelled: set[int] = set()
        self._number = -1
        self._is_closing = False
        self._models: ModelSet | None = None
        self._thread = threading.Thread(target=self._work, name="answering", daemon=True)

    def listen(self, tell: Tell) -> None:
        """Start to work."""
        self._tell = tell
        if self._watch:
            self._memory.watch(lambda path: self._tell(Changed(path)))
        self._thread.start()

    def send(self, command: Command) -> None:
        """Take a command; questions and forgetting wait their turn, the rest is done now."""
        match command:
            case Request() | Forget():
                self._waiting.put(command)
            case Cancel():
                self._cancelled.add(command.number)
            case Unlock():
                self._memory.session.unlock(command.password)
            case Draw():
                threading.Thread(target=self._draw, args=(command,), daemon=True).start()

    def close(self) -> None:
        """Cancel, wait for the thread, free models and text."""
        self._is_closing = True
        self._waiting.put(None)
        if self._thread.is_alive():
            self._thread.join()
        if self._models is not None:
            self._models.close()
        self._memory.close()

    def _stopped(self) -> bool:
        return self._is_closing or self._number in self._cancelled

    def _work(self) -> None:
        may_read_on = False
        while True:
            try:
                command = self._waiting.get(timeout=PAUSE if may_read_on else self._idle_check)
            except queue.Empty:
                if may_read_on:
                    may_read_on = False
                    self._read_on()
                    continue
                if self._models is not None:
                    self._models.release_idle()
                continue
            if command is None:
                return
            if isinstance(command, Request):
                self._number = command.number
                self._tell(self._answer(command))
                self._cancelled.discard(command.number)
                config = command.config
                may_read_on = self._watch and (config is None or config.values.reading.behind)
            else:
                self._memory.forget()
            self._tell(TextKept(self._memory.size))

    def _read_on(self) -> None:
        """Read what the last question had no time for, until the next one comes."""
        stream = self._memory.session.go_on()
        if stream is None:
            return
        told, is_stopped = 0.0, False
        for _ in stream.ticks():
            if self._is_closing or not self._waiting.empty():
                is_stopped = True
                stream.stop()
            elif time.monotonic() - told > TOLD:
                told = time.monotonic()
                self._tell(_read_so_far(stream.tally))
        is_all = not (is_stopped or stream.tally.left or stream.tally.is_full)
        self._tell(replace(_read_so_far(stream.tally), is_over=True, is_all=is_all))
        self._tell(TextKept(self._memory.size))

    def _draw(self, wanted: Draw) -> None:
        """Have a page drawn, and tell how it looks or why it cannot be shown."""
        drawn = self._memory.session.drawn(wanted.locator, wanted.page, wanted.quote)
        match drawn:
            case Skipped():
                reply = Drew(wanted.number, None, drawn.remedy)
            case None:
                reply = Drew(wanted.number, None, "It has no such page, or nothing can draw it.")
            case _:
                reply = Drew(wanted.number, drawn)
        if not self._is_closing:
            self._tell(reply)

    def _answer(self, request: Request) -> Reply:
        """Answer, telling every event, and return the last reply."""
        try:
            for event in self._events(request):
                self._tell(Happened(request.number, event))
        except Cancelled:
            return Ended(request.number, cancelled=True)
        except AskanceError as error:
            return Ended(request.number, Failure.of(error))
        except (MemoryError, RuntimeError) as error:
            if not is_memory_spent(error):
                raise
            return Ended(request.number, Failure.of(MemoryRanOut()))
        loadings = tuple(self._models.loadings) if self._models else ()
        cancelled = self._stopped()
        return Ended(request.number, None, cancelled, loadings, self._people())

    def _events(self, request: Request) -> Iterator[Event]:
        if self._stopped():
            raise Cancelled
        number = request.number
        models = None
        if not request.search:
            models = self._open_models(request, lambda text: self._tell(ModelsSaid(number, text)))
            self._models = models
            models.loadings.clear()
            models.on_use = lambda model_id: self._tell(Working(number, model_id))
        events = cast("Generator[Event, None, None]", self._answers(request, models, self._memory))
        with stoppable(self._stopped), closing(events):
            for event in events:
                if self._stopped():
                    return
                yield event

    def _people(self) -> tuple[str, ...]:
        """Return who wrote what was read, by how much they wrote."""
        items = self._memory.last.items if self._memory.last else ()
        names = Counter(
            person.spoken or person.address for item in items for person in item.people.sender
        )
        return tuple(name for name, _ in names.most_common(PEOPLE) if name)


def _read_so_far(tally: Tally) -> ReadOn:
    return ReadOn(tally.put_off, tally.scans_found, tally.scans_done)
