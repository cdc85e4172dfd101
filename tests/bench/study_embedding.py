"""Conditional embeddings against plain ones and BM25 in recall@2/5/10.

    python tests/bench/study_embedding.py draw QUESTIONS CORPUS RUN --model FOLDER
    python tests/bench/study_embedding.py score QUESTIONS CORPUS RUN [QUESTIONS CORPUS RUN ...]
        [--half odd|even]

`draw` encodes the best candidates of BM25 for each question and keeps numbers alone (resumable).
`score` compares ways of ranking with them over all sets named: each kind of cosine by itself and
joined with BM25 as `engine.retrieval.embedding.reranked` does, and with both stretched from 0 to 1.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from engine.evaluation import metrics
from engine.evaluation.questions import Question, load_questions
from engine.evaluation.significance import paired_difference
from engine.retrieval.corpus import Corpus, corpus_of
from engine.retrieval.embedding import best_candidates, reranked, similarity
from engine.retrieval.fusion import weighted_sum
from engine.retrieval.passages import split
from engine.retrieval.recall import Scores, best_first
from engine.values import Passage
from ingest.item import Item
from ingest.reading.in_process import read
from models.encoder import Encoder
from models.torch.loading import load_encoder

KS = (2, 5, 10)
WEIGHTS = (0.25, 0.35, 0.5, 0.65, 0.75, 1.0)


Table = dict[str, list[list[float]]]
"""Recall at each of `KS` by question, for each way of ranking."""


def load(args: argparse.Namespace, named: Path, path: Path) -> tuple[list[Question], Corpus]:
    """Return the chosen questions and the corpus they are asked over."""
    items = [found for found in read([path]) if isinstance(found, Item)]
    questions = [one for one in load_questions(named) if one.support]
    return questions[args.skip : args.skip + args.limit], corpus_of(split(items))


def kinds(encoder: Encoder, question: str, passages: list[Passage]) -> dict[str, Scores]:
    """Return the cosines of every kind, one value a passage.

    "conditioned" is what `engine.retrieval.embedding.conditioned_similarity` gives, without a
    second pass.
    """
    texts = [passage.searched for passage in passages]
    alone = encoder.encode_conditioned([("", question)]).vectors[0]
    apart = encoder.encode_conditioned([(question, text) for text in texts], separated=True)
    joined = encoder.encode_conditioned([(question, text) for text in texts])
    behind = encoder.encode_conditioned([(text[:1200], question) for text in texts])
    return {
        "plain": similarity(encoder, question, passages).cosines,
        "conditioned": joined.vectors @ alone,
        "conditioned, separated": apart.vectors @ alone,
        "question behind passage": behind.vectors @ alone,
        "both conditioned": (joined.vectors * behind.vectors).sum(axis=1),
    }


def draw(args: argparse.Namespace) -> None:
    """Encode the candidates of every question that RUN does not hold yet."""
    named, path, run = args.files
    questions, corpus = load(args, named, path)
    encoder = load_encoder(args.model, args.model.name, precision=args.precision)
    done = {row["id"] for row in rows(run)}
    for question in questions:
        if question.id in done:
            continue
        scores = corpus.recall.scores([question.text])[0]
        candidates = best_candidates(scores, args.candidates)
        began = time.monotonic()
        found = kinds(encoder, question.text, [corpus.passages[i] for i in candidates])
        row = {
            "id": question.id,
            "candidates": candidates,
            "seconds": round(time.monotonic() - began, 2),
            "kinds": {name: [round(float(c), 6) for c in by] for name, by in found.items()},
        }
        with run.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row) + "\n")
        print(question.id, row["seconds"], flush=True)


def rows(run: Path) -> list[dict[str, Any]]:
    """Return the rows drawn so far."""
    return [json.loads(line) for line in run.read_text().splitlines()] if run.exists() else []


def score(args: argparse.Namespace) -> None:
    """Print mean recall of every way of ranking and its paired difference to BM25."""
    table: Table = {}
    for named, path, run in zip(*[iter(args.files)] * 3, strict=True):
        questions, corpus = load(args, named, path)
        drawn = {row["id"]: row for row in rows(run)}
        start, step = {"odd": (0, 2), "even": (1, 2), "all": (0, 1)}[args.half]
        for question in [one for one in questions if one.id in drawn][start::step]:
            add(table, question, corpus, drawn[question.id])
    base = np.array(table["BM25"])
    print(f"{len(base)} questions ({args.half})")
    for name, values in table.items():
        cells = []
        for column, k in enumerate(KS):
            by = paired_difference(np.array(values)[:, column].tolist(), base[:, column].tolist())
            mean = np.array(values)[:, column].mean()
            cells.append(f"@{k} {mean:.3f} [{by.low:+.3f},{by.high:+.3f}]")
        print(f"{name:50} {' '.join(cells)}")


def add(table: Table, question: Question, corpus: Corpus, row: dict[str, Any]) -> None:
    """Add one question's recall by every way of ranking."""
    scores = corpus.recall.scores([question.text])[0]
    rankings = {"BM25": scores}
    by_kind = {name: np.array(by) for name, by in row["kinds"].items()}
    by_kind["plain and conditioned"] = (by_kind["plain"] + by_kind["conditioned"]) / 2
    found = scores[row["candidates"]]
    for name, by in by_kind.items():
        for weight in WEIGHTS:
            ranked = reranked(scores, row["candidates"], by, weight)
            rankings[f"{name}, weight {weight}"] = ranked
        stretched = np.zeros_like(scores)
        stretched[row["candidates"]] = weighted_sum([found, by], [0.5, 0.5], "range") + 1e-6
        rankings[f"{name}, both stretched, weight 0.5"] = stretched
    for name, ranking in rankings.items():
        best = [corpus.passages[i] for i in best_first(ranking)[: max(KS)]]
        found = [metrics.recall_at(best, question.support, k) for k in KS]
        table.setdefault(name, []).append(found)


def main() -> None:
    """Run one of the two parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["draw", "score"])
    parser.add_argument("files", type=Path, nargs="+", metavar="QUESTIONS CORPUS RUN")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--precision", choices=["float32", "bfloat16"], default="bfloat16")
    parser.add_argument("--candidates", type=int, default=50)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--half", choices=["odd", "even", "all"], default="all")
    args = parser.parse_args()
    if len(args.files) % 3 or (args.part == "draw" and len(args.files) > 3):
        parser.error("files come in threes: questions, corpus, run")
    draw(args) if args.part == "draw" else score(args)


if __name__ == "__main__":
    main()
