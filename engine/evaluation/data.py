"""Questions with known answers, from the documented JSONL format.

One object a line: `id`, `dataset`, `question`, `answers`, `answers_mode` ("any", "all",
"summary"), and optionally `question_original`, `corpus`, `context`, `scope`, `support`,
`candidates`, `unanswerable`. Unknown keys are kept out; a missing one is a `DataError` with its
line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import DataError
from engine.values import Passage
from ingest.item import Item


@dataclass(frozen=True, slots=True)
class Support:
    """One piece of gold evidence, in any of the four shapes: line, lines, turn, Message-ID."""

    title: str = ""
    lines: tuple[int, ...] = ()
    """0-based lines of the corpus file; any one of them is enough."""
    turn: str = ""
    message_id: str = ""

    def held_by(self, passage: Passage) -> bool:
        """Say whether a passage is from this evidence (or holds its turn)."""
        item = passage.item
        if self.message_id:
            return item.locator.message_id == self.message_id
        if item.locator.message_id:
            return item.locator.message_id in self.title
        if self.turn:
            return item.title == self.title and self.turn in passage.text
        if self.lines and item.locator.line is not None:
            return item.locator.line - 1 in self.lines
        return item.title == self.title


@dataclass(frozen=True, slots=True)
class Question:
    """One line of an evaluation file."""

    id: str
    dataset: str
    text: str
    original: str
    """The question without its context sentence; `text` when the file has none."""
    answers: tuple[str, ...]
    mode: str
    unanswerable: bool
    corpus: str | None
    scope: tuple[str, ...]
    support: tuple[Support, ...]
    candidates: tuple[int, ...] = ()
    """0-based lines of the corpus file that are the question's own set, distractors included."""

    def is_candidate(self, item: Item) -> bool:
        """Say whether an item is one of `candidates`."""
        return item.locator.line is not None and item.locator.line - 1 in self.candidates

    def in_scope(self, item: Item) -> bool:
        """Say whether an item is one the question is about."""
        message_id = item.locator.message_id
        return item.title in self.scope or (
            message_id is not None and any(message_id in title for title in self.scope)
        )


def load_questions(file: Path) -> Iterator[Question]:
    """Yield the questions of a file in order. Raises `DataError` naming file and line."""
    try:
        with file.open(encoding="utf-8") as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    yield _question(line, file, number)
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"{file} could not be read: {error}.", remedy="Give a JSONL file.", path=file
        ) from error


def _question(line: str, file: Path, number: int) -> Question:
    try:
        row: dict[str, Any] = json.loads(line)
        return Question(
            id=row["id"],
            dataset=row.get("dataset", file.stem),
            text=row["question"],
            original=row.get("question_original", row["question"]),
            answers=tuple(row["answers"]),
            mode=row.get("answers_mode", "any"),
            unanswerable=bool(row.get("unanswerable", False)),
            corpus=row.get("corpus"),
            scope=tuple(row.get("scope", ())),
            support=tuple(_support(one) for one in row.get("support") or ()),
            candidates=tuple(row.get("candidates", ())),
        )
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise DataError(
            f"{file}, line {number}: not an evaluation question ({error!r}).",
            remedy="Each line needs id, question and answers; see the README.",
            path=file,
        ) from error


def _support(one: Any) -> Support:
    if isinstance(one, str):
        return Support(message_id=one)
    lines: Sequence[int] = (
        one["lines"] if "lines" in one else [one["line"]] if "line" in one else ()
    )
    return Support(one["title"], tuple(lines), one.get("turn", ""))
