"""How well questions are sorted into four classes. Prints Markdown, figures only.

    python tests/bench/study_classes.py DATA [--model ID] [--model-alone] [--limit N]

DATA is a folder with `dev` and `corpus`. Each question of `compute_labels.jsonl` is read over the
corpus it is asked over, those of `compute_hard.jsonl`, which are ours, over the mailbox or the
calendars. The hard ones with odd numbers were looked at while the classifier was written, those
with even ones not. "Unsettled" is what neither its words nor a plan decide: without a model it is
answered by retrieval, as a question is.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path

from compute_gold import Gold, entries, letters
from study_compute import NOW, SETS, rows_of

from engine.compute.question_plan import read_plan
from engine.compute.vocabulary import QuestionVocabulary
from engine.evaluation.questions import Question, load_questions
from engine.routes.labels import LABELS, Classified, Label, by_model, by_words
from ingest.item import Item, Kind, Locator, People
from ingest.reading.in_process import read
from models.llama.generator import load_llama
from models.protocols import Generator
from models.store.catalogue import load_catalogue
from models.store.store import Store

MAILS = {"enron_annotated": "enron.mbox"}
"""Sets whose corpus is there as a mailbox too."""
UNSETTLED = "unsettled"


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question, what it needs, and the vocabulary it is asked in."""

    group: str
    text: str
    label: Label
    vocabulary: QuestionVocabulary


class Worlds:
    """What was read, each corpus once."""

    def __init__(self, data: Path) -> None:
        """Read nothing yet."""
        self._corpus = data / "corpus"
        self._read: dict[str, QuestionVocabulary] = {}

    def at(self, place: str) -> QuestionVocabulary:
        """Return everything below a path of the corpora."""
        if place not in self._read:
            items = read([self._corpus / place], zone=UTC, now=NOW)
            self._read[place] = QuestionVocabulary.of(one for one in items if isinstance(one, Item))
        return self._read[place]

    def of(self, question: Question) -> QuestionVocabulary:
        """Return what a question is asked over."""
        if question.context is not None:
            return QuestionVocabulary.of(_items(question.context))
        known = {**SETS, **MAILS}.get(question.dataset, question.corpus)
        if known is None:
            raise ValueError(f"{question.id} names no corpus")
        return self.at(known)


def _items(context: Sequence[str]) -> Iterator[Item]:
    for line in context:
        row = json.loads(line)
        place = Locator(Path(f"/{row['title']}"))
        yield Item(Kind.DOCUMENT, row["title"], None, People(), row["text"], place)


def labelled(data: Path) -> Iterator[Labelled]:
    """Yield the questions of the sets, then ours."""
    rows = rows_of("compute_labels.jsonl")
    random.Random(4).shuffle(rows)
    questions = {
        (name, question.id): question
        for name in {row["dataset"] for row in rows}
        for question in load_questions(data / "dev" / f"{name}.jsonl")
    }
    worlds = Worlds(data)
    for row in rows:
        question = questions[row["dataset"], row["id"]]
        yield Labelled("of the sets", question.text, row["label"], worlds.of(question))
    corpus = data / "corpus"
    gold = Gold(letters(corpus / SETS["pim_mail_derived"]), entries(corpus / "calendars"))
    for number, row in enumerate(rows_of("compute_hard.jsonl"), start=1):
        group = f"hard, {'odd' if number % 2 else 'even'}"
        vocabulary = worlds.at(SETS[f"pim_{row['over']}_derived"])
        yield Labelled(group, gold.filled(row["question"]), row["label"], vocabulary)


def sorted_out(one: Labelled, model: Generator | None, *, alone: bool) -> Classified | None:
    """Return the class of a question, or None where it is unsettled."""
    settled = None if alone else by_words(one.text, read_plan(one.text, one.vocabulary, NOW.date()))
    return by_model(model, one.text) if settled is None and model is not None else settled


def show(group: str, found: Sequence[tuple[Label, Classified | None]]) -> None:
    """Print what settled how many, and the confusion matrix: a row is a label."""
    right, total = sum(_is_right(*one) for one in found), len(found)
    print(f"\n**{group}**: {right} of {total} right ({right / total:.3f})\n")
    by: defaultdict[str, list[bool]] = defaultdict(list)
    matrix: Counter[tuple[str, str]] = Counter()
    for label, guess in found:
        by[guess.by if guess else UNSETTLED].append(_is_right(label, guess))
        matrix[label, guess.label if guess else UNSETTLED] += 1
    print_table(("settled by", "questions", "right"), [(k, len(v), sum(v)) for k, v in by.items()])
    print()
    columns = [*LABELS, *([UNSETTLED] if UNSETTLED in by else [])]
    print_table(
        ("label", *columns),
        [(label, *(matrix[label, column] for column in columns)) for label in LABELS],
    )


def _is_right(label: Label, guess: Classified | None) -> bool:
    return label == (guess.label if guess else "question")


def print_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table as Markdown."""
    for row in (head, ["---"] * len(head), *rows):
        print(f"| {' | '.join(map(str, row))} |")


def _loaded(model_id: str) -> Generator:
    file = Store.default(os.environ).open(load_catalogue().row(model_id))
    return load_llama(file, model_id, context=2048)


def main() -> None:
    """Sort all questions, and print each group."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--model")
    parser.add_argument("--model-alone", action="store_true")
    args = parser.parse_args()
    if args.model_alone and not args.model:
        parser.error("--model-alone needs --model")
    model = _loaded(args.model) if args.model else None
    groups: defaultdict[str, list[tuple[Label, Classified | None]]] = defaultdict(list)
    for one in list(labelled(args.data))[: args.limit]:
        groups[one.group].append((one.label, sorted_out(one, model, alone=args.model_alone)))
    for group, found in groups.items():
        show(group, found)


if __name__ == "__main__":
    main()
