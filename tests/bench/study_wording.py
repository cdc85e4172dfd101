"""Wordings of the program's own prompt for one thing asked, over one prefill, checked and cited.

    python tests/bench/study_wording.py QUESTIONS CORPUS RUN --model GGUF [--skip N --limit N]
        [--unanswerable]

Writes a row for each question, and with gold evidence one more without it ("no"). Rows hold ids,
scores and confidences, never words; RUN is gone on from.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from engine.checking import abstention
from engine.checking.citation_check import MARKER, check
from engine.evaluation import metrics
from engine.evaluation.questions import Question, load_questions
from engine.generation.literal import as_written
from engine.generation.reply import GeneratorQuestion, checked, unshown, write
from engine.language.tokens import words
from engine.prompts.tasks import TASKS
from engine.prompts.templates import section
from engine.retrieval.corpus import Corpus, corpus_of
from engine.retrieval.passages import split
from engine.retrieval.selection import fit
from engine.values import Passage
from ingest.item import Item
from ingest.reading.in_process import read
from models.llama.generator import load_llama
from models.protocols import Generator

TOKENS = 1200
WORDINGS = {
    "built": section("question", "one"),
    "plain": "Answer in a few words, copied exactly as they stand in the passages.",
    "brief": "Answer as briefly as possible.",
}


def held(question: Question, passage: Passage) -> bool:
    return any(support.held_by(passage) for support in question.support)


def outcome(
    model: Generator, question: Question, shown: Sequence[Passage], how: str
) -> dict[str, Any]:
    """Return how one wording does."""
    asked = GeneratorQuestion(TASKS["question"], question.text, date(2026, 11, 23))
    prompt = asked.prompt(model, shown, how=how)
    written = checked(model, asked, shown, unshown(write(model, asked, prompt)))
    text = as_written(written.text, shown)
    bare = MARKER.sub("", text).strip()
    cited = check(text, shown, question.text)
    return {
        "f1": metrics.token_f1(bare, question.answers),
        "sub": metrics.substring_match(bare, question.answers),
        "bare": not words(bare),
        "denies": abstention.denies(written.text, shown),
        "grounded": cited.grounded,
        "doubt": written.doubt,
        "conf": written.confidence,
        "cited": len(cited.citations),
        "citedgold": sum(held(question, one.passage) for one in cited.citations),
    }


def row(model: Generator, corpus: Corpus, question: Question, kind: str) -> dict[str, Any]:
    """Return all wordings over the best passages, without the gold ones for "no"."""
    scores = corpus.recall.scores([question.text])[0].copy()
    if kind == "no":
        scores[[place for place, p in enumerate(corpus.passages) if held(question, p)]] = 0
    shown = [corpus.passages[place] for place in fit(corpus.passages, scores, TOKENS, model)]
    found = {name: outcome(model, question, shown, how) for name, how in WORDINGS.items()}
    return {"id": question.id, "set": question.dataset, "kind": kind, **found}


def main() -> None:
    """Ask what RUN does not hold yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs=3, type=Path)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--unanswerable", action="store_true")
    given = parser.parse_args()
    questions, texts, run = given.paths
    asked = [q for q in load_questions(questions) if q.mode == "any"]
    asked = [q for q in asked if q.unanswerable == given.unanswerable]
    corpus = corpus_of(split([found for found in read([texts]) if isinstance(found, Item)]))
    model = load_llama(given.model, given.model.stem)
    known = [json.loads(line) for line in run.read_text().splitlines()] if run.exists() else []
    done = {(one["id"], one["kind"]) for one in known}
    mail = texts.suffix == ".mbox"  # its questions without an answer are asked as they are
    for question in asked[given.skip : given.skip + given.limit]:
        for kind in ["no"] if given.unanswerable else ["yes"] if mail else ["yes", "no"]:
            if (question.id, kind) not in done:
                with run.open("a") as stream:
                    stream.write(json.dumps(row(model, corpus, question, kind)) + "\n")


if __name__ == "__main__":
    main()
