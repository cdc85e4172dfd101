"""What the recall benchmark scores: real passages and their growth, queries, key-value records."""

from __future__ import annotations

import json
import random
import re
import uuid
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.evaluation.questions import load_questions
from engine.generation.lookahead import Sample
from engine.language.tokens import terms
from engine.retrieval.passages import split
from engine.values import Passage
from ingest.documents.records import json_members
from ingest.item import Item, Kind, Locator, People
from ingest.reading.in_process import read

CORPORA = (
    "2wikimultihopqa.jsonl",
    "hotpotqa.jsonl",
    "musique.jsonl",
    "nq.jsonl",
    "pubmedqa.jsonl",
    "qmsum.jsonl",
    "qasper_evidence.jsonl",
    "strategyqa_facts.jsonl",
    "locomo.jsonl",
    "lciteeval_long.jsonl",
    "mail_spamassassin_ham.mbox",
    "mail_spamassassin_hardham.mbox",
)
PASSAGE_WORDS = 300
RARE_TERMS = 8
"""Terms of a rare query, each in one to five passages."""
HEAPS = 0.6
"""Vocabulary grows with the number of words to this power (Heaps' law; English has 0.5 to 0.7)."""
SWAPPED = 0.1
"""Share of a grown copy's words that are drawn anew from all words."""


def real_passages(data: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each corpus and its texts; short neighbours are joined up to 300 words."""
    for name in CORPORA:
        items = (found for found in read([data / "corpus" / name]) if isinstance(found, Item))
        yield name, list(_joined(passage.searched for passage in split(items)))


def _joined(texts: Iterator[str]) -> Iterator[str]:
    held: list[str] = []
    words = 0
    for text in texts:
        more = len(text.split())
        if held and words + more > PASSAGE_WORDS:
            yield "\n".join(held)
            held, words = [], 0
        held.append(text)
        words += more
    if held:
        yield "\n".join(held)


@dataclass(frozen=True)
class Queries:
    """What every engine is asked."""

    rare: list[str]
    questions: list[str]
    sampled: list[tuple[str, list[str]]]
    """A question and the texts of its look-ahead samples."""


def queries(data: Path, samples: Path | None, texts: Sequence[str], count: int) -> Queries:
    """Return `count` queries of each kind, chosen by a fixed seed."""
    chance = random.Random(0)
    frequency = Counter(term for text in texts for term in set(terms(text)))
    plain = re.compile(r"[a-z0-9]{2,30}")
    rare = sorted(t for t, n in frequency.items() if n <= 5 and plain.fullmatch(t))
    asked = [
        question.text
        for file in sorted((data / "dev").glob("*.jsonl"))
        for question in load_questions(file)
        if question.corpus in CORPORA
    ]
    return Queries(
        [" ".join(chance.sample(rare, RARE_TERMS)) for _ in range(count)],
        chance.sample(asked, count),
        _sampled(data, samples)[:count] if samples else [],
    )


def _sampled(data: Path, samples: Path) -> list[tuple[str, list[str]]]:
    """Return questions with the texts of their samples."""
    drawn = {}
    for line in samples.read_text("utf-8").splitlines():
        row = json.loads(line)
        drawn[row["id"]] = [Sample(*pair).text for pair in row["samples"]]
    return [
        (question.text, drawn[question.id])
        for file in sorted((data / "dev").glob("*.jsonl"))
        for question in load_questions(file)
        if question.id in drawn
    ]


Ids = npt.NDArray[np.int32]


class Growth:
    """Endless text made of a real one: copies with swapped words and new ones, by a fixed seed."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Number the words of `texts`, split at white space."""
        numbers: dict[str, int] = {}
        ids: list[int] = []
        self._bounds = [0]
        self.made = self.distinct = 0
        for text in texts:
            ids += [numbers.setdefault(word, len(numbers)) for word in text.split()]
            self._bounds.append(len(ids))
        self._ids = np.array(ids, dtype=np.int32)
        self._words = np.array(list(numbers), dtype=object)
        counts = np.bincount(self._ids)
        self._chance = np.random.default_rng(0)
        self._rarest = np.lexsort((self._chance.random(len(counts)), counts))

    def chunks(self, words: int, passages: int = 500) -> Iterator[list[str]]:
        """Yield passages, some at a time, until there are `words` words, the last passage's end.

        Then `made` is the number of words, and `distinct` that of different ones.
        """
        copy = 0
        while self.made < words:
            copy += 1
            ids, names, fresh = self._copy(copy)
            last = bisect_left(self._bounds, words - self.made, hi=len(self._bounds) - 1)
            for first in range(0, last, passages):
                bounds = self._bounds[first : min(first + passages, last) + 1]
                chosen = names[ids[bounds[0] : bounds[-1]]].tolist()
                yield [
                    " ".join(chosen[begin - bounds[0] : end - bounds[0]])
                    for begin, end in pairwise(bounds)
                ]
            self.made += self._bounds[last]
            self.distinct += int(np.isin(fresh, ids[: self._bounds[last]]).sum())

    def _copy(self, number: int) -> tuple[Ids, npt.NDArray[np.object_], npt.NDArray[np.int64]]:
        """Return a copy's words, their names, and which are new; the first copy is the text."""
        if number == 1:
            return self._ids, self._words, self._rarest
        ids, names = self._ids.copy(), self._words.copy()
        swapped = self._chance.random(len(ids)) < SWAPPED
        ids[swapped] = self._chance.choice(self._ids, int(swapped.sum()))
        share = number**HEAPS - (number - 1) ** HEAPS
        fresh = self._rarest[: int(share * len(names))]
        ending = rf"\g<0>x{number}"
        for word in fresh:
            names[word] = re.sub(r"\w+", ending, names[word], count=1)
        return ids, names, fresh


@dataclass(frozen=True)
class Key:
    """A question for the value of one key."""

    question: str
    key: str
    value: str

    def is_answered_by(self, passage: Passage) -> bool:
        """Say whether the passage is the record of this key."""
        return f'"{self.key}": "{self.value}"' in passage.text


def keys(data: Path) -> tuple[list[Key], list[Item]]:
    """Return the questions of the key-value sets, and the objects that hold their records."""
    found, items = [], []
    for file in sorted((data / "dev").glob("kv_*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            row = json.loads(line)
            key = re.search(r'"([0-9a-f-]{36})"', row["question"])
            if key is None:
                raise ValueError(f"{file}: no key in {row['question']}")
            found.append(Key(row["question"], key[1], row["answers"][0]))
            items += [_object(one["title"], one["text"]) for one in row.get("context", ())]
    for file in sorted((data / "corpus").glob("kv_*.jsonl")):
        items += [one for one in read([file]) if isinstance(one, Item)]
    return found, items


def random_objects(records: int, each: int = 2520) -> Iterator[Item]:
    """Yield objects of `each` random records, as long as the longest of the sets."""
    chance = random.Random(0)
    for number in range(-(-records // each)):
        pairs = [
            f'"{uuid.UUID(int=chance.getrandbits(128), version=4)}": '
            f'"{uuid.UUID(int=chance.getrandbits(128), version=4)}"'
            for _ in range(min(each, records - number * each))
        ]
        yield _object(f"random-block{number}.json", "{\n" + ",\n".join(pairs) + "\n}")


def _object(title: str, text: str) -> Item:
    place = Locator(Path(title))
    return Item(Kind.DOCUMENT, title, None, People(), text, place, records=json_members(text))
