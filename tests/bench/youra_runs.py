"""What the parts of the study of attention share: questions with passages, and kept rows."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.evaluation.questions import Question, load_questions
from engine.retrieval.corpus import corpus_of
from engine.retrieval.passages import split
from engine.retrieval.recall import best_first
from engine.values import Passage
from ingest.item import Item
from ingest.reading.in_process import read
from models.store.catalogue import load_catalogue

Rows = list[dict[str, Any]]


def asked(args: argparse.Namespace) -> Iterator[tuple[Question, list[Passage]]]:
    """Yield the questions that have gold evidence, and the passages they are asked over.

    Those are the question's own set, or everything where it has none: the gold ones and the best
    others by BM25, at most `--passages` in all, as they stand in the corpus.
    """
    corpus = corpus_of(split(found for found in read([args.corpus]) if isinstance(found, Item)))
    questions = [one for one in load_questions(args.questions) if one.support]
    for question in questions[args.skip : args.skip + args.limit]:
        own = question.is_candidate if question.candidates else question.in_scope
        numbers = [i for i, one in enumerate(corpus.passages) if own(one.item)]
        best = best_first(corpus.recall.scores([question.text])[0]).tolist()
        order = [i for i in best if i in set(numbers)] if numbers else best
        gold = [
            i for i in order if any(one.held_by(corpus.passages[i]) for one in question.support)
        ]
        kept = [*gold, *(i for i in order if i not in set(gold))][: args.passages]
        yield question, [corpus.passages[i] for i in sorted(kept)]


def rows(run: Path) -> Rows:
    """Return the rows there are."""
    return [json.loads(line) for line in run.read_text().splitlines()] if run.exists() else []


def add(run: Path, row: dict[str, Any]) -> None:
    """Write a row behind the others."""
    with run.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(row) + "\n")


def stored_layer(model: Path) -> int | None:
    """Return the layer that the catalogue has for a model's file; None where none was measured."""
    measured = {row.file: row.reaction_layer for row in load_catalogue().rows}
    return measured.get(model.name) or None
