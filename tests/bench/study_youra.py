"""YOURA measured: layers, answers at equal budgets, and what a pass costs.

    python tests/bench/study_youra.py layers QUESTIONS CORPUS RUN --model GGUF [--limit N]
    python tests/bench/study_youra.py best RUN...
    python tests/bench/study_youra.py compare QUESTIONS CORPUS RUN --model GGUF --generator GGUF \
        --encoder FOLDER [--arms ARM...] [--limit N]
    python tests/bench/study_youra.py pool RUN... [--against ARM]
    python tests/bench/study_youra.py cost --model FILE --tokens 2048,4096 [--runtime transformers]
    python tests/bench/study_youra.py prefill --model GGUF --tokens 1024

`layers` keeps recall of gold evidence by layer; `best` chooses a layer on one half of the questions
of such runs and says what it finds on the other. `compare` answers with YOURA, with what the paper
compares it to, and over everything; `pool` joins runs of it. `cost` times one pass against two and
says the peak memory; `prefill` says what it costs to read along while samples are drawn. RUN holds
ids and numbers, no text, and is resumed; it is kept outside the project.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import numpy as np

from engine.attention.compression import Sentence, sentences_of
from engine.attention.reaction import Mean, Measure, sentence_scores, token_scores, tokens_of
from engine.attention.sentence_attention import MARGIN, QUERY, Way, windows
from engine.evaluation import metrics
from engine.evaluation.questions import Question
from engine.language.overlap import normalise
from engine.retrieval.recall import Recall, Scores, best_first
from engine.strategies.youra import DEPTH
from engine.values import Passage
from models.llama.attention import LlamaAttentionReader, load_llama_attention
from models.protocols import AttentionColumns
from tests.bench.youra_answers import ARMS, compare, pool
from tests.bench.youra_cost import cost, prefill
from tests.bench.youra_runs import Rows, add, asked, rows

BEST = 0.2
"""Share of the sentences among which one that holds an answer is looked for."""


def layers(args: argparse.Namespace) -> None:
    """Score each question's sentences by every layer, all in one pass; then print the means."""
    reader = load_llama_attention(args.model, args.model.stem, context=args.context)
    done = {row["id"] for row in rows(args.run)}
    for question, passages in asked(args):
        if question.id in done or not passages:
            continue
        began = time.monotonic()
        sentences = sentences_of(passages)
        scored = by_layer(reader, passages, sentences, question.text)
        recall = Recall(one.place.searched for one in sentences)
        scored["BM25"] = recall.scores([question.text])[:1]
        found = {
            name: evidence(question, passages, sentences, scores) for name, scores in scored.items()
        }
        seconds = round(time.monotonic() - began, 2)
        add(args.run, {"id": question.id, "seconds": seconds, **found})
        print(question.id, seconds, flush=True)


def best(args: argparse.Namespace) -> None:
    """Choose a layer on each half of the questions of all runs; print what it finds on the other.

    By the mean of both recalls. The runs are of one model.
    """
    kept = sorted((row for run in args.runs for row in rows(run)), key=lambda row: str(row["id"]))
    print(f"{len(kept)} questions; gold passages recalled, answer in the best {BEST:.0%}")
    for name in (n for n in kept[0] if n not in ("id", "seconds")):
        means = [both_recalls(kept[i::2], name) for i in range(2)]
        whole = both_recalls(kept, name)
        guess = round(DEPTH * (whole.shape[1] - 1))
        print(f"{name}: all questions", *(f"{a:.2f}/{b:.2f}" for a, b in whole.T))
        for i, found in enumerate(means):
            layer = found.mean(axis=0).argmax()
            other = means[1 - i]
            print(
                f"  chosen on half {i}: layer {layer}, on the other half "
                f"{other[0, layer]:.2f}/{other[1, layer]:.2f}; "
                f"layer {guess} there {other[0, guess]:.2f}/{other[1, guess]:.2f}"
            )
        print(f"  chosen on all: layer {whole.mean(axis=0).argmax()}")


def both_recalls(kept: Rows, name: str) -> Scores:
    """Return mean recall of gold passages and of sentences that answer; shape (2, layers)."""
    columns = [[row[name][i] for row in kept if row[name][i] is not None] for i in range(2)]
    return np.array([np.mean(column, axis=0) for column in columns])


