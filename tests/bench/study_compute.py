"""How computed answers, key look-ups and the classifier do. Prints figures only.

    python tests/bench/study_compute.py answers DATA [--half odd|even] [--infer]
    python tests/bench/study_compute.py keys DATA [--records N] [--limit N]
    python tests/bench/study_compute.py diary
    python tests/bench/study_compute.py foreign DATA

DATA is a folder with `dev` and `corpus`. "answers" asks the questions of the two derived sets
(those with odd numbers were looked at while the grammar was written, those with even ones not),
our paraphrases of them and our own forms; no model is loaded. An answer is exact when the plan's
bare value is a gold answer, right when a gold answer is in its text. "keys" looks keys up among
all records and as many random ones as asked for. "diary" asks our questions of a diary over the
sample files, without DATA: right is the same entries as a person named, or no plan where a calendar
does not say; "surely wrong" is a plan that the grammar is sure of and that finds others. "foreign"
counts questions of sets that know no mail and no calendar of ours, and for which the grammar is
sure of a plan over them all the same.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from compute_gold import Gold, entries, letters

from engine.answer import answer
from engine.checking.draft_sentences import MARKER
from engine.compute.question_plan import read_plan
from engine.compute.run import run
from engine.compute.vocabulary import QuestionVocabulary
from engine.evaluation.metrics import exact_match, substring_match
from engine.evaluation.questions import Question, load_questions
from engine.events import Answered
from engine.language.overlap import normalise
from engine.question import inferred_filters
from engine.retrieval.corpus import Corpus, corpus_of
from engine.retrieval.passages import split
from engine.settings import Settings
from engine.values import Answer, Query
from ingest.item import Item, Kind, Locator, People
from ingest.reading.in_process import read
from models.protocols import Generator
from models.roles import ModelSet

HERE = Path(__file__).parent
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SETS = {"pim_mail_derived": "mail_spamassassin_ham.mbox", "pim_calendar_derived": "calendars"}
FOREIGN = (
    "2wikimultihopqa",
    "bamboogle",
    "hotpotqa",
    "locomo",
    "musique",
    "nq",
    "pubmedqa",
    "qasper",
)
KEY_SETS = ("kv_75", "kv_140", "kv_1120", "kv_2520")
_WHO = r"did (?P<who>.+?) send"
_THREAD = r'subject "(?P<quote>.*)" \(ignoring'
_COUNTRY = r"the (?P<country>.+?) holiday calendar"
_QUOTE = r'"(?P<quote>.*)"'
SLOTS = {
    **dict.fromkeys(("last-in-thread", "count-thread", "count-distinct-senders"), _THREAD),
    "date-of-message": rf"{_WHO} the message with the subject {_QUOTE}\?",
    "count-sender-month": rf"{_WHO} in (?P<month>.*)\?",
    "earliest-of-sender": r"sent by (?P<who>\S+)\?",
    "holiday-date": rf"{_COUNTRY}.*?{_QUOTE} in (?P<year>\d+)",
    "days-between": rf'{_COUNTRY} for (?P<year>\d+).*from "(?P<first>.*?)" to "(?P<second>.*)"',
    "count-shared-dates": r"in (?P<year>\d+) does both the (?P<one>.+?) and the (?P<other>.+?) hol",
    "count-month": rf"{_COUNTRY} have in (?P<month>.*)\?",
    "count-room-day": r'"(?P<room>.*)" on (?P<day>\S+)',
    **dict.fromkeys(("event-speaker", "event-time", "event-duration", "event-room"), _QUOTE),
}
"""What a paraphrase takes over from its original, by the original's type."""


class Tally:
    """Counts of what went right, by name."""

    def __init__(self) -> None:
        """Start empty."""
        self._rows: defaultdict[str, list[tuple[bool, ...]]] = defaultdict(list)

    def add(self, name: str, *right: bool) -> None:
        """Count one question."""
        self._rows[name].append(right)

    def show(self, *columns: str) -> None:
        """Print one line a name."""
        for name, rows in self._rows.items():
            counts = [sum(row[i] for row in rows) for i in range(len(columns))]
            shares = [
                f"{column} {count} ({count / len(rows):.3f})"
                for column, count in zip(columns, counts, strict=True)
            ]
            print(f"{name}: {len(rows)} questions, {', '.join(shares)}")


