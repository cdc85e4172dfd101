"""One question of an evaluation, asked as the choice says, and scored."""

from __future__ import annotations

from collections.abc import Iterator

from engine.answer import answer
from engine.errors import BudgetTooSmall, CorpusTooLarge
from engine.evaluation.child_process import StageReached
from engine.evaluation.choice import Choice
from engine.evaluation.questions import Question
from engine.evaluation.runs import Row
from engine.evaluation.scores import EventRecord, row_of
from engine.events import Answered, Event, Stage
from engine.prompts.tasks import task_of
from engine.retrieval.corpus import Corpus, only
from engine.settings import Settings
from engine.toolbox.samples import Shared
from engine.values import Answer, Query
from models.errors import ContextExceeded
from models.roles import ModelSet

DOES_NOT_FIT = (BudgetTooSmall, CorpusTooLarge, ContextExceeded)
"""Errors that concern one question in one setting, and no others."""


def ask(
    question: Question,
    corpus: Corpus,
    models: ModelSet,
    settings: Settings,
    choice: Choice,
    shared: Shared,
) -> Iterator[Row | StageReached]:
    """Yield the stages reached, then the fields of the answer's row.

    A question that does not fit has a row that says so.
    """
    trail = EventRecord()
    finished: Answer | None = None
    try:
        for event in answering(question, corpus, models, settings, choice, shared):
            trail.note(event)
            if isinstance(event, Stage) and event.state == "started":
                yield StageReached(event.name)
            if isinstance(event, Answered):
                finished = event.answer
    except DOES_NOT_FIT as error:
        yield {"scores": {"refused": 1.0}, "refused": error.message}
        return
    if finished is None:
        raise RuntimeError("answer ended without an answer")
    yield row_of(question, finished, trail)


def answering(
    question: Question,
    corpus: Corpus,
    models: ModelSet,
    settings: Settings,
    choice: Choice,
    shared: Shared | None = None,
) -> Iterator[Event]:
    """Answer a question of an evaluation as the choice says, over its part of a corpus."""
    text = question.original if choice.original else question.with_options
    if choice.original or choice.candidates:
        chosen = question.in_scope if choice.original else question.is_candidate
        items = [passage.item for passage in corpus.passages if chosen(passage.item)]
        corpus = only(corpus, items)
    query = Query(text, task=choice.task or task_of(question.dataset))
    yield from answer(query, corpus, models, settings, shared=shared)
