"""Answers over the best sentences, over other choices of as many tokens, and over everything."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from engine.answer import answer
from engine.evaluation import metrics
from engine.evaluation.questions import Question
from engine.evaluation.significance import paired_difference
from engine.events import Answered, Selected, Stage
from engine.prompts.tasks import TASKS, task_of
from engine.retrieval.corpus import corpus_of
from engine.settings import PROMPT_TOKENS, Budget, Settings
from engine.values import Passage, Query
from models.errors import AskanceError
from models.llama.attention import load_llama_attention
from models.llama.generator import load_llama
from models.roles import ModelSet
from models.torch.loading import load_encoder
from tests.bench.youra_runs import Rows, add, asked, rows, stored_layer

WHOLE = "whole"
ARMS = {
    WHOLE: ("long_context", 0),
    "youra": ("youra:by=reaction,share=1", 0),
    "youra geometric": ("youra:by=reaction,share=1,mean=geometric", 0),
    "youra query": ("youra:share=1", 0),
    "BM25 sentences": ("youra:share=1,by=bm25", 0),
    "BM25 50": ("order_preserving", 50),
    "BM25 500": ("order_preserving", 500),
    "encoder 50": ("ce_filter:weight=1,candidates=1000", 50),
    "encoder 500": ("ce_filter:weight=1,candidates=1000", 500),
    "truncate middle": ("truncate_middle", 50),
    "fb_rag": ("fb_rag", 0),
    "fb_rag normalised": ("fb_rag:fusion=normalised", 0),
    "fb_rag reaction": ("fb_rag:reaction=0.3", 0),
    "fb_rag youra": ("fb_rag+youra:by=reaction,share=0.5", 0),
    "fb_rag youra query": ("fb_rag+youra:share=0.5", 0),
}
"""Strategy, and about how many tokens a passage has (0: as it is)."""
MEANS = ("f1", "exact_match", "ratio", "prompt", "lookahead", "seconds", "write_seconds")


def compare(args: argparse.Namespace) -> None:
    """Answer each question in every arm within the same tokens; then print the means.

    The arm without a choice reads everything there is. What looks ahead draws `--samples`.
    """
    models = loaded(args)
    done = {(row["id"], row["arm"], row["budget"]) for row in rows(args.run)}
    names = args.arms or [name for name in ARMS if args.encoder or "encoder" not in name]
    arms = {name: ARMS[name] for name in names}
    for question, passages in asked(args) if args.limit else ():
        for name, (strategy, size) in arms.items():
            if (question.id, name, args.budget) in done or not passages:
                continue
            pieces = chunks(passages, size, models.generator.count) if size else passages
            try:
                found = answered(question, pieces, strategy, models, budget_of(name, args))
            except AskanceError as error:
                print(question.id, name, error.message, flush=True)
                continue
            add(args.run, {"id": question.id, "arm": name, "budget": args.budget} | found)
            print(question.id, name, round(found["seconds"], 1), flush=True)
    models.close()
    shown([row for row in rows(args.run) if row["budget"] == args.budget], arms, args.against)


def pool(args: argparse.Namespace) -> None:
    """Print the means over the questions of several runs: of all, and of every other one."""
    runs = [rows(run) for run in args.runs]
    halves = {"all": slice(None), "even": slice(0, None, 2), "odd": slice(1, None, 2)}
    for half, part in halves.items():
        print(f"{half} questions")
        kept = {one for run in runs for one in list(dict.fromkeys(row["id"] for row in run))[part]}
        shown([row for run in runs for row in run if row["id"] in kept], ARMS, args.against)


def budget_of(name: str, args: argparse.Namespace) -> Budget:
    """Return the tokens of an arm: what looks ahead reads one prompt, attention reads windows."""
    ahead = args.context // 2 if name.startswith("fb_rag") else 10**6
    window = None if name == WHOLE else args.budget
    return Budget(ahead, args.budget, args.samples, 0, 0, window=window)


def shown(kept: Rows, arms: Sequence[str] | dict[str, Any], against: str) -> None:
    """Print each arm's means, its throughput, and how much better it answers than one of them."""
    of = {name: {row["id"]: row for row in kept if row["arm"] == name} for name in arms}
    for name, arm in of.items():
        if not arm:
            continue
        means = {key: np.mean([row[key] for row in arm.values()]) for key in MEANS}
        writing = max(1e-9, sum(row["write_seconds"] for row in arm.values()))
        handled = sum(row["prompt"] + row["generated"] for row in arm.values())
        cells = [f"{key} {value:.3f}" for key, value in means.items()]
        cells.append(f"generator: {handled / writing:.1f} tokens/s, ")
        cells[-1] += f"{60 * len(arm) / writing:.1f} answers/min"
        both = sorted(arm.keys() & of.get(against, {}).keys())
        if both and name != against:
            pair = ([of[one][i]["f1"] for i in both] for one in (name, against))
            less = paired_difference(*pair)
            interval = f"{less.mean:+.3f} [{less.low:+.3f}, {less.high:+.3f}]"
            cells.append(f"F1 less {against}'s {interval} ({len(both)})")
        print(f"{name:18} {len(arm):4}", *cells)


def loaded(args: argparse.Namespace) -> ModelSet:
    """Return the reading model and the generator; one file may be both."""
    files = {"reader": args.model, "generator": args.generator or args.model}
    load = partial(load_llama, context=args.context)
    return ModelSet(
        "reader",
        "generator",
        lambda name: load(files[name], name),
        encoder="encoder" if args.encoder else None,
        load_encoder=lambda name: load_encoder(args.encoder, name),
        load_attention=lambda name: load_llama_attention(files[name], name, context=args.context),
        load_attentive=lambda name: load(files[name], name, attentive=True),
        reaction_layer=stored_layer(args.model),
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
    question: Question,
    passages: Sequence[Passage],
    strategy: str,
    models: ModelSet,
    budget: Budget,
) -> dict[str, Any]:
    """Return the scores and costs of one answer; loading a model is not part of its time.

    The generator's time is what passes between the choice of what it reads and its last token.
    """
    query = Query(question.text, task=task_of(question.dataset))
    count = models.generator.count
    room = PROMPT_TOKENS + count(question.text) + TASKS[query.task].answer_tokens
    if budget.window is not None:
        budget = replace(budget, window=budget.window + room)
    kept, last, before = 0, None, len(models.loadings)
    began = ended = 0.0
    settings = Settings(strategy=strategy, budget=budget, least_confidence=0.0)
    for event in answer(query, corpus_of(passages), models, settings):
        if isinstance(event, Selected) and event.stage == "write":
            kept, began = sum(count(one.text) for one in event.kept), time.monotonic()
        if isinstance(event, Stage) and (event.name, event.state) == ("write", "done"):
            ended = time.monotonic()
        last = event
    assert isinstance(last, Answered)
    found = last.answer
    loading = sum(one.seconds for one in models.loadings[before:])
    return {
        "f1": metrics.token_f1(found.raw, question.answers),
        "exact_match": metrics.exact_match(found.raw, question.answers),
        "ratio": sum(count(passage.text) for passage in passages) / max(1, kept),
        "kept": kept,
        "prompt": found.usage.generator.prompt,
        "generated": found.usage.generator.generated,
        "lookahead": found.usage.lookahead.prompt,
        "seconds": found.timings["total"] - loading,
        "write_seconds": max(0.0, ended - began),
        "strategy": found.strategy,
    }
