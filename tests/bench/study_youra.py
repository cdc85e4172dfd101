"""YOURA measured: alignment, layers, answers at equal budgets, and what a pass costs.

    python tests/bench/study_youra.py align TEXTS... [--gguf FILE...] [--passages 200]
    python tests/bench/study_youra.py layers QUESTIONS CORPUS RUN --model GGUF [--limit N]
    python tests/bench/study_youra.py best RUN...
    python tests/bench/study_youra.py compare QUESTIONS CORPUS RUN --model GGUF --generator GGUF \
        --encoder FOLDER
    python tests/bench/study_youra.py cost --model GGUF --tokens N

`align` prints match rates and edit distances of EASY and of the exact alignment (tables 4 and 5).
`layers` keeps recall of gold evidence by layer; `best` chooses a layer on one half of the questions
of such runs and says what it finds on the other. `compare` answers with YOURA and with what the
paper compares it to. `cost` times one pass against two and says the peak memory of its process.
RUN holds ids and numbers, no text, and is resumed; it is kept outside the project.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np

from engine.alignment import Encoding, Fit, between, easy, exact, fit, targets
from engine.answer import answer_over
from engine.attending import QUERY, Way, windows
from engine.compression import Sentence, sentences_of
from engine.corpus import corpus_of
from engine.evaluation import metrics
from engine.evaluation.data import Question, load_questions
from engine.events import Answered, Selected
from engine.overlap import normalise
from engine.passages import split
from engine.reaction import Mean, Measure, sentence_scores, token_scores, tokens_of
from engine.recall import Recall, Scores, best_first
from engine.sentences import sentence_spans
from engine.settings import PROMPT_TOKENS, Budget, Settings
from engine.strategies.youra import DEPTH
from engine.tasks import TASKS, task_of
from engine.values import Passage, Query
from ingest.item import Item
from ingest.read import read
from models.catalogue import load_catalogue
from models.llama import load_llama
from models.llama_api import LlamaModel
from models.llama_attention import LlamaAttentionReader, load_llama_attention
from models.llama_library import self_test
from models.protocols import AttentionColumns
from models.roles import ModelSet
from models.torch_loading import load_encoder

TOGETHER = 10
"""Passages in a text that is aligned: documents of several, as in the paper."""
TRAINED = 8_000
"""Tokens of the vocabularies trained here."""
BEST = 0.2
"""Share of the sentences among which one that holds an answer is looked for."""
Rows = list[dict[str, Any]]


def align(args: argparse.Namespace) -> None:
    """Print match rate, edits a sentence, edits a missed sentence for each tokenizer and text."""
    texts = {file.stem: texts_of(file, args.passages) for file in args.texts}
    for name, encode in tokenizers(args.gguf, [t for some in texts.values() for t in some]):
        for stem, some in texts.items():
            by_easy = by_offsets = Fit(0, 0, 0)
            for text in some:
                encoding, places = encode(text), sentence_spans(text)
                sentences = targets(text, places)
                by_easy += fit(between(encoding, easy(encoding, sentences)), sentences)
                by_offsets += fit(exact(encoding, text, places), sentences)
            cells = [
                f"{one.match_rate:.4f} {one.mean_distance:6.3f} {one.mean_distance_unmatched:6.3f}"
                for one in (by_easy, by_offsets)
            ]
            print(f"{name:28} {stem:18} {by_easy.sentences:5}  EASY {cells[0]}  exact {cells[1]}")


def texts_of(file: Path, passages: int) -> list[str]:
    """Return a file's first passages, some together in a text."""
    with file.open(encoding="utf-8") as stream:
        some = [json.loads(line)["text"] for _, line in zip(range(passages), stream, strict=False)]
    return ["\n".join(some[i : i + TOGETHER]) for i in range(0, len(some), TOGETHER)]


def tokenizers(
    files: Sequence[Path], texts: Sequence[str]
) -> Iterator[tuple[str, Callable[[str], Encoding]]]:
    """Yield two tokenizers trained on the texts, then those of the model files."""
    from tests.toy_tokenizers import byte_level, unigram

    yield "byte-level BPE, trained", byte_level(texts, TRAINED)
    yield "unigram, trained", unigram(texts, TRAINED)
    self_test()
    for file in files:
        model = LlamaModel(file, gpu_layers=0)

        def encode(text: str, model: LlamaModel = model) -> Encoding:
            pieces = [model.piece(token) for token in model.tokenize(text, special=False)]
            return Encoding(pieces, lambda part: len(model.tokenize(part, special=False)))

        yield file.stem[:28], encode
        model.close()


