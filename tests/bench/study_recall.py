"""How well BM25 finds gold evidence: IDF, stop words, stemming and size of passages, on all sets.

    python tests/bench/study_recall.py DATA [--run FILE] [--sets NAME…] [--limit N]

DATA holds `dev` and `corpus`. Prints Markdown. Settings are chosen on the odd-numbered questions of
each file (the first is number 1) and reported on the even-numbered ones, with 95 % intervals of the
paired difference (bootstrap over questions within each set, 10,000 draws). FILE keeps the scores of
what was measured, nothing else, so that a run that was stopped goes on.

Options are compared by nDCG@10 at each size of passages; ten passages of 100 words are not ten of
300, so sizes are compared by what the first 1,000 words hold. A record found in part counts there
in two ways, whole ("any part") and by its share of characters ("share"). What a question needs lies
between the two, and their mean decides. The IDF is not up for choice: only Lucene's ranks a lone
mail, and Okapi's is there to compare.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.evaluation import metrics
from engine.evaluation.questions import Question, Support, load_questions
from engine.retrieval import passages
from engine.retrieval.recall import Recall, Variant, best_first
from engine.values import Passage
from ingest.item import Item
from ingest.reading.in_process import read

SETS = {
    "hotpotqa": "hotpotqa.jsonl",
    "2wikimultihopqa": "2wikimultihopqa.jsonl",
    "musique": "musique.jsonl",
    "nq": "nq.jsonl",
    "qasper": "qasper.jsonl",
    "pubmedqa": "pubmedqa.jsonl",
    "locomo": "locomo.jsonl",
    "enron": "enron_annotated.jsonl",
}
"""Sets with gold evidence, and their files below DATA/dev."""
CHARACTERS_A_WORD = 2000 / 300
"""A passage's limits of characters and words keep this ratio at every size."""
WORDS_SHOWN = 1000
"""About what the look-ahead model reads (1,500 of its tokens)."""
RANKED = 200
METRICS = (
    "recall@2",
    "recall@5",
    "recall@10",
    "recall@20",
    "nDCG@10",
    f"{WORDS_SHOWN:,} words, any part",
    f"{WORDS_SHOWN:,} words, share",
)
NDCG, WITHIN = [4], [5, 6]
"""Columns that decide on options, and on the size of passages."""

Table = npt.NDArray[np.float64]
"""Scores of one set under one setting, shape (questions, metrics)."""


@dataclass(frozen=True)
class Setting:
    """One way of cutting and weighing."""

    variant: Variant = "lucene"
    stop_words: bool = False
    stemming: bool = False
    words: int = 300

    def __str__(self) -> str:
        """Return its name in the tables."""
        extras = [
            "stop words" if self.stop_words else "",
            "stemming" if self.stemming else "",
        ]
        return ", ".join(filter(None, [self.variant, *extras, f"{self.words} words"]))


PLAIN = Setting()
"""What the program did before the study."""
VARIANTS: tuple[Variant, ...] = ("lucene", "okapi")
SIZES = (100, 200, 300)
SETTINGS = [
    Setting(variant, stop_words, stemming, words)
    for words, stemming, stop_words, variant in product(
        SIZES, (False, True), (False, True), VARIANTS
    )
]


def cut(items: Sequence[Item], words: int) -> list[Passage]:
    """Return the items' passages of at most `words` words and proportionally many characters."""
    passages.MAX_WORDS = words
    passages.MAX_CHARACTERS = round(words * CHARACTERS_A_WORD)
    return passages.split(items)


def measure(data: Path, name: str, limit: int | None) -> Iterator[tuple[Setting, Table, float]]:
    """Yield the scores of a set under every setting, and the seconds they took."""
    questions = [exact(q) for q in load_questions(data / "dev" / SETS[name]) if q.support][:limit]
    (corpus,) = {question.corpus for question in questions}
    items = [found for found in read([data / "corpus" / str(corpus)]) if isinstance(found, Item)]
    cuts = {words: cut(items, words) for words in SIZES}
    for setting in SETTINGS:
        began = time.monotonic()
        table = scores_of(cuts[setting.words], questions, setting)
        yield setting, table, time.monotonic() - began