def by_layer(
    reader: LlamaAttentionReader,
    passages: Sequence[Passage],
    sentences: Sequence[Sentence],
    question: str,
) -> dict[str, Scores]:
    """Return scores of shape (layers, sentences) for each measure and mean."""
    query = QUERY.format(question)
    ways = [Way((), mean, measure) for measure in get_args(Measure) for mean in get_args(Mean)]
    shape = (reader.layers, len(sentences))
    found = {f"{way.measure} {way.mean}": np.zeros(shape) for way in ways}
    room = reader.context - reader.count(query) - MARGIN
    for window in windows(passages, sentences, reader.count, room):
        columns = reader.read(window.text, query, layers=range(reader.layers))
        tokens = tokens_of(columns.spans, window.places)
        for layer in columns.layers:
            for way in ways:
                vector = token_scores(one_layer(columns, layer), way.measure)
                scores = sentence_scores(vector, tokens, way.mean)
                found[f"{way.measure} {way.mean}"][layer, window.sentences] = scores
    return found


def one_layer(columns: AttentionColumns, layer: int) -> AttentionColumns:
    """Return the columns of one layer alone."""
    part = slice(layer, layer + 1)
    return AttentionColumns(
        (layer,),
        columns.context_sums[part],
        columns.query_sums[part],
        columns.query_tokens,
        columns.spans,
    )


def evidence(
    question: Question, passages: Sequence[Passage], sentences: Sequence[Sentence], scores: Scores
) -> tuple[list[float], list[float] | None]:
    """Return, by layer, the gold passages among as many best ones, and whether an answer is near.

    A passage ranks by its best sentence. None where no sentence holds an answer literally.
    """
    golds = [normalise(answer) for answer in question.answers if normalise(answer)]
    holding = [
        i for i, s in enumerate(sentences) if any(g in normalise(s.place.text) for g in golds)
    ]
    recalled, near = [], []
    for row in scores:
        best = np.full(len(passages), -np.inf)
        np.maximum.at(best, [s.number for s in sentences], row)
        ranked = [passages[i] for i in best_first(best)]
        recalled.append(metrics.recall_at(ranked, question.support, len(question.support)))
        top = set(best_first(row)[: max(1, round(BEST * len(sentences)))].tolist())
        near.append(float(any(i in top for i in holding)))
    return recalled, near if holding else None


def main() -> None:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parts = parser.add_subparsers(dest="part", required=True)
    for name in ("layers", "compare"):
        part = parts.add_parser(name)
        part.add_argument("questions", type=Path)
        part.add_argument("corpus", type=Path)
        part.add_argument("run", type=Path)
        part.add_argument("--model", type=Path, required=True)
        part.add_argument("--context", type=int, default=4096)
        part.add_argument("--passages", type=int, default=10)
        part.add_argument("--skip", type=int, default=0)
        part.add_argument("--limit", type=int, default=30, help="0 prints what there is")
    part.add_argument("--generator", type=Path, help="the same file as --model where none is given")
    part.add_argument("--encoder", type=Path, help="weights; without them two arms are left out")
    part.add_argument("--budget", type=int, default=600, help="Y")
    part.add_argument("--samples", type=int, default=3, help="K")
    part.add_argument("--arms", nargs="+", choices=ARMS, metavar="ARM", help=", ".join(ARMS))
    part.add_argument("--against", choices=ARMS, default="youra", metavar="ARM")
    parts.add_parser("best").add_argument("runs", type=Path, nargs="+")
    part = parts.add_parser("pool")
    part.add_argument("runs", type=Path, nargs="+")
    part.add_argument("--against", choices=ARMS, default="youra", metavar="ARM")
    for name in ("cost", "prefill"):
        part = parts.add_parser(name)
        part.add_argument("--model", type=Path, required=True)
        part.add_argument("--tokens", type=numbers, default=[2048], help="several behind commas")
        part.add_argument("--depth", type=float, default=0.0, help="0: the stored layer, or 0.6")
        part.add_argument("--repeats", type=int, default=5, help="0: peak memory alone")
        if name == "cost":
            part.add_argument("--runtime", choices=("llama", "transformers"), default="llama")
    args = parser.parse_args()
    PARTS[args.part](args)


def numbers(text: str) -> list[int]:
    """Return numbers that are parted by commas."""
    return [int(part) for part in text.split(",")]


PARTS = {
    "layers": layers,
    "best": best,
    "compare": compare,
    "pool": pool,
    "cost": cost,
    "prefill": prefill,
}


if __name__ == "__main__":
    main()
