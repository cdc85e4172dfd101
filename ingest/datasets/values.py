"""What every set becomes: documents, and questions that say which of them are theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class NotAsDocumented(ValueError):
    """A file of a set does not have the structure its authors describe."""


@dataclass(frozen=True, slots=True)
class SetDocument:
    """One text a question may be asked over."""

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
    """The question's own, distractors included."""
    gold: tuple[int, ...] = ()
    """Places in `documents` of those that hold the answer."""
    turns: tuple[tuple[int, str], ...] = ()
    """Places in `documents`, and the mark of the line there that holds the answer."""
    options: tuple[str, ...] = ()
    answer_index: int | None = None
    unanswerable: bool = False
    part: str = ""
    """Which set it is from, of a suite of several."""


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
