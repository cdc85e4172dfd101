"""How far a generator's log-odds of yes lie too high, over questions of yes or no.

    study_verdict.py DATA OUT.jsonl --sets pubmedqa strategyqa 2wikimultihopqa hotpotqa --limit 100

Each question is put as the program puts it, over the passages that hold its answer. Printed: the
share that is right where yes is said from some log-odds on, of every second question of a set and
of the others. A file goes on where it ended.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import chain, zip_longest
from typing import Any

from question_sets import add_choice, questions_of, rows_of

from app.local_models.loader import model_set
from app.settings.config import load_config
from engine.evaluation.questions import Question
from engine.generation.reply import GeneratorQuestion
from engine.prompts.tasks import QUESTION
from engine.retrieval.passages import split
from engine.values import Passage
from ingest.item import Item, Kind, Locator, People

MOST_PASSAGES = 8
TODAY = date(2026, 11, 27)


def record(given: argparse.Namespace) -> None:
    """Ask each question that `out` does not hold yet, the sets in turn."""
    model = model_set(load_config(os.environ), generator=given.generator).generator
    every = (questions_of(given.data, name, given.skip, 10_000) for name in given.sets)
    asked = [list(filter(is_verdict, questions))[: given.limit] for questions in every]
    known = {row["id"] for row in rows_of([given.out])}
    with given.out.open("a") as stream:
        for question in filter(None, chain.from_iterable(zip_longest(*asked))):
            if question.id in known:
                continue
            put = GeneratorQuestion(QUESTION, question.text, TODAY)
            prompt = put.prompt(model, list(evidence(given, question)))
            yes, no = model.next_token_logprobs(prompt, ("Yes", "No"))
            row = {"set": question.dataset, "id": question.id, "odds": round(yes - no, 3)}
            stream.write(json.dumps(row | {"yes": is_yes(question)}) + "\n")
            stream.flush()


def is_yes(question: Question) -> bool:
    return question.answers[0].casefold() == "yes"


def is_verdict(question: Question) -> bool:
    return question.answers[0].casefold() in ("yes", "no")


def evidence(given: argparse.Namespace, question: Question) -> Iterator[Passage]:
    """Yield the passages that hold the answer, as documents."""
    lines = (given.data / "corpus" / str(question.corpus)).read_text().splitlines()
    held = (json.loads(lines[support.lines[0]]) for support in question.support)
    items = [
        Item(Kind.DOCUMENT, one["title"], None, People(), one["text"], Locator(given.data))
        for one in held
    ]
    yield from split(items)[:MOST_PASSAGES]


def table(rows: Sequence[dict[str, Any]]) -> None:
    """Print what is right by the least log-odds at which yes is said; halves of each set."""
    rows = sorted(rows, key=lambda row: row["set"])
    for least in (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0):
        right = [(row["odds"] > least) == row["yes"] for row in rows]
        halves = "  ".join(f"{sum(half) / len(half):.3f}" for half in (right[::2], right[1::2]))
        said = sum(row["odds"] > least for row in rows) / len(rows)
        print(f"{least:5.2f}  {halves}  yes said {said:.3f} of {len(rows)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    add_choice(parser, skip=0, limit=100)
    chosen = parser.parse_args()
    record(chosen)
    table(rows_of([chosen.out]))
