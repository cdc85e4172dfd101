"""Worked examples: questions that were solved right with sub-questions.

Inference scaling, section 3.3. A file of examples holds questions, answers and passages, so it
belongs outside any project that is published.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.errors import DataError
from engine.evaluation import metrics
from engine.evaluation.choice import AskedQuestions
from engine.evaluation.questions import Question
from engine.evaluation.runs import Row, read_lines, refuse_other_file
from engine.events import Answered, Event, FollowedUp, Ranked, Selected
from engine.prompts.examples import Example
from engine.values import Passage

DOCUMENTS_KEPT = 20
"""Passages kept with an example; a prompt shows the first k of them."""


def worked_examples(file: Path, asked: Sequence[Question]) -> tuple[Example, ...]:
    """Return the examples of a file without questions that are asked.

    Raises `DataError`, also where none is left.
    """
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"{file} could not be read: {error}.", remedy="Give a JSONL file.", path=file
        ) from error
    rows = [_example(line, file, number) for number, line in enumerate(lines, start=1)]
    asks = AskedQuestions(asked)
    examples = [example for known, example in rows if example is not None]
    left = [one for known, one in rows if one and not asks.holds(known, one.question)]
    if not left:
        what = "every one of its questions is asked" if examples else "it is empty"
        raise DataError(
            f"{file} has no worked example to show: {what}.",
            remedy="Make one of other questions: --make-examples with --skip and --limit.",
            path=file,
        )
    return tuple(left)


def solved(out: Path) -> dict[str, Row | None]:
    """Return the examples of a file by the ids of their questions.

    None marks a question that was asked and not solved.
    """
    found = read_lines(out, _is_example).rows if out.exists() else []
    return {row["id"]: row if row.get("solved", True) else None for row in found}


def unsolved(question: Question) -> Row:
    """Return the line of a question that was not solved, so that it is not asked again."""
    return {"id": question.id, "solved": False}


def refuse_no_examples(out: Path) -> None:
    """Refuse to write to a file that holds something else. Raises `DataError`."""
    refuse_other_file(out, _is_example, "worked examples", "--make-examples")


def _is_example(row: Row) -> bool:
    return isinstance(row.get("id"), str) and (row.get("solved") is False or "documents" in row)


def _example(line: str, file: Path, number: int) -> tuple[str, Example | None]:
    """Return a line's id and example; None for a question that was not solved."""
    try:
        row: Row = json.loads(line)
        known = str(row["id"])
        return known, Example.of(row) if row.get("solved", True) else None
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"{file}, line {number}: not a worked example ({error!r}).",
            remedy="Make such a file with --make-examples.",
            path=file,
        ) from error


def example_row(question: Question, events: Iterable[Event]) -> Row | None:
    """Return an example from the events of an answer, None where it was not solved.

    An answer without sub-questions makes no example, since a model that sees such examples asks
    none. The example keeps the passages that were read, the best for the question first. The best
    unread passages follow: a prompt may show more documents than were read here.
    """
    documents: dict[str, None] = {}
    steps: list[tuple[str, str]] = []
    best: Sequence[Passage] = ()
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
    if not right or not steps:
        return None
    documents |= dict.fromkeys(passage.searched for passage in best)
    return {
        "id": question.id,
        "question": question.text,
        "answer": question.answers[0],
        "documents": list(documents)[:DOCUMENTS_KEPT],
        "steps": steps,
    }
