"""What following titles finds: gold evidence within so many tokens, with it and by BM25 alone.

    study_titles.py DATA [--sets hotpotqa …] [--skip 150] [--limit 150] [--tokens 600 1200]

No model is asked: four characters count as a token, and 24 tokens as a passage's heading. The
settings were chosen on questions 1 to 75 (`--skip 0 --limit 75`).
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median

from question_sets import file_of, over, questions_of

from engine.evaluation.corpora import CorpusReader
from engine.evaluation.questions import Question
from engine.retrieval.recall import Scores, best_first
from engine.retrieval.selection import MISSES, OVERHEAD
from engine.retrieval.titles import follow
from engine.settings import Settings
from engine.values import Passage

SETS = ("hotpotqa", "2wikimultihopqa", "musique", "nq", "qasper", "locomo", "enron_annotated")


def within(passages: Sequence[Passage], scores: Scores, tokens: float) -> list[Passage]:
    """Return the best passages within so many tokens."""
    chosen, misses = list[Passage](), 0
    for number in best_first(scores).tolist():
        cost = len(passages[number].text) / 4 + OVERHEAD
        if scores[number] <= 0 or misses > MISSES:
            break
        misses = 0 if cost <= tokens else misses + 1
        if cost <= tokens:
            chosen.append(passages[number])
            tokens -= cost
    return chosen


def found(question: Question, read: Sequence[Passage]) -> float:
    """Return the share of the gold evidence that is among the passages."""
    return mean(any(one.held_by(passage) for passage in read) for one in question.support)


def measure(data: Path, name: str, skip: int, limit: int, budgets: Sequence[int]) -> None:
    """Print a line of one set."""
    asked = [one for one in questions_of(data, name, skip, limit) if one.support]
    corpus = CorpusReader(file_of(data, name), over(data, name), Settings()).corpus_for(asked[0])
    passages, recall = corpus.corpus.passages, corpus.corpus.recall
    rows, took, named = [], [], 0
    for question in asked:
        scores = recall.scores([question.text])[0]
        began = time.process_time()
        followed = follow(question.text, scores, passages)
        took.append(time.process_time() - began)
        named += bool(followed.titles)
        rows.append(
            [
                [found(question, within(passages, one, tokens)) for tokens in budgets]
                for one in (scores, followed.scores)
            ]
        )
    cells = []
    for place, tokens in enumerate(budgets):
        apart = [after[place] - before[place] for before, after in rows]
        draws = random.Random(0)
        means = sorted(mean(draws.choices(apart, k=len(apart))) for _ in range(2000))
        before, after = (mean(row[way][place] for row in rows) for way in (0, 1))
        interval = f"{mean(apart):+.3f} [{means[50]:+.3f}, {means[1949]:+.3f}]"
        cells.append(f"{tokens} tokens {before:.3f}, {after:.3f}, {interval}")
    head = f"{name} n {len(asked)}, {named} name a title, {1000 * median(took):.0f} ms"
    print(head, *cells, sep="; ", flush=True)


def main() -> None:
    """Measure each set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--skip", type=int, default=150)
    parser.add_argument("--limit", type=int, default=150)
    parser.add_argument("--tokens", nargs="+", type=int, default=[600, 1200])
    given = parser.parse_args()
    for name in given.sets:
        measure(given.data, name, given.skip, given.limit, given.tokens)


if __name__ == "__main__":
    main()