def no_model(model_id: str) -> Generator:
    """Refuse to load one."""
    raise RuntimeError(f"{model_id} was asked for")


def asked(text: str, corpus: Corpus, strategy: str, *, infer: bool = False) -> Answer:
    """Return the answer, given without a model."""
    settings = Settings(strategy=strategy, zone=UTC, now=NOW, infer=infer)
    models = ModelSet("none", "none", no_model)
    *_, last = answer(Query(text), corpus, models, settings)
    if not isinstance(last, Answered):
        raise TypeError(last)
    return last.answer


def corpus_at(path: Path) -> Corpus:
    """Return everything below a path."""
    items = [one for one in read([path], zone=UTC, now=NOW) if isinstance(one, Item)]
    return corpus_of(split(items))


def answers(args: argparse.Namespace) -> None:
    """Print how many computed answers are right."""
    tally, began = Tally(), time.process_time()
    corpora = {name: corpus_at(args.data / "corpus" / place) for name, place in SETS.items()}
    numbered = {
        name: list(enumerate(load_questions(args.data / "dev" / f"{name}.jsonl"), start=1))
        for name in SETS
    }
    for name, questions in numbered.items():
        for number, question in questions:
            if args.half in (None, "odd" if number % 2 else "even"):
                _score(
                    tally, f"{name} {_half(number)}", question.text, question, corpora[name], args
                )
    originals = {question.id: question for rows in numbered.values() for _, question in rows}
    for number, row in enumerate(rows_of("compute_paraphrases.jsonl"), start=1):
        original = originals[row["id"]]
        text = _filled(row["question"], original)
        _score(tally, f"paraphrases {_half(number)}", text, original, corpora[row["dataset"]], args)
    _forms(tally, corpora, args)
    tally.show("exact", "right")
    print(f"{time.process_time() - began:.0f} s of processor time, reading included")


def _half(number: int) -> str:
    return "odd" if number % 2 else "even"


def _score(
    tally: Tally,
    name: str,
    text: str,
    question: Question,
    corpus: Corpus,
    args: argparse.Namespace,
) -> None:
    found = asked(text, corpus, "aggregate", infer=args.infer)
    value = found.table.value if found.table else ""
    plain = MARKER.sub("", found.text)
    right = found.grounded != "none" and substring_match(plain, question.answers) == 1
    tally.add(name, exact_match(value, question.answers) == 1, right)


def _filled(wording: str, original: Question) -> str:
    kind = "-".join(original.id.split("-")[1:-1])
    found = re.search(SLOTS[kind], original.text)
    if found is None:
        raise ValueError(f"{original.id} is not worded as expected")
    return wording.format(**found.groupdict())


def _forms(tally: Tally, corpora: dict[str, Corpus], args: argparse.Namespace) -> None:
    corpus = args.data / "corpus"
    gold = Gold(letters(corpus / SETS["pim_mail_derived"]), entries(corpus / "calendars"))
    for number, row in enumerate(rows_of("compute_forms.jsonl"), start=1):
        over = corpora[f"pim_{row['over']}_derived"]
        found = asked(gold.filled(row["question"]), over, "aggregate", infer=args.infer)
        text = f" {normalise(MARKER.sub('', found.text))} "
        golds = gold.answers(row["form"])
        right = all(any(f" {normalise(one)} " in text for one in some) for some in golds)
        tally.add(f"forms {_half(number)}", right, right)


def rows_of(name: str) -> list[dict[str, Any]]:
    """Return the rows of a file beside this one."""
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


