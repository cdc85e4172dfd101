"""What every set becomes: documents and questions, each with its own documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class NotAsDocumented(ValueError):
    """A file of a set lacks the structure that its authors describe."""


@dataclass(frozen=True, slots=True)
class SetDocument:
    """A text that a question may be about."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class SetQuestion:
    """One question of a set."""

    id: str
    question: str
    answers: tuple[str, ...]
    mode: str = "any"
    """"any": one of the answers is enough; "all": every one; "summary": free text."""
    documents: tuple[SetDocument, ...] = ()
    """The documents of this question, distractors included."""
    gold: tuple[int, ...] = ()
    """Indices into `documents` of those that hold the answer."""
    turns: tuple[tuple[int, str], ...] = ()
    """Indices into `documents`, each with the mark of the line that holds the answer."""
    options: tuple[str, ...] = ()
    answer_index: int | None = None
    unanswerable: bool = False
    part: str = ""
    """The set that it is from, in a suite of several."""


def text_of(row: Any, key: str) -> str:
    """Return a text of a row. Raises `NotAsDocumented` naming the field."""
    value = member(row, key)
    if not isinstance(value, str):
        raise NotAsDocumented(f'"{key}" is not a text')
    return value


def list_of(row: Any, key: str) -> list[Any]:
    """Return a list of a row. Raises `NotAsDocumented` naming the field."""
    value = member(row, key)
    if not isinstance(value, list):
        raise NotAsDocumented(f'"{key}" is not a list')
    return value


def member(row: Any, key: str) -> Any:
    """Return a field of a row. Raises `NotAsDocumented` naming it."""
    if not isinstance(row, dict):
        raise NotAsDocumented("an object is expected")
    if key not in row:
        raise NotAsDocumented(f'"{key}" is missing')
    return row[key]
