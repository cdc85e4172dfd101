"""Asks the questions of a file and scores the answers, one resumable JSON line each.

A line holds ids, settings, offsets, scores, tokens, seconds and hashes, and the answer; never a
passage.
The caller says where it is written; it belongs outside the project.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from engine.errors import DataError
from engine.evaluation.child_process import StageReached
from engine.evaluation.choice import Choice, chosen_of, last_solved
from engine.evaluation.corpora import CorpusReader
from engine.evaluation.provenance import refuse_other_corpus, refuse_other_question
from engine.evaluation.questions import Question, load_questions
from engine.evaluation.runs import (
    Row,
    RunSummary,
    append,
    earlier,
    earlier_rows,
    setting_of,
    summarise,
)
from engine.evaluation.single_question import DOES_NOT_FIT, answering, ask
from engine.evaluation.worked_examples import example_row, solved, unsolved, worked_examples
from engine.settings import Settings
from engine.strategies import registry
from engine.toolbox.samples import Shared
from models.roles import ModelSet


@dataclass(frozen=True, slots=True)
class Scored:
    """One question, answered and scored in one setting: a line of the run file."""

    id: str
    row: dict[str, Any]
    done: int
    """Answers scored so far, those of an earlier run included."""
    of: int
    seconds_left: float | None
    """Estimate from the questions asked in this run; None before the first."""

    @property
    def left_text(self) -> str:
        """The estimate for people."""
        if self.seconds_left is None:
            return "all from an earlier run"
        return f"about {self.seconds_left / 60:.0f} min left"


def evaluate(
    file: Path,
    over: Sequence[Path],
    models: ModelSet,
    settings: Sequence[Settings],
    choice: Choice | None = None,
    out: Path | None = None,
) -> Iterator[Scored | RunSummary]:
    """Yield a `Scored` for each question in each setting, then a `RunSummary` for each setting.

    `over` is read once. Without it each question's `corpus` is looked for in a `corpus` folder next
    to the file's folder, and beside the file. Questions that `out` has with the same settings are
    not asked again. Settings that would draw the same look-ahead samples share them. A setting with
    worked examples asks all its questions in a row, so that the examples are computed once.
    Raises `DataError` and `NoSources`, `DataDiffers` where `out` was made over other data, and
    what `answer` raises; what does not fit a context is a row.
    """
    run = Evaluation(file, over, models, settings, choice or Choice(), out)
    for question in run.questions:
        run.refuse_changed(question)
    for together in run.passes:
        for question in run.questions:
            shared: Shared = {}
            for arm in (run.arms[i] for i in together):
                if question.id not in arm.rows:
                    run.keep(question, arm, run.row(question, arm, shared))
                yield run.scored(question, arm)
    yield from run.summaries()


def solve(
    file: Path,
    over: Sequence[Path],
    models: ModelSet,
    settings: Settings,
    choice: Choice,
    out: Path,
) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """Ask the questions and write those that end right to `out` as worked examples.

    Yields, for each question, the number of questions and the row; None where the answer was wrong
    or did not fit. Questions in `out` are not asked again. `choice.examples` limits how many are
    made. Raises as `evaluate`.
    """
    questions = [q for q in chosen_of(load_questions(file), choice) if q.answers]
    known = solved(out)
    reader = CorpusReader(file, over, settings, (out,))
    kept = 0
    for question in questions:
        if question.id not in known:
            row = _solve(question, reader, models, settings, choice)
            append(out, row or unsolved(question))
            known[question.id] = row
        kept += known[question.id] is not None
        yield len(questions), known[question.id]
        if choice.examples and kept >= choice.examples:
            return


def _solve(
    question: Question, reader: CorpusReader, models: ModelSet, settings: Settings, choice: Choice
) -> Row | None:
    corpus = reader.corpus_for(question).corpus
    try:
        return example_row(question, answering(question, corpus, models, settings, choice))
    except DOES_NOT_FIT:
        return None


class Evaluation:
    """The chosen questions in every setting, with the rows so far."""

    def __init__(
        self,
        file: Path,
        over: Sequence[Path],
        models: ModelSet,
        settings: Sequence[Settings],
        choice: Choice,
        out: Path | None,
    ) -> None:
        """Take in the rows of `out`. Raises `DataError`, and `DataDiffers` for other questions."""
        everything = list(load_questions(file))
        self.questions = list(chosen_of(everything, choice))
        if not self.questions:
            raise DataError(f"{file}: no question is left.", remedy="Loosen the choice.", path=file)
        self.arms = [
            PendingArm(one, models, choice, everything, self.questions, out) for one in settings
        ]
        self._over, self._models, self._choice, self._out = over, models, choice, out
        self._made_over: dict[object, dict[str, Row]] = {}
        asked = {one.id: one for one in self.questions}
        for row in earlier_rows(out):
            question = asked.get(row["id"])
            if question is not None:
                refuse_other_question(row, question.sha256, out)
                self._note_corpus(question, row)
        self._reader = CorpusReader(file, over, settings[0], (choice.worked, out))
        self._asked, self._began = 0, time.monotonic()

    @property
    def passes(self) -> list[tuple[int, ...]]:
        """Passes over the questions, each with the numbers of its arms.

        A model can keep one beginning of prompts, so each arm with worked examples has a pass of
        its own.
        """
        showing = [i for i, arm in enumerate(self.arms) if arm.shows_examples]
        others = tuple(i for i in range(len(self.arms)) if i not in showing)
        return [*([others] if others else []), *((i,) for i in showing)]

    def row(self, question: Question, arm: PendingArm, shared: Shared) -> Row:
        """Ask a question in one setting. Settings share the samples."""
        *_, row = self.steps(question, arm, shared)
        return cast(Row, row)

    def steps(
        self, question: Question, arm: PendingArm, shared: Shared
    ) -> Iterator[Row | StageReached]:
        """Yield the stages reached, then the row. Settings share the samples."""
        yield StageReached("read")
        read = self._reader.corpus_for(question)
        self._refuse_other_corpus(question, read.sha256)
        row = self._begun(question, arm, read.sha256)
        for step in ask(question, read.corpus, self._models, arm.settings, self._choice, shared):
            yield step if isinstance(step, StageReached) else row | step

    def failed(self, question: Question, arm: PendingArm, said: str) -> Row:
        """Return the row of a question at which the process died. It is asked again next time."""
        row = self._begun(question, arm, None)
        return row | {"scores": {"failed": 1.0}, "failed": said}

    def _begun(self, question: Question, arm: PendingArm, corpus: str | None) -> Row:
        row = {"id": question.id, "dataset": question.dataset, **arm.setting}
        return row | {"data": {"question": question.sha256, "corpus": corpus}}

    def keep(self, question: Question, arm: PendingArm, row: Row) -> None:
        """Write a row, made here or elsewhere over the same data. Raises `DataDiffers`."""
        if "failed" not in row:
            self._refuse_other_corpus(question, row["data"]["corpus"])
        self._asked += 1
        append(self._out, row)
        arm.rows[question.id] = row
        self._note_corpus(question, row)

    def refuse_changed(self, question: Question) -> None:
        """Raise `DataDiffers` where a question's rows were made over another corpus than today's.

        That holds for rows of any setting, as they could not be compared either. A question's own
        context is part of the question, which was checked before.
        """
        known = self._made_over.get(self._corpus_of(question))
        if known and (self._over or question.context is None):
            self._refuse_other_corpus(question, self._reader.corpus_for(question).sha256)

    def _refuse_other_corpus(self, question: Question, now: str) -> None:
        known = self._made_over.get(self._corpus_of(question), {})
        refuse_other_corpus(known.values(), now, self._out)

    def _note_corpus(self, question: Question, row: Row) -> None:
        sha256 = row.get("data", {}).get("corpus")
        if sha256 is not None:
            self._made_over.setdefault(self._corpus_of(question), {}).setdefault(sha256, row)

    def _corpus_of(self, question: Question) -> object:
        """Return a key that questions over the same corpus share."""
        if self._over:
            return ()
        return question.corpus if question.context is None else (question.id,)

    def scored(self, question: Question, arm: PendingArm) -> Scored:
        """Return a row with the progress of the run and the time left."""
        done = sum(q.id in arm.rows for arm in self.arms for q in self.questions)
        of = len(self.questions) * len(self.arms)
        pace = (time.monotonic() - self._began) / self._asked if self._asked else None
        left = None if pace is None else pace * (of - done)
        return Scored(question.id, arm.rows[question.id], done, of, left)

    def summaries(self) -> Iterator[RunSummary]:
        """Yield the means of each setting, once all rows are there."""
        for arm in self.arms:
            rows = [arm.rows[question.id] for question in self.questions]
            yield summarise(arm.settings.strategy, rows)


class PendingArm:
    """One setting, with its rows so far."""

    def __init__(
        self,
        settings: Settings,
        models: ModelSet,
        choice: Choice,
        everything: Sequence[Question],
        questions: Sequence[Question],
        out: Path | None,
    ) -> None:
        examples = (
            worked_examples(choice.worked, questions)
            if choice.worked
            else last_solved(everything, questions, choice.examples)
        )
        self.settings = replace(settings, examples=examples)
        self.setting = setting_of(
            settings,
            models,
            examples,
            original=choice.original,
            candidates=choice.candidates,
            task=choice.task,
            examples=choice.examples,
            worked=choice.worked.name if choice.worked else None,
        )
        self.rows = earlier(out, self.setting)

    @property
    def shows_examples(self) -> bool:
        """Whether its prompts begin with worked examples that a model keeps."""
        strategy = registry.get(self.settings.strategy)
        return bool(getattr(getattr(strategy, "strategy", strategy), "m", 0))
