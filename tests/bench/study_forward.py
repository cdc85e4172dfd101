"""Forward look-up against BM25 in recall@2/5/10, with paired bootstrap intervals.

    python tests/bench/study_forward.py draw QUESTIONS CORPUS RUN --model GGUF [--skip N --limit N]
    python tests/bench/study_forward.py score QUESTIONS CORPUS RUN [QUESTIONS CORPUS RUN …]

`draw` samples the look-ahead model once per question into RUN (resumable, kept outside the
project: it holds the model's words). `score` compares ways of ranking with those samples, over
the questions of all sets together.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any, get_args

import numpy as np

from engine.evaluation import metrics
from engine.evaluation.questions import Question, load_questions
from engine.generation.lookahead import Drawing, Form, Sample, look_ahead
from engine.prompts.tasks import TASKS, task_of
from engine.retrieval.corpus import Corpus, corpus_of
from engine.retrieval.passages import split
from engine.retrieval.recall import Recall, Scores, best_first
from engine.retrieval.selection import fit
from engine.strategies.fb_rag import FBRag
from ingest.item import Item
from ingest.reading.in_process import read
from models.llama.generator import load_llama

KS = (2, 5, 10)


def load(args: argparse.Namespace, questions: Path, corpus: Path) -> tuple[list[Question], Corpus]:
    """Return the chosen questions and the corpus they are asked over."""
    items = [found for found in read([corpus]) if isinstance(found, Item)]
    chosen = list(load_questions(questions))[args.skip : args.skip + args.limit]
    return chosen, corpus_of(split(items))


def draw(args: argparse.Namespace) -> None:
    """Sample the look-ahead model for every question that RUN does not hold yet."""
    questions_file, corpus_file, run = args.paths
    questions, corpus = load(args, questions_file, corpus_file)
    model = load_llama(args.model, args.model.stem)
    drawing = Drawing(args.samples, args.seed, args.form, args.temperature)
    done = {row["id"] for row in rows(run)}
    for question in questions:
        if question.id in done:
            continue
        began = time.monotonic()
        scores = corpus.recall.scores([question.text])[0]
        chosen = fit(corpus.passages, scores, args.tokens, model)
        stage_one = [corpus.passages[i] for i in chosen]
        task = TASKS[task_of(question.dataset)]
        steps = look_ahead(model, task, question.text, stage_one, drawing)
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
        with run.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row) + "\n")
        print(question.id, row["seconds"], flush=True)


def rows(run: Path) -> list[dict[str, Any]]:
    """Return the rows drawn so far."""
    return [json.loads(line) for line in run.read_text().splitlines()] if run.exists() else []


def variants(backward: Scores, forward: Scores) -> dict[str, Scores]:
    """Return one ranking score per way of combining: over samples, how joined, which weights."""
    found = {"BM25": backward}
    for over in ("max", "mean"):
        for eta in (0.0, 0.3, 0.5, 0.7):
            for fusion in ("sum", "normalised"):
                way = FBRag(eta, 1 - eta, over, fusion)  # type: ignore[arg-type]
                name = f"{over}, eta_B {eta}, {fusion}"
                found[name] = way.combine(backward, way.over(forward))
        way = FBRag(1, 1, over, "ranks")  # type: ignore[arg-type]
        found[f"{over}, ranks"] = way.combine(backward, way.over(forward))
    return found


def recalls(
    args: argparse.Namespace, questions_file: Path, corpus_file: Path, run: Path
) -> dict[str, list[list[float]]]:
    """Return recall@K of every variant for every question that RUN holds, shape (questions, Ks)."""
    questions, corpus = load(args, questions_file, corpus_file)
    drawn = {row["id"]: row for row in rows(run)}
    recall: Recall = corpus.recall
    table: dict[str, list[list[float]]] = {}
    for question in questions:
        if question.id not in drawn:
            continue
        samples = [Sample(*pair).text for pair in drawn[question.id]["samples"]]
        scores = recall.scores([question.text, *samples])
        for name, combined in variants(scores[0], scores[1:]).items():
            ranked = [corpus.passages[i] for i in best_first(combined)[: max(KS)]]
            table.setdefault(name, []).append(
                [metrics.recall_at(ranked, question.support, k) for k in KS]
            )
    print(f"{run.name}: {len(table['BM25'])} questions, {len(corpus.passages)} passages")
    return table


def score(args: argparse.Namespace) -> None:
    """Print mean recall of every variant and its paired difference to BM25."""
    table: dict[str, list[list[float]]] = {}
    for first in range(0, len(args.paths), 3):
        for name, values in recalls(args, *args.paths[first : first + 3]).items():
            table.setdefault(name, []).extend(values)
    base = np.array(table["BM25"])
    random = np.random.default_rng(0)
    draws = random.integers(0, len(base), size=(10_000, len(base)))
    for name, values in table.items():
        mean = np.array(values).mean(axis=0)
        difference = np.array(values) - base
        low, high = np.percentile(difference[draws].mean(axis=1), [2.5, 97.5], axis=0)
        columns = zip(mean, low, high, strict=True)
        cells = " ".join(f"{m:.3f} [{a:+.3f},{b:+.3f}]" for m, a, b in columns)
        print(f"{name:28} {mean.mean():.3f}  {cells}")


def main() -> None:
    """Run one of the two parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["draw", "score"])
    parser.add_argument("paths", type=Path, nargs="+", metavar="QUESTIONS CORPUS RUN")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--temperature", type=float, default=0.7)
    parser.add_argument("--form", choices=get_args(Form), default="reasoning")
    parser.add_argument("--tokens", type=int, default=1600, help="X")
    parser.add_argument("--samples", type=int, default=5, help="K")
    args = parser.parse_args()
    if len(args.paths) % 3 or (args.part == "draw" and len(args.paths) > 3):
        parser.error("paths come in threes: questions, corpus, run; draw takes one set")
    draw(args) if args.part == "draw" else score(args)


if __name__ == "__main__":
    main()
