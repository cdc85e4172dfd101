"""An engine that answers every question at once, without reading anything."""

from __future__ import annotations

from pathlib import Path

from app.backend.messages import Command, Ended, Failure, Happened, Request, Tell
from engine.answer_parts import ModelIds, ModelTokens, Usage
from engine.events import Answered, Event
from engine.values import Answer, Citation, Coverage, Passage
from ingest.item import Item, Kind, Locator, People

NOTE = Item(
    Kind.DOCUMENT, "note", None, People(), "The zeppelin lands in May.", Locator(Path("/note.txt"))
)


class Parrot:
    """An `app.backend.messages.Engine` that answers every question at once."""

    def listen(self, tell: Tell) -> None:
        self._tell = tell
        self.asked: list[Request] = []

    def send(self, command: Command) -> None:
        if isinstance(command, Request):
            self.asked.append(command)
            self._tell(Happened(command.number, Answered(answer_to(command.question))))
            self._tell(Ended(command.number))

    def close(self) -> None:
        """Nothing is held."""


class Reciter(Parrot):
    """An engine that tells the same events of every question, and may fail then."""

    def __init__(self, *events: Event, failure: Failure | None = None) -> None:
        self.events = events
        self.failure = failure

    def send(self, command: Command) -> None:
        if isinstance(command, Request):
            self.asked.append(command)
            for event in self.events:
                self._tell(Happened(command.number, event))
            self._tell(Ended(command.number, self.failure))


def answer_to(question: str, text: str = "") -> Answer:
    """Return an answer, by default one that repeats the question, with one source."""
    passage = Passage(NOTE, 0, len(NOTE.text))
    source = Citation(1, passage, 0, len(NOTE.text), "model", support=True)
    tokens = ModelTokens(1, 1, 1, 1)
    return Answer(
        question,
        text or f"You asked: {question} [1]",
        "grounded",
        (source,),
        Coverage({Kind.DOCUMENT: 1}, files=1, bytes=30, skipped=(), complete=True),
        None,
        Usage(tokens, tokens),
        {"total": 0.1},
        "auto",
        ModelIds("small", "large"),
    )
