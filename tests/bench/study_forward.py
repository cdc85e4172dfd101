"""Forward look-up against BM25 in recall@2/5/10, with paired bootstrap intervals.

    python tests/bench/study_forward.py draw QUESTIONS CORPUS RUN --model GGUF [--skip N --limit N]
    python tests/bench/study_forward.py score QUESTIONS CORPUS RUN [--skip N --limit N]

`draw` samples the look-ahead model once per question into RUN (resumable, kept outside the
project: it holds the model's words). `score` compares ways of ranking with those samples.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.corpus import Corpus, corpus_of
from engine.evaluation import metrics
from engine.evaluation.data import Question, load_questions
from engine.fusion import reciprocal_ranks, weighted_sum
from engine.lookahead import Sample, look_ahead
from engine.passages import split
from engine.recall import Recall, Scores, best_first
from engine.selection import fit
from engine.settings import BUDGETS
from engine.strategies.fb_rag import FBRag
from ingest.item import Item
from ingest.read import read
from models.llama import load_llama

KS = (2, 5, 10)


def load(args: argparse.Namespace) -> tuple[list[Question], Corpus]:
    """Return the chosen questions and the corpus they are asked over."""
    items = [found for found in read([args.corpus]) if isinstance(found, Item)]
    questions = list(load_questions(args.questions))[args.skip : args.skip + args.limit]
    return questions, corpus_of(split(items))


def draw(args: argparse.Namespace) -> None:
    """Sample the look-ahead model for every question that RUN does not hold yet."""
    import engine.lookahead as module

    module.TEMPERATURE = args.temperature
    questions, corpus = load(args)
    model = load_llama(args.model, args.model.stem)
    budget = BUDGETS[args.effort]
    done = {row["id"] for row in rows(args.run)}
    for question in questions:
        if question.id in done:
            continue
        began = time.monotonic()
        scores = corpus.recall.scores([question.text])[0]
        chosen = fit(corpus.passages, scores, budget.lookahead_tokens, model)
        stage_one = [corpus.passages[i] for i in chosen]
        steps = look_ahead(model, question.text, stage_one, samples=budget.samples, seed=args.seed)
        try:
            while True:
                next(steps)
        except StopIteration as stop:
            samples: list[Sample] = stop.value
        row = {
            "id": question.id,
            "samples": [[s.rationale, s.answer] for s in samples],
            "passages": len(chosen),
            "seconds": round(time.monotonic() - began, 2),
        }
        with args.run.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row) + "\n")
        print(question.id, row["seconds"], flush=True)


def rows(run: Path) -> list[dict[str, Any]]:
    """Return the rows drawn so far."""
    return [json.loads(line) for line in run.read_text().splitlines()] if run.exists() else []


def variants(backward: Scores, forward: Scores) -> dict[str, Scores]:
    """Return one ranking score per way of combining."""
    both = [backward, forward.mean(axis=0)]
    paper = FBRag(backward=0.5, forward=0.5, over_samples="max")
    found = {
        "BM25": backward,
        "F (paper)": replace(paper, backward=0.0, forward=1.0).combine(backward, forward),
        "FB (paper)": paper.combine(backward, forward),
        "default": FBRag().combine(backward, forward),
        "FB mean normalised": weighted_sum(both, [0.5, 0.5], "maximum"),
        "rank fusion": reciprocal_ranks(both),
    }
    for over in ("max", "mean"):
        for eta in (0.0, 0.5, 0.7):
            way = FBRag(backward=eta, forward=1 - eta, over_samples=over)  # type: ignore[arg-type]
            found[f"{over}, eta_B {eta}"] = way.combine(backward, forward)
    return found


def score(args: argparse.Namespace) -> None:
    """Print mean recall of every variant and its paired difference to BM25."""
    questions, corpus = load(args)
    drawn = {row["id"]: row for row in rows(args.run)}
    recall: Recall = corpus.recall
    table: dict[str, list[list[float]]] = {}
    asked = [question for question in questions if question.id in drawn]
    for question in asked:
        samples = [Sample(*pair).text for pair in drawn[question.id]["samples"]]
        scores = recall.scores([question.text, *samples])
        for name, combined in variants(scores[0], scores[1:]).items():
            ranked = [corpus.passages[i] for i in best_first(combined)[: max(KS)]]
            table.setdefault(name, []).append(
                [metrics.recall_at(ranked, question.support, k) for k in KS]
            )
    print(f"{len(asked)} questions, {len(corpus.passages)} passages")
    seconds = [drawn[question.id]["seconds"] for question in asked]
    print(f"look-ahead {np.mean(seconds):.1f} s a question")
    base = np.array(table["BM25"])
    random = np.random.default_rng(0)
    draws = random.integers(0, len(asked), size=(10_000, len(asked)))
    for name, values in table.items():
        mean = np.array(values).mean(axis=0)
        difference = np.array(values) - base
        low, high = np.percentile(difference[draws].mean(axis=1), [2.5, 97.5], axis=0)
        columns = zip(mean, low, high, strict=True)
        cells = " ".join(f"{m:.3f} [{a:+.3f},{b:+.3f}]" for m, a, b in columns)
        print(f"{name:20} {cells}")


def main() -> None:
    """Run one of the two parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["draw", "score"])
    parser.add_argument("questions", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--temperature", type=float, default=0.7)
    parser.add_argument("--effort", default="balanced")
    args = parser.parse_args()
    draw(args) if args.part == "draw" else score(args)


if __name__ == "__main__":
    main()