def keys(args: argparse.Namespace) -> None:
    """Print how many values are read off right."""
    questions = [
        question
        for name in KEY_SETS
        for question in load_questions(args.data / "dev" / f"{name}.jsonl")
    ]
    texts = list(dict.fromkeys(_texts(args.data)))
    members = [line for text in texts for line in text.splitlines() if '": "' in line]
    drawn = random.Random(20)
    members += [f'"{_token(drawn)}": "{_token(drawn)}",' for _ in range(args.records)]
    drawn.shuffle(members)
    corpus = corpus_of(split(_documents(members)))
    print(f"{len(corpus.passages):,} records, {sum(map(len, members)):,} characters")
    tally, began = Tally(), time.monotonic()
    for question in questions[: args.limit]:
        found = asked(question.text, corpus, "key_value")
        value = MARKER.sub("", found.text).strip()
        tally.add("keys", value == question.answers[0], found.usage.effective_context == 0)
    tally.show("right", "without a model")
    print(f"{(time.monotonic() - began) / len(questions[: args.limit]):.2f} s a question")


def diaries(_: argparse.Namespace) -> None:
    """Print how many questions of a diary are read as a person reads them."""
    found = read([HERE.parent.parent / "app" / "sample" / "data"], zone=UTC, now=NOW)
    vocabulary = QuestionVocabulary.of([one for one in found if isinstance(one, Item)])
    tally = Tally()
    for number, row in enumerate(rows_of("compute_agenda.jsonl"), start=1):
        plan = read_plan(row["question"], vocabulary, NOW.date())
        entries = None
        if plan.plan and plan.sure:
            table = run(plan.plan, vocabulary.items, vocabulary.known, NOW)
            items = [value.item for one in table.rows for value in one.values]
            entries = sorted({f"{item.when:%Y-%m-%d} {item.title}" for item in items})
        right = entries == (None if row["gold"] is None else sorted(row["gold"]))
        tally.add(f"diary {_half(number)}", right, entries is not None and not right)
    tally.show("right", "surely wrong")


def foreign(args: argparse.Namespace) -> None:
    """Print for how many foreign questions there is a sure plan."""
    worlds = {
        place: QuestionVocabulary.of(
            inferred_filters.items_of(corpus_at(args.data / "corpus" / place))
        )
        for place in SETS.values()
    }
    tally = Tally()
    for name in FOREIGN:
        for question in load_questions(args.data / "dev" / f"{name}.jsonl"):
            for place, vocabulary in worlds.items():
                sure = read_plan(question.text, vocabulary, NOW.date()).sure
                tally.add(f"over {place}", sure)
    tally.show("with a sure plan")


def _texts(data: Path) -> Iterator[str]:
    for name in KEY_SETS:
        for line in (data / "dev" / f"{name}.jsonl").read_text("utf-8").splitlines():
            yield from (one["text"] for one in json.loads(line).get("context", ()))
    for name in KEY_SETS[2:]:
        for line in (data / "corpus" / f"{name}.jsonl").read_text("utf-8").splitlines():
            yield json.loads(line)["text"]


def _token(drawn: random.Random) -> str:
    digits = f"{drawn.getrandbits(128):032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _documents(members: Sequence[str], size: int = 5000) -> Iterator[Item]:
    """Yield documents of so many records."""
    for first in range(0, len(members), size):
        starts, length = [], 0
        for member in members[first : first + size]:
            starts.append(length)
            length += len(member) + 1
        text = "\n".join(members[first : first + size])
        place = Locator(Path(f"/{first}.json"))
        yield Item(
            Kind.DOCUMENT, f"{first}.json", None, People(), text, place, records=tuple(starts)
        )


def main() -> None:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("part", choices=("answers", "keys", "diary", "foreign"))
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--half", choices=("odd", "even"))
    parser.add_argument("--infer", action="store_true")
    parser.add_argument("--records", type=int, default=400_000)
    parser.add_argument("--limit", type=int)
    args = parser.parse_args()
    if args.data is None and args.part != "diary":
        parser.error(f"{args.part} needs DATA")
    parts = {"answers": answers, "keys": keys, "diary": diaries, "foreign": foreign}
    parts[args.part](args)


if __name__ == "__main__":
    main()
