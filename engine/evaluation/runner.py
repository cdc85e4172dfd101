"""Asks the questions of a file and scores the answers, one resumable JSON line each.

A line holds ids, settings, scores, tokens, seconds and hashes, and the answer; never a passage.
It is written where the caller says, and belongs outside the project.
"""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from engine import answer as path_of_a_question
from engine import citing, inferring
from engine.corpus import Corpus, only
from engine.errors import DataError, NoSources
from engine.evaluation import metrics
from engine.evaluation.data import Question, load_questions
from engine.events import Answered, Event, Ranked
from engine.memory import Memory
from engine.settings import Settings
from engine.steps import Timings
from engine.values import Answer, Passage, Query
from models.roles import ModelSet

RECALL_AT = (2, 5, 10)


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


@dataclass(frozen=True, slots=True)
class Scored:
    """One question, answered and scored: a line of the run file."""

    id: str
    row: dict[str, Any]
    done: int
    """Questions scored so far, those of an earlier run included."""
    of: int
    seconds_left: float | None
    """Estimate from the questions asked in this run; None before the first."""

    @property
    def left_text(self) -> str:
        """The estimate for people."""
        if self.seconds_left is None:
            return "all from an earlier run"
        return f"about {self.seconds_left / 60:.0f} min left"


@dataclass(slots=True)
class Summary:
    """Means over all scored questions."""

    questions: int
    scores: dict[str, float]
    counts: dict[str, int] = field(default_factory=dict)
    """How many questions each mean is over."""


def evaluate(
    file: Path,
    over: Sequence[Path],
    models: ModelSet,
    settings: Settings,
    choice: Choice | None = None,
    out: Path | None = None,
) -> Iterator[Scored | Summary]:
    """Yield a `Scored` a question, then one `Summary`.

    `over` is read once; without it each question's `corpus` is looked for beside the file and
    in a `corpus` folder next to its folder. Lines of `out` with the same settings are not asked
    again. Raises `DataError` and `NoSources`, and what `answer` raises.
    """
    choice = choice or Choice()
    questions = list(_chosen(load_questions(file), choice))
    if not questions:
        raise DataError(f"{file}: no question is left.", remedy="Loosen the choice.", path=file)
    setting = _setting(settings, models, choice)
    rows = _earlier(out, setting)
    corpora: dict[tuple[Path, ...], Corpus] = {}
    asked, began = 0, time.monotonic()
    for question in questions:
        if question.id not in rows:
            asked += 1
            sources = _sources(question, file, over)
            if sources not in corpora:
                corpora = {sources: _read(sources, settings)}
            row = {"id": question.id, "dataset": question.dataset, **setting}
            row |= _ask(question, corpora[sources], models, settings, choice)
            _append(out, row)
            rows[question.id] = row
        done = sum(q.id in rows for q in questions)
        pace = (time.monotonic() - began) / asked if asked else None
        left = None if pace is None else pace * (len(questions) - done)
        yield Scored(question.id, rows[question.id], done, len(questions), left)
    yield summarise([rows[question.id] for question in questions])


def summarise(rows: Sequence[dict[str, Any]]) -> Summary:
    """Return the mean of every score over the rows that have it."""
    names = sorted({name for row in rows for name in row["scores"]})
    scores, counts = {}, {}
    for name in names:
        values = [row["scores"][name] for row in rows if row["scores"].get(name) is not None]
        if values:
            scores[name], counts[name] = sum(values) / len(values), len(values)
    return Summary(len(rows), scores, counts)


def _chosen(questions: Iterable[Question], choice: Choice) -> Iterator[Question]:
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
        yield question


def _setting(settings: Settings, models: ModelSet, choice: Choice) -> dict[str, Any]:
    """Return what a row was made with; rows of other settings are not reused."""
    return {
        "strategy": settings.strategy,
        "effort": settings.effort,
        "max_context": settings.max_context,
        "seed": settings.seed,
        "least_confidence": settings.least_confidence,
        "infer": settings.infer,
        "stemming": settings.stemming,
        "models": {"lookahead": models.lookahead_id, "generator": models.generator_id},
        "original": choice.original,
    }


