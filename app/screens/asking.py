"""The thread that answers: it consumes events and posts them; it never touches a widget."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from textual.message import Message

from app.screens.stopping import stoppable
from engine.events import Event
from models.errors import AskanceError
from models.protocols import Cancelled
from models.roles import ModelSet


@dataclass
class EventArrived(Message):
    """Something happened while the question is answered."""

    event: Event


@dataclass
class ModelsChecked(Message):
    """Progress before the first question: the model files are being checked."""

    text: str


@dataclass
class AskingEnded(Message):
    """The thread is done: answered, cancelled, or failed with an error."""

    error: AskanceError | None
    cancelled: bool


OpenModels = Callable[[Callable[[str], object]], ModelSet]
"""Checks and returns the models; is given a function that shows a line meanwhile."""
Answers = Callable[[str, ModelSet, bool], Iterator[Event]]
"""Answers one question with these models; True: with the filters that it implies."""


class Asker:
    """Answers one question at a time, away from the screen's thread."""

    def __init__(self, open_models: OpenModels, answers: Answers) -> None:
        """Nothing is opened before the first question."""
        self._open_models = open_models
        self._answers = answers
        self._models: ModelSet | None = None
        self._cancelled = threading.Event()
        self._asking = False

    def prepare(self) -> None:
        """Forget an earlier cancellation. Called before the thread starts."""
        self._cancelled.clear()
        self._asking = True

    def release_idle(self) -> list[str]:
        """Unload models that nobody used for a while, and return their ids.

        Called in the thread that calls `prepare`: while a question is answered nothing is done.
        """
        return [] if self._asking or self._models is None else self._models.release_idle()

    def cancel(self) -> None:
        """End the question in hand at its next event or token."""
        self._cancelled.set()

    def ask(self, question: str, infer: bool, post: Callable[[Message], object]) -> None:
        """Answer, posting every event and `AskingEnded` last. Runs in a thread of its own."""
        error: AskanceError | None = None
        try:
            for event in self._events(question, infer, post):
                post(EventArrived(event))
        except Cancelled:
            self._cancelled.set()
        except AskanceError as raised:
            error = raised
        self._asking = False
        post(AskingEnded(error, self._cancelled.is_set()))

    def _events(
        self, question: str, infer: bool, post: Callable[[Message], object]
    ) -> Iterator[Event]:
        if self._models is None:
            opened = self._open_models(lambda text: post(ModelsChecked(text)))
            self._models = stoppable(opened, self._cancelled.is_set)
        events = self._answers(question, self._models, infer)
        try:
            for event in events:
                if self._cancelled.is_set():
                    return
                yield event
        finally:
            close = getattr(events, "close", None)
            if close:
                close()

    def close(self) -> None:
        """Free the models. Called when no thread is running."""
        if self._models is not None:
            self._models.close()