def exact(question: Question) -> Question:
    """Return a question whose gold turns carry their brackets, lest D2:1 be found in D2:12."""
    support = (replace(s, turn=f"[{s.turn}]") if s.turn else s for s in question.support)
    return replace(question, support=tuple(support))


def scores_of(found: Sequence[Passage], questions: Sequence[Question], setting: Setting) -> Table:
    """Return the metrics of every question, shape (questions, metrics)."""
    recall = Recall(
        [passage.searched for passage in found],
        setting.variant,
        stop_words=setting.stop_words,
        stemming=setting.stemming,
    )
    rows = []
    sizes = Counter[int]()
    for passage in found:
        sizes[id(passage.item)] += passage.end - passage.start
    scored = recall.scores([question.text for question in questions])
    for question, scores in zip(questions, scored, strict=True):
        ranked = [found[i] for i in best_first(scores)[:RANKED] if scores[i] > 0]
        rows.append(list(metrics_of(ranked, question, sizes)))
    return np.array(rows)


def metrics_of(
    ranked: Sequence[Passage], question: Question, sizes: Mapping[int, int]
) -> Iterator[float]:
    """Yield the metrics of one ranking, in the order of `METRICS`."""
    for k in (2, 5, 10, 20):
        yield metrics.recall_at(ranked, question.support, k)
    yield metrics.ndcg_at(ranked, question.support, 10)
    words = np.cumsum([len(passage.text.split()) for passage in ranked])
    shown = ranked[: int((words <= WORDS_SHOWN).sum())]
    yield metrics.recall_at(shown, question.support, len(shown))
    yield sum(share(shown, one, sizes) for one in question.support) / len(question.support)


def share(shown: Sequence[Passage], gold: Support, sizes: Mapping[int, int]) -> float:
    """Return how much of a gold record the passages show; a turn is shown or not.

    `sizes` are characters by id of the item. Of several records one is enough.
    """
    parts = Counter[int]()
    for passage in shown:
        if gold.held_by(passage):
            parts[id(passage.item)] += passage.end - passage.start
    if gold.turn:
        return float(bool(parts))
    return max((size / sizes[item] for item, size in parts.items()), default=0.0)


class Results:
    """Scores by setting and set, kept in a file when one is given."""

    def __init__(self, run: Path | None, limit: int | None) -> None:
        """Take over what an earlier run with the same limit kept."""
        self._run = run
        self._limit = limit
        self.tables: dict[Setting, dict[str, Table]] = {}
        for line in run.read_text().splitlines() if run and run.exists() else ():
            row = json.loads(line)
            if row["limit"] == limit:
                self._keep(Setting(**row["setting"]), row["set"], np.array(row["scores"]))

    def has(self, name: str) -> bool:
        """Say whether a set was measured under every setting."""
        return all(name in self.tables.get(setting, {}) for setting in SETTINGS)

    def add(self, setting: Setting, name: str, table: Table) -> None:
        """Keep one table."""
        self._keep(setting, name, table)
        row: dict[str, Any] = {"set": name, "setting": asdict(setting), "limit": self._limit}
        if self._run:
            with self._run.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(row | {"scores": table.tolist()}) + "\n")

    def _keep(self, setting: Setting, name: str, table: Table) -> None:
        self.tables.setdefault(setting, {})[name] = table

    def half(self, setting: Setting, names: Sequence[str], first: int | None) -> list[Table]:
        """Return each set's rows: from the first (odd numbers), the second (even), or all."""
        tables = [self.tables[setting][name] for name in names]
        return tables if first is None else [table[first::2] for table in tables]

    def mean(self, setting: Setting, names: Sequence[str], first: int | None) -> Table:
        """Return the mean over sets of the sets' means, shape (metrics,)."""
        means: Table = np.mean([t.mean(axis=0) for t in self.half(setting, names, first)], axis=0)
        return means


ODD, EVEN = 0, 1


