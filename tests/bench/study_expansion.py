"""Whether other words find what a question's own do not: recall@5 with and without them.

    python tests/bench/study_expansion.py [--model ID] [--kind words]

Twenty questions of ours over forty notes of ours: ten in other languages, ten in other words than
the note that answers them. Prints what the rule decides, the words, and both ranks.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

from app.local_models.loader import model_set
from app.settings.config import load_config
from engine.question.expansion import expanded, unknown_words
from engine.retrieval.corpus import corpus_of
from engine.retrieval.passages import split
from engine.retrieval.recall import best_first
from engine.routes import routing
from ingest.item import Item, Kind, Locator, People

HERE = Path(__file__).parent
K = 5


def rows(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model")
    parser.add_argument("--kind", choices=["language", "words"])
    args = parser.parse_args()
    items = [
        Item(Kind.DOCUMENT, row["title"], None, People(), row["text"], Locator(Path(f"/{i}")))
        for i, row in enumerate(rows("expansion_notes.jsonl"))
    ]
    corpus = corpus_of(split(items))
    titles = [passage.item.title for passage in corpus.passages]
    model = model_set(load_config(os.environ), lookahead=args.model).lookahead
    hits: dict[str, list[tuple[bool, bool]]] = {}
    began = time.monotonic()
    for row in rows("expansion_questions.jsonl"):
        if args.kind not in (None, row["kind"]):
            continue
        words, unknown = unknown_words(row["question"], corpus)
        decided = routing.expand(unknown, words)
        more = expanded(model, row["question"], corpus.passages, 0) if decided.taken else ""
        ranks = []
        for text in (row["question"], f"{row['question']} {more}"):
            scores = corpus.recall.scores([text])[0]
            order = [titles[int(i)] for i in best_first(scores) if scores[i] > 0]
            ranks.append(order.index(row["support"]) + 1 if row["support"] in order else 0)
        hits.setdefault(row["kind"], []).append((0 < ranks[0] <= K, 0 < ranks[1] <= K))
        print(f"{row['id']:4} {decided.taken!s:5} rank {ranks[0]} -> {ranks[1]}  {more}")
    for kind, found in [*hits.items(), ("all", [one for some in hits.values() for one in some])]:
        before, after = (sum(one[i] for one in found) / len(found) for i in (0, 1))
        print(f"{kind}: recall@{K} {before:.2f} without, {after:.2f} with, {len(found)} questions")
    print(f"{time.monotonic() - began:.1f} s, {model.usage.prompt} prompt tokens")


if __name__ == "__main__":
    main()
