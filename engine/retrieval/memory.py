"""What one question leaves for the next: reading processes, text, folded passages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from engine.retrieval.recall import Recall
from engine.values import Passage
from ingest.item import Item
from ingest.reading.session import Session


@dataclass(frozen=True, slots=True)
class Cut:
    """Items cut into passages, and recall over these."""

    items: Sequence[Item]
    passages: Sequence[Passage]
    recall: Recall


class Memory:
    """Lasts as long as the program runs; nothing of it is ever written to disk."""

    def __init__(self, workers: int | None = None, limit: int | None = None) -> None:
        """Read with so many processes (default: one a core), keep so many bytes of text."""
        self.session = Session(workers, limit)
        self.last: Cut | None = None
        """What the last question left."""

    @property
    def size(self) -> int:
        """Bytes of text that are kept."""
        return self.session.size

    def watch(self, changed: Callable[[Path], object]) -> None:
        """Drop what a file held as soon as it changes, and call `changed` with its path."""

        def drop(path: Path) -> None:
            self.last = None
            changed(path)

        self.session.watch(drop)

    def forget(self) -> None:
        """Drop all text and passwords."""
        self.last = None
        self.session.forget()

    def close(self) -> None:
        """Forget, and end the reading processes."""
        self.last = None
        self.session.close()

    def __enter__(self) -> Self:
        """Return the memory."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()
