"""Worked examples: questions solved with follow-up questions, those kept that ended right.

Inference scaling, section 3.3. A file of examples holds questions, answers and passages, so it
belongs outside any project that is published.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from engine.errors import DataError
from engine.evaluation import metrics
from engine.evaluation.data import Question
from engine.evaluation.runs import read_lines
from engine.events import Answered, Event, FollowedUp, Ranked, Selected
from engine.examples import Example

DOCUMENTS_KEPT = 20
"""Passages kept with an example; a prompt shows the first k of them."""


def worked_examples(file: Path, asked: Sequence[Question]) -> tuple[Example, ...]:
    """Return the examples of a file but those that are asked. Raises `DataError`."""
    taken = {question.id for question in asked}
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"{file} could not be read: {error}.", remedy="Give a JSONL file.", path=file
        ) from error
    rows = [_example(line, file, number) for number, line in enumerate(lines, start=1)]
    return tuple(example for known, example in rows if known not in taken)


def solved(out: Path) -> dict[str, dict[str, Any]]:
    """Return the examples that a file holds by the ids of their questions."""
    found = read_lines(out, _is_example).rows if out.exists() else []
    return {row["id"]: row for row in found}


def _is_example(row: dict[str, Any]) -> bool:
    return isinstance(row.get("id"), str)


def _example(line: str, file: Path, number: int) -> tuple[str, Example]:
    try:
        row: dict[str, Any] = json.loads(line)
        return str(row["id"]), Example.of(row)
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"{file}, line {number}: not a worked example ({error!r}).",
            remedy="Make such a file with --make-examples.",
            path=file,
        ) from error


def example_row(question: Question, events: Iterable[Event]) -> dict[str, Any] | None:
    """Return an example from the events of an answer, None where it did not end right.

    It keeps the passages that were read, the best for the question itself first.
    """
    documents: dict[str, None] = {}
    steps: list[tuple[str, str]] = []
    right = False
    for event in events:
        if isinstance(event, Ranked) and event.stage == "recall" and not documents:
            best = event.passages
        elif isinstance(event, Selected):
            kept = {id(passage) for passage in event.kept}
            first = [passage for passage in best if id(passage) in kept]
            others = [passage for passage in event.kept[::-1] if passage not in first]
            documents |= dict.fromkeys(passage.searched for passage in (*first, *others))
        elif isinstance(event, FollowedUp):
            steps.append((event.question, event.answer))
        elif isinstance(event, Answered):
            right = metrics.substring_match(event.answer.raw, question.answers) == 1.0
    if not right:
        return None
    return {
        "id": question.id,
        "question": question.text,
        "answer": question.answers[0],
        "documents": list(documents)[:DOCUMENTS_KEPT],
        "steps": steps,
    }
