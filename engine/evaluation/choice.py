"""Which questions of a file are asked, and which of the others are shown as examples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.errors import DataError
from engine.evaluation.questions import Question
from engine.prompts.examples import Example


@dataclass(frozen=True, slots=True)
class Choice:
    """Which questions of the file are asked, and how."""

    limit: int | None = None
    skip: int = 0
    """Questions passed over after the other choices, before `limit` counts."""
    mode: str | None = None
    """Only questions of this `answers_mode`."""
    unanswerable: bool | None = None
    """Only these (True), only the others (False), or all (None)."""
    original: bool = False
    """Ask `question_original` over the items of `scope` alone."""
    candidates: bool = False
    """Ask over the question's own candidates alone."""
    task: str | None = None
    """Ask all questions as this task; None: as their data set's."""
    examples: int = 0
    """Show so many solved questions from the end of the file that are not asked."""
    worked: Path | None = None
    """Show the worked examples of this file instead, again without questions that are asked."""


def chosen_of(questions: Iterable[Question], choice: Choice) -> Iterator[Question]:
    """Yield the questions that are to be asked.

    Raises `DataError` for a question without passages of its own where the choice wants them.
    """
    passed, taken = 0, 0
    for question in questions:
        if choice.mode is not None and question.mode != choice.mode:
            continue
        if choice.unanswerable is not None and question.unanswerable != choice.unanswerable:
            continue
        passed += 1
        if passed <= choice.skip:
            continue
        if choice.limit is not None and taken >= choice.limit:
            return
        taken += 1
        _require_own(question, choice)
        yield question


def _require_own(question: Question, choice: Choice) -> None:
    """Refuse a question without passages of its own: asked over nothing, its answer would look like
    one from them."""
    for wanted, flag, field, there in (
        (choice.candidates, "--candidates", "candidates", question.candidates),
        (choice.original, "--original", "scope", question.scope),
    ):
        if wanted and not there:
            raise DataError(
                f"{flag} asks each question over its own passages, and {question.id} has no "
                f"field {field}.",
                remedy=f"Leave {flag} out, or name them in the file.",
            )


def last_solved(
    everything: Sequence[Question], asked: Sequence[Question], count: int
) -> tuple[Example, ...]:
    """Return the last questions with an answer that are not asked.

    Raises `DataError` where fewer are left.
    """
    asks = AskedQuestions(asked)
    left = [q for q in reversed(everything) if q.answers and not asks.holds(q.id, q.text)]
    if len(left) < count:
        raise DataError(
            f"{count} solved questions are wanted as examples, and {len(left)} are left.",
            remedy="Lower --examples, or ask fewer questions with --limit.",
        )
    return tuple(Example(q.text, q.answers[0]) for q in left[:count])


class AskedQuestions:
    """The questions that are asked, which no example may answer."""

    def __init__(self, asked: Sequence[Question]) -> None:
        """Take the questions; they are recognised by id and by their words."""
        self._ids = {question.id for question in asked}
        self._texts = {_folded(text) for one in asked for text in (one.text, one.original)}

    def holds(self, known_as: str, text: str) -> bool:
        """Say whether a question is asked, under this id or with these words."""
        return known_as in self._ids or _folded(text) in self._texts


def _folded(text: str) -> str:
    """Return the words of a question, in lower case and without signs."""
    return " ".join(re.findall(r"\w+", text.casefold()))
