"""The default beside a plain arm: the same questions, the same model, in turn.

    study_default.py record DATA OUT.jsonl --sets hotpotqa nq locomo qasper enron_annotated
    study_default.py table OUT.jsonl [MORE.jsonl] [--least 0.2] [--arm quick]

The plain arm is BM25's best passages of 300 words within 1,200 tokens, in document order, behind
the brief prompt of the data sets. The default is `auto` at `balanced`. All ask a person's question
over all of a set's corpus. Rows hold set, id, scores, tokens and seconds, and no text; a file goes
on where it ended. `--arms` names what is asked: these two, an effort, or a fixed strategy. Arms of
the same question are joined over files; `--arm` sets another one than the default beside the plain
one. `--cut` asks all other arms over passages of so many words and characters.
With `--least`, answers of at least this confidence count as shown.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

from question_sets import add_choice, file_of, over, questions_of, rows_of

import engine.retrieval.passages as cutting
from app.local_models.loader import model_set
from app.settings.config import load_config
from engine.answer import answer
from engine.comparison.asked import comparison_of
from engine.confidence.fit import quality
from engine.evaluation import metrics
from engine.evaluation.corpora import CorpusReader
from engine.evaluation.questions import Question
from engine.evaluation.scores import _without_markers
from engine.events import Answered, Decided, Token
from engine.retrieval.corpus import Corpus
from engine.settings import BUDGETS, Budget, Settings
from engine.values import Answer, Query
from models.roles import ModelSet

PLAIN = Settings(
    strategy="order_preserving",
    budget=Budget(1500, 1200, 5, lookahead_share=0.0, generator_share=0.0),
)
PLAIN_CUT = (300, 2000)
CUT = (cutting.MAX_WORDS, cutting.MAX_CHARACTERS)


def corpus_of(file: Path, over: Sequence[Path], cut: tuple[int, int], first: Question) -> Corpus:
    """Return the corpus of a set, cut into passages of so many words and characters."""
    cutting.MAX_WORDS, cutting.MAX_CHARACTERS = cut
    try:
        corpus = CorpusReader(file, over, Settings()).corpus_for(first).corpus
    finally:
        cutting.MAX_WORDS, cutting.MAX_CHARACTERS = CUT
    if cut == PLAIN_CUT:
        corpus.recall.least_average = 0
    return corpus


def record(given: argparse.Namespace) -> None:
    """Ask each question in both ways, as far as `out` does not hold it yet."""
    models = model_set(load_config(os.environ), generator=given.generator)
    asked: dict[str, list[Question]] = {}
    corpora: dict[str, tuple[Corpus, Corpus]] = {}
    for name in given.sets:
        file, paths = file_of(given.data, name), over(given.data, name)
        chosen = questions_of(given.data, name, given.skip, given.limit)
        first = chosen[0]
        asked[name] = [one for one in chosen if not given.comparing or comparison_of(one.text)]
        corpora[name] = (
            corpus_of(file, paths, tuple(given.cut), first),
            corpus_of(file, paths, PLAIN_CUT, first),
        )
    known = {(row["set"], row["id"]) for row in rows_of([given.out])}
    with given.out.open("a") as stream:
        for turn in range(given.limit):
            for name in given.sets:
                if turn >= len(asked[name]) or (name, asked[name][turn].id) in known:
                    continue
                question, (small, large) = asked[name][turn], corpora[name]
                arms = {
                    arm: one(question, Query(question.text, task="multihop"), large, models, PLAIN)
                    if arm == "plain"
                    else one(question, Query(question.text), small, models, settings_of(arm))
                    for arm in given.arms
                }
                row = {"set": name, "id": question.id, "unanswerable": question.unanswerable}
                stream.write(json.dumps(row | arms) + "\n")
                stream.flush()


def settings_of(arm: str) -> Settings:
    """Return the settings of the default, of an effort, or of a fixed strategy."""
    if arm == "default":
        return Settings()
    return Settings(effort=arm) if arm in BUDGETS else Settings(strategy=arm)


def one(
    question: Question, query: Query, corpus: Corpus, models: ModelSet, settings: Settings
) -> dict[str, Any]:
    """Return the scores of one answer, its tokens, and the seconds to its first word and end."""
    began, first = time.perf_counter(), None
    taken: list[str] = []
    found: Answer | None = None
    for event in answer(query, corpus, models, settings):
        if isinstance(event, Token) and first is None:
            first = time.perf_counter() - began
        elif isinstance(event, Decided) and event.taken:
            taken.append(event.stage)
        elif isinstance(event, Answered):
            found = event.answer
    seconds = time.perf_counter() - began
    if found is None:
        raise RuntimeError("answer ended without an answer")
    personal = query.task == "question"
    said = _without_markers(found.text) if personal else found.raw
    given = "" if personal and found.certainty == "none" else said
    raw = found.raw if found.raw else said
    golds = () if question.unanswerable else question.answers
    return {
        "substring": metrics.substring_match(given, golds),
        "f1": round(metrics.token_f1(given, golds), 3),
        "raw_substring": metrics.substring_match(raw, golds),
        "raw_f1": round(metrics.token_f1(raw, golds), 3),
        "certainty": found.certainty,
        "confidence": found.confidence,
        "signals": found.signals,
        "grounded": found.grounded,
        "taken": taken,
        "tokens": found.usage.effective_context,
        "computed": found.usage.lookahead.computed + found.usage.generator.computed,
        "first": round(first if first is not None else seconds, 2),
        "seconds": round(seconds, 2),
    }


def table(files: Sequence[Path], least: float | None, arm: str) -> None:
    """Print a block for each set, and one for all, of the questions asked in both ways."""
    joined: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows_of(files):
        joined.setdefault((row["set"], row["id"]), {}).update(row)
    both = [row | {"default": row[arm]} for row in joined.values() if {"plain", arm} <= row.keys()]
    rows = [shown_from(row, least) for row in both]
    for name in [*dict.fromkeys(row["set"] for row in rows), "all"]:
        own = [row for row in rows if name in (row["set"], "all")]
        print(name, *lines(own), sep="\n  ")


def shown_from(row: dict[str, Any], least: float | None) -> dict[str, Any]:
    """Return a row as if an answer of this confidence had been shown; None leaves it."""
    own = row["default"]
    if least is None or own["certainty"] != "none" or (own["confidence"] or 0.0) < least:
        return row
    said = {"substring": own["raw_substring"], "f1": own["raw_f1"], "certainty": "unsure"}
    return row | {"default": own | said}


def lines(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield what the two arms reached over some rows."""
    able = [row for row in rows if not row["unanswerable"]]
    unable = [row["default"] for row in rows if row["unanswerable"]]
    yield f"n {len(rows)}, {len(able)} with an answer"
    for arm in ("plain", "default"):
        own = [row[arm] for row in able]
        every = [row[arm] for row in rows]
        if not own:
            continue
        ends = sorted(one["seconds"] for one in every)
        yield (
            f"{arm:8} substring {mean(one['substring'] for one in own):.3f} "
            f"F1 {mean(one['f1'] for one in own):.3f} "
            f"tokens {mean(one['tokens'] for one in every):.0f} "
            f"computed {mean(one['computed'] for one in every):.0f} "
            f"first word {median(one['first'] for one in every):.1f} s, "
            f"end {median(ends):.1f} s, 90th percentile {ends[int(0.9 * (len(ends) - 1))]:.1f} s"
        )
    for score in ("substring", "f1"):
        apart = [row["default"][score] - row["plain"][score] for row in able]
        draws = random.Random(0)
        means = sorted(mean(draws.choices(apart, k=len(apart))) for _ in range(2000))
        yield f"{score}: {mean(apart):+.3f} [{means[50]:+.3f}, {means[1949]:+.3f}]"
    default = [row["default"] for row in able]
    raw = mean(one["raw_substring"] for one in default)
    yield f"were nothing withheld: substring {raw:.3f} F1 {mean(o['raw_f1'] for o in default):.3f}"
    sure = [row for row in rows if row["default"]["certainty"] == "sure"]
    right = [right_of(row) for row in sure]
    yield f"sure {len(sure)}, of them wrong {1 - mean(right) if right else 0:.3f}"
    shown = [right_of(row) for row in rows if row["default"]["certainty"] != "none"]
    yield f"shown {len(shown)}, of them right {mean(shown) if shown else 0:.3f}"
    if unable:
        surely = sum(one["certainty"] == "sure" for one in unable)
        refused = sum(one["certainty"] == "none" for one in unable)
        yield f"without an answer {len(unable)}: refused {refused}, answered surely {surely}"
    pairs = [
        (row["default"]["confidence"], right_of(row))
        for row in rows
        if row["default"]["confidence"] is not None
    ]
    if pairs:
        found = quality(pairs)
        yield (
            f"confidence of {found.count}: ECE {found.calibration_error:.3f}, risk-coverage "
            f"{found.risk_coverage:.3f}, AUC {found.auc or 0:.3f}"
        )
    steps: dict[str, int] = {}
    for row in rows:
        for stage in row["default"]["taken"]:
            steps[stage] = steps.get(stage, 0) + 1
    yield f"steps taken: {steps}"


def right_of(row: dict[str, Any]) -> bool:
    """Say whether the default's own words are right: as a substring, or F1 of 0.6."""
    own = row["default"]
    said = own["raw_substring"] == 1 or own["raw_f1"] >= 0.6
    return said and not row["unanswerable"]


def main() -> None:
    """Record, or print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = parser.add_subparsers(dest="what", required=True)
    recording = parts.add_parser("record")
    add_choice(recording, skip=20, limit=100)
    recording.add_argument("--arms", nargs="+", default=["plain", "default"])
    recording.add_argument("--cut", nargs=2, type=int, default=CUT, metavar=("WORDS", "CHARACTERS"))
    recording.add_argument("--comparing", action="store_true")
    showing = parts.add_parser("table")
    showing.add_argument("files", type=Path, nargs="+")
    showing.add_argument("--least", type=float)
    showing.add_argument("--arm", default="default")
    given = parser.parse_args()
    if given.what == "table":
        table(given.files, given.least, given.arm)
    else:
        record(given)


if __name__ == "__main__":
    main()