def asked(args: argparse.Namespace) -> Iterator[tuple[Question, list[Passage]]]:
    """Yield the questions that have gold evidence, and the passages they are asked over.

    Those are the question's own set, or everything where it has none: the gold ones and the best
    others by BM25, at most `--passages` in all, as they stand in the corpus.
    """
    corpus = corpus_of(split(found for found in read([args.corpus]) if isinstance(found, Item)))
    questions = [one for one in load_questions(args.questions) if one.support]
    for question in questions[args.skip : args.skip + args.limit]:
        own = question.is_candidate if question.candidates else question.in_scope
        numbers = [i for i, one in enumerate(corpus.passages) if own(one.item)]
        best = best_first(corpus.recall.scores([question.text])[0]).tolist()
        order = [i for i in best if i in set(numbers)] if numbers else best
        gold = [
            i for i in order if any(one.held_by(corpus.passages[i]) for one in question.support)
        ]
        kept = [*gold, *(i for i in order if i not in set(gold))][: args.passages]
        yield question, [corpus.passages[i] for i in sorted(kept)]


def rows(run: Path) -> Rows:
    """Return the rows there are."""
    return [json.loads(line) for line in run.read_text().splitlines()] if run.exists() else []


def add(run: Path, row: dict[str, Any]) -> None:
    """Write a row behind the others."""
    with run.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(row) + "\n")


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
    room = reader.context - reader.count(query) - 16
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


def compare(args: argparse.Namespace) -> None:
    """Answer each question in every arm within the same tokens; then print the means."""
    models = loaded(args)
    done = {(row["id"], row["arm"], row["budget"]) for row in rows(args.run)}
    arms = {name: arm for name, arm in ARMS.items() if args.encoder or "encoder" not in name}
    for question, passages in asked(args):
        for name, (strategy, size) in arms.items():
            if (question.id, name, args.budget) not in done and passages:
                pieces = chunks(passages, size, models.generator.count) if size else passages
                row = {"id": question.id, "arm": name, "budget": args.budget}
                add(args.run, row | answered(question, pieces, strategy, models, args.budget))
                print(question.id, name, flush=True)
    kept = [row for row in rows(args.run) if row["budget"] == args.budget]
    for name in arms:
        arm = [row for row in kept if row["arm"] == name]
        if not arm:
            continue
        means = {key: np.mean([row[key] for row in arm]) for key in MEANS}
        print(f"{name:16} {len(arm):4}", *(f"{key} {value:.3f}" for key, value in means.items()))


ARMS = {
    "youra": ("youra:share=1", 0),
    "youra geometric": ("youra:share=1,mean=geometric", 0),
    "youra query": ("youra:share=1,by=query", 0),
    "BM25 sentences": ("youra:share=1,by=bm25", 0),
    "BM25 50": ("order_preserving", 50),
    "BM25 500": ("order_preserving", 500),
    "encoder 50": ("ce_filter:weight=1,candidates=1000", 50),
    "encoder 500": ("ce_filter:weight=1,candidates=1000", 500),
    "truncate middle": ("truncate_middle", 50),
}
"""Strategy, and about how many tokens a passage has (0: as it is)."""
MEANS = ("f1", "exact_match", "ratio", "prompt", "lookahead", "seconds", "write_seconds")


def loaded(args: argparse.Namespace) -> ModelSet:
    """Return the reading model and the generator."""
    files = {"reader": args.model, "generator": args.generator}
    measured = [(row.file, row.reaction_layer or None) for row in load_catalogue().rows]
    return ModelSet(
        "reader",
        "generator",
        lambda name: load_llama(files[name], name, context=args.context),
        encoder="encoder" if args.encoder else None,
        load_encoder=lambda name: load_encoder(args.encoder, name),
        load_attention=lambda name: load_llama_attention(files[name], name, context=args.context),
        reaction_layer=next((layer for file, layer in measured if file == args.model.name), None),
    )