def choose(results: Results, names: Sequence[str]) -> Setting:
    """Return the best size's best options, on the odd-numbered questions."""

    def score(setting: Setting, columns: list[int]) -> float:
        return float(results.mean(setting, names, ODD)[columns].mean())

    open_to_choice = [setting for setting in SETTINGS if setting.variant == PLAIN.variant]
    by_size = [
        max((s for s in open_to_choice if s.words == words), key=lambda s: score(s, NDCG))
        for words in SIZES
    ]
    return max(by_size, key=lambda s: score(s, WITHIN))


def intervals(changed: Sequence[Table], base: Sequence[Table]) -> tuple[Table, Table]:
    """Return the 95 % interval of the mean over sets of the paired difference, by metric."""
    random = np.random.default_rng(0)
    drawn = np.zeros((10_000, len(METRICS)))
    for one, other in zip(changed, base, strict=True):
        difference = one - other
        picks = random.integers(0, len(difference), size=(len(drawn), len(difference)))
        counts = np.zeros((len(drawn), len(difference)))
        np.add.at(counts, (np.arange(len(drawn))[:, None], picks), 1)
        drawn += counts @ difference / len(difference) / len(changed)
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    return low, high


def report(results: Results, names: Sequence[str]) -> None:
    """Print the choice, and what it and every single change bring."""
    chosen = choose(results, names)
    print(f"\nMean over {len(names)} sets, odd-numbered questions; chosen: **{chosen}**.\n")
    header("setting")
    for setting in SETTINGS:
        mark = "**" if setting == chosen else ""
        row(f"{mark}{setting}{mark}", cells(results.mean(setting, names, ODD)))
    print("\nEven-numbered questions, difference to the plain setting in brackets.\n")
    header("set")
    for name in names:
        row(f"{name}, plain", cells(results.mean(PLAIN, [name], EVEN)))
        row(f"{name}, chosen", compared(results, chosen, [name], EVEN))
    row("mean, plain", cells(results.mean(PLAIN, names, EVEN)))
    row("**mean, chosen**", compared(results, chosen, names, EVEN))
    print("\nOne change at a time from the plain setting, all questions, mean over sets.\n")
    header("change")
    row(str(PLAIN), cells(results.mean(PLAIN, names, None)))
    for changes in (
        {"variant": "okapi"},
        {"stop_words": True},
        {"stemming": True},
        {"stop_words": True, "stemming": True},
        {"words": 200},
        {"words": 100},
    ):
        setting = replace(PLAIN, **changes)
        row(str(setting), compared(results, setting, names, None))


def header(first: str) -> None:
    """Print the head of a table."""
    row(first, METRICS)
    print("|---" * (1 + len(METRICS)) + "|")


def row(first: str, columns: Sequence[str]) -> None:
    """Print one line of a table."""
    print(f"| {first} | {' | '.join(columns)} |")


def cells(values: Table) -> list[str]:
    """Return figures as text."""
    return [f"{value:.3f}" for value in values]


def compared(
    results: Results, setting: Setting, names: Sequence[str], first: int | None
) -> list[str]:
    """Return the figures of a setting with the intervals of their difference to `PLAIN`."""
    halves = results.half(setting, names, first), results.half(PLAIN, names, first)
    low, high = intervals(*halves)
    values = results.mean(setting, names, first)
    columns = zip(values, low, high, strict=True)
    return [f"{value:.3f} [{a:+.3f}, {b:+.3f}]" for value, a, b in columns]


def main() -> None:
    """Measure what is missing, then print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--run", type=Path)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--limit", type=int)
    args = parser.parse_args()
    results = Results(args.run, args.limit)
    for name in args.sets:
        if results.has(name):
            continue
        for setting, table, seconds in measure(args.data, name, args.limit):
            results.add(setting, name, table)
            values = " ".join(cells(table.mean(axis=0)))
            print(f"{name}, {setting}: {values} ({seconds:.1f} s)", flush=True)
    report(results, args.sets)


if __name__ == "__main__":
    main()