def _earlier(out: Path | None, setting: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the rows of an earlier run by id. A line cut off by a kill is dropped."""
    if out is None or not out.exists():
        return {}
    rows = {}
    for line in out.read_text("utf-8").splitlines():
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            continue
        if all(row.get(key) == value for key, value in setting.items()):
            rows[row["id"]] = row
    return rows


def _append(out: Path | None, row: dict[str, Any]) -> None:
    if out is None:
        return
    cut = out.exists() and not out.read_bytes().endswith(b"\n") and out.stat().st_size > 0
    with out.open("a", encoding="utf-8") as stream:
        stream.write(("\n" if cut else "") + json.dumps(row, ensure_ascii=False) + "\n")


def _sources(question: Question, file: Path, over: Sequence[Path]) -> tuple[Path, ...]:
    if over:
        return tuple(over)
    if question.corpus is None:
        raise NoSources(f"{question.id} names no corpus.", remedy="Give the paths to ask over.")
    places = (file.parent / question.corpus, file.parent.parent / "corpus" / question.corpus)
    for place in places:
        if place.exists():
            return (place,)
    raise NoSources(
        f"The corpus {question.corpus} of {question.id} is not there.",
        remedy="Give the paths to ask over.",
        path=places[0],
    )


def _read(sources: Sequence[Path], settings: Settings) -> Corpus:
    with Memory() as memory:
        corpus: Corpus = _last(
            path_of_a_question.read_now(Query("evaluation"), sources, settings, Timings(), memory)
        )
    return corpus


def _last(steps: Any) -> Any:
    """Run steps for their result alone."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


def _ask(
    question: Question, corpus: Corpus, models: ModelSet, settings: Settings, choice: Choice
) -> dict[str, Any]:
    text = question.text
    if choice.original:
        text = question.original
        items = [passage.item for passage in corpus.passages if question.in_scope(passage.item)]
        corpus = only(corpus, items)
    rankings: dict[str, Sequence[Passage]] = {}
    finished: Answer | None = None
    query, corpus = inferring.over(Query(text), corpus, settings, models)
    for event in path_of_a_question.answer_over(query, corpus, models, settings):
        _note(event, rankings)
        if isinstance(event, Answered):
            finished = event.answer
    if finished is None:
        raise RuntimeError("answer_over ended without an answer")
    return _row(question, finished, rankings)


def _note(event: Event, rankings: dict[str, Sequence[Passage]]) -> None:
    if isinstance(event, Ranked):
        rankings[event.stage] = event.passages


def _row(
    question: Question, answer: Answer, rankings: dict[str, Sequence[Passage]]
) -> dict[str, Any]:
    return {
        "scores": _scores(question, answer, rankings),
        "grounded": answer.grounded,
        "confidence": answer.confidence,
        "tokens": asdict(answer.usage),
        "seconds": {name: round(value, 3) for name, value in answer.timings.items()},
        "answer": answer.text,
        "raw": answer.raw,
        "answer_sha256": hashlib.sha256(answer.text.encode()).hexdigest(),
        "cited": [citation.how for citation in answer.citations if citation.support],
        "machine": f"{platform.system()} {platform.machine()}",
    }


def _scores(
    question: Question, answer: Answer, rankings: dict[str, Sequence[Passage]]
) -> dict[str, float | None]:
    """Return every score that applies; an abstention is a wrong answer to a real question."""
    abstained = answer.grounded == "none"
    scores: dict[str, float | None] = {"abstained": float(abstained)}
    plain = "" if abstained else _without_markers(answer.text)
    if not question.unanswerable:
        scores |= {
            "em": metrics.exact_match(plain, question.answers),
            "f1": metrics.token_f1(plain, question.answers),
            "acc": metrics.accuracy(plain, question.answers),
            "substring": metrics.substring_match(plain, question.answers),
        }
    if not abstained:
        scores["answer_words"] = float(len(plain.split()))
    if question.support:
        precision, recall = metrics.citation_scores(answer.citations, question.support)
        scores |= {"citation_precision": precision, "citation_recall": recall}
        for stage, ranked in rankings.items():
            for k in RECALL_AT:
                scores[f"{stage}_recall@{k}"] = metrics.recall_at(ranked, question.support, k)
    return scores


def _without_markers(text: str) -> str:
    return citing.MARKER.sub("", text)