def chunks(passages: Sequence[Passage], tokens: int, count: Callable[[str], int]) -> list[Passage]:
    """Return the passages cut into pieces of about so many tokens, between words."""
    found = []
    for passage in passages:
        words = passage.text.split()
        size = max(1, round(len(words) * tokens / max(1, count(passage.text))))
        at = passage.start
        for first in range(0, len(words), size):
            begin = passage.item.text.index(words[first], at)
            at = begin
            for word in words[first : first + size]:
                at = passage.item.text.index(word, at) + len(word)
            found.append(Passage(passage.item, begin, at))
    return found


def answered(
    question: Question, passages: Sequence[Passage], strategy: str, models: ModelSet, budget: int
) -> dict[str, Any]:
    """Return the scores and costs of one answer."""
    query = Query(question.text, task=task_of(question.dataset))
    room = PROMPT_TOKENS + models.generator.count(question.text) + TASKS[query.task].answer_tokens
    limits = Budget(10**6, budget, 1, 0, 0, window=budget + room)
    kept, last = 0, None
    settings = Settings(strategy=strategy, budget=limits, least_confidence=0.0)
    for event in answer_over(query, corpus_of(passages), models, settings):
        if isinstance(event, Selected) and event.stage == "write":
            kept = sum(models.generator.count(one.text) for one in event.kept)
        last = event
    assert isinstance(last, Answered)
    answer = last.answer
    whole = sum(models.generator.count(passage.text) for passage in passages)
    return {
        "f1": metrics.token_f1(answer.raw, question.answers),
        "exact_match": metrics.exact_match(answer.raw, question.answers),
        "ratio": whole / max(1, kept),
        "prompt": answer.usage.generator.prompt,
        "lookahead": answer.usage.lookahead.prompt,
        "seconds": answer.timings["total"],
        "write_seconds": answer.timings.get("write", 0.0),
        "strategy": answer.strategy,
    }


def cost(args: argparse.Namespace) -> None:
    """Time one pass over context and query against a pass over each of C and C·Q."""
    reader = load_llama_attention(args.model, args.model.stem, context=args.tokens + 64)
    layer = round(args.depth * (reader.layers - 1))
    text = "The lease of the boathouse was signed by Berta Lindqvist in Harlow. "
    context = text * (args.tokens // reader.count(text))
    tokens = reader._model.tokenize(context, special=False)
    query = QUERY.format("Who signed the lease?")
    one, two = [], []
    for _ in range(args.repeats):
        began = time.monotonic()
        reader.read(context, query, layers=[layer])
        one.append(time.monotonic() - began)
        began = time.monotonic()
        reader._sums(tokens, len(tokens), [layer], None)
        two.append(one[-1] + time.monotonic() - began)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{len(tokens)} tokens, layer {layer} of {reader.layers}: one pass {min(one):.2f} s, "
        f"two {min(two):.2f} s, ratio {min(one) / min(two):.3f}; peak {peak} MB"
    )


def main() -> None:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parts = parser.add_subparsers(dest="part", required=True)
    part = parts.add_parser("align")
    part.add_argument("texts", type=Path, nargs="+")
    part.add_argument("--gguf", type=Path, nargs="*", default=[])
    part.add_argument("--passages", type=int, default=200)
    for name in ("layers", "compare"):
        part = parts.add_parser(name)
        part.add_argument("questions", type=Path)
        part.add_argument("corpus", type=Path)
        part.add_argument("run", type=Path)
        part.add_argument("--model", type=Path, required=True)
        part.add_argument("--generator", type=Path)
        part.add_argument("--encoder", type=Path, help="folder; without it two arms are left out")
        part.add_argument("--context", type=int, default=4096)
        part.add_argument("--passages", type=int, default=10)
        part.add_argument("--budget", type=int, default=600, help="Y")
        part.add_argument("--skip", type=int, default=0)
        part.add_argument("--limit", type=int, default=30)
    parts.add_parser("best").add_argument("runs", type=Path, nargs="+")
    part = parts.add_parser("cost")
    part.add_argument("--model", type=Path, required=True)
    part.add_argument("--tokens", type=int, default=2048)
    part.add_argument("--depth", type=float, default=0.6)
    part.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    {"align": align, "layers": layers, "best": best, "compare": compare, "cost": cost}[args.part](
        args
    )


if __name__ == "__main__":
    main()
