"""The questions that `models calibrate` asks: the sample files answer them, or do not."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from app.sources.sample_files import SAMPLE_DAY, calibration_questions, sample_folder
from engine.evaluation.corpora import read_all
from engine.evaluation.metrics import holds
from engine.evaluation.questions import Question, load_questions
from engine.retrieval.corpus import Corpus
from engine.settings import Settings
from engine.values import Passage

FILE = calibration_questions()
QUESTIONS = list(load_questions(FILE))
ANSWERABLE = [one for one in QUESTIONS if not one.unanswerable]
UNANSWERABLE = [one for one in QUESTIONS if one.unanswerable]
ROWS: dict[str, dict[str, Any]] = {
    row["id"]: row for row in map(json.loads, FILE.read_text("utf-8").splitlines())
}


def name(question: Question) -> str:
    return question.id


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return read_all([sample_folder()], Settings(now=SAMPLE_DAY, zone=UTC))


def held_by(question: Question, corpus: Corpus) -> list[Passage]:
    return [
        passage
        for passage in corpus.passages
        if any(support.held_by(passage) for support in question.support)
    ]


def test_they_are_many_and_of_every_kind():
    counted = Counter(one.id.split("-")[0] for one in QUESTIONS)
    assert len(QUESTIONS) >= 60
    assert counted["unanswerable"] == len(UNANSWERABLE) >= 15
    assert min(counted["mail"], counted["document"], counted["calendar"]) >= 8
    assert len({one.text for one in QUESTIONS}) == len(QUESTIONS)


def test_they_lie_outside_of_what_is_asked():
    assert not FILE.is_relative_to(sample_folder())


@pytest.mark.parametrize("question", ANSWERABLE, ids=name)
def test_the_place_that_a_question_names_holds_its_answer(question, corpus):
    evidence = held_by(question, corpus)
    assert evidence
    assert any(holds(passage.text, question.answers) for passage in evidence)
    kind = {"mail": "mail", "document": "document", "calendar": "event"}
    assert kind[question.id.split("-")[0]] in {passage.item.kind for passage in evidence}


@pytest.mark.parametrize("question", ANSWERABLE, ids=name)
def test_the_answer_is_not_given_away_by_the_question(question):
    assert not holds(question.text, question.answers)


@pytest.mark.parametrize("question", UNANSWERABLE, ids=name)
def test_no_file_holds_what_an_answer_would_say(question, corpus):
    """`absent` are patterns of what the files would say if they answered the question."""
    everything = "\n".join(
        f"{passage.item.title}\n{passage.text}" for passage in corpus.passages
    ) + "\n".join(path.read_text("utf-8") for path in Path(sample_folder()).rglob("*.ics"))
    absent = ROWS[question.id]["absent"]
    assert absent
    for pattern in absent:
        found = re.search(rf"(?<!\w){pattern}(?!\w)", everything, re.IGNORECASE)
        assert not found, found
    assert not question.answers


def test_every_kind_of_file_is_asked_about(corpus):
    of = {
        passage.item.locator.path.suffix for one in ANSWERABLE for passage in held_by(one, corpus)
    }
    assert of == {".mbox", ".eml", ".pdf", ".md", ".txt", ".ics"}
