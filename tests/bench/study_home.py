"""The default beside a plain arm over a person's files, each question as it was typed.

    study_home.py record HOME OUT.jsonl [--half 1] [--arms plain default]
    study_home.py table OUT.jsonl [--arm default] [--before default-before] [--without table]

HOME holds `files/`, and `questions.jsonl` with id, question, kind and answers: strings, of which an
answer has one; a list of strings, of which it has all; "yes" or "no", with which it begins; none
where the files do not say. `own.json` lists the person's addresses. The plain arm is BM25's best
passages of 300 words within 1,200 tokens, in document order, behind the brief prompt of the data
sets. An arm with a colon is a strategy with its parameters: "auto:weigh=never". Rows hold home, id,
kind, scores, signals and seconds, and no text; a file goes on where it ended.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from statistics import mean, median
from typing import Any

from home_scores import is_right
from question_sets import rows_of
from study_default import CUT, PLAIN, PLAIN_CUT

import engine.retrieval.passages as cutting
from app.local_models.loader import model_set
from app.settings.config import load_config
from engine.answer import answer, read_now
from engine.checking.abstention import denies
from engine.events import Answered, Event, Steps
from engine.retrieval.corpus import Corpus
from engine.retrieval.memory import Memory
from engine.settings import Settings
from engine.stages import Timings
from engine.values import Query


def record(given: argparse.Namespace) -> None:
    """Ask each question in every way, as far as `out` does not hold it yet."""
    files = [given.home / "files"]
    own, present = given.home / "own.json", given.home / "present.txt"
    settings = Settings(
        own=tuple(json.loads(own.read_text())) if own.exists() else (),
        now=datetime.fromisoformat(present.read_text().strip()) if present.exists() else None,
    )
    models, memory = model_set(load_config(os.environ)), Memory()
    known = {(row["home"], row["id"]) for row in rows_of([given.out])}
    lines = (given.home / "questions.jsonl").read_text("utf-8").splitlines()
    large = corpus_for_plain(files, settings)
    with given.out.open("a") as stream:
        for number, asked in enumerate(map(json.loads, lines)):
            if given.half not in (None, number % 2) or (given.home.name, asked["id"]) in known:
                continue
            row = {
                "home": given.home.name,
                "id": asked["id"],
                "kind": asked["kind"],
                "unanswerable": not asked["answers"],
            }
            for arm in given.arms:
                if arm == "plain":
                    query = Query(asked["question"], task="multihop")
                    events = answer(query, large, models, PLAIN)
                else:
                    way = replace(settings, strategy=arm if ":" in arm else settings.strategy)
                    events = answer(asked["question"], files, models, way, memory=memory)
                row[arm] = scores_of(events, asked["answers"], withholds=arm != "plain")
            stream.write(json.dumps(row) + "\n")
            stream.flush()
    memory.close()


def corpus_for_plain(files: Sequence[Path], settings: Settings) -> Corpus:
    """Return all files in passages of 300 words, ranked by BM25 as it is published."""
    cutting.MAX_WORDS, cutting.MAX_CHARACTERS = PLAIN_CUT
    try:
        corpus = _last(read_now(Query("all"), files, settings, Timings(), Memory()))
    finally:
        cutting.MAX_WORDS, cutting.MAX_CHARACTERS = CUT
    corpus.recall.least_average = 0
    return corpus


def _last(steps: Steps[Corpus]) -> Corpus:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            corpus: Corpus = end.value
            return corpus


def scores_of(
    events: Iterator[Event], answers: Sequence[str | list[str]], *, withholds: bool
) -> dict[str, Any]:
    """Return what one answer is worth."""
    began = time.perf_counter()
    *_, last = events
    if not isinstance(last, Answered):
        raise RuntimeError("answer ended without an answer")
    found = last.answer
    said = found.text if withholds else found.raw
    refused = (withholds and found.certainty == "none") or denies(said, ())
    return {
        "right": not refused and is_right(said, answers),
        "raw_right": is_right(found.raw or said, answers),
        "refused": refused,
        "certainty": found.certainty if withholds else None,
        "confidence": found.confidence,
        "signals": found.signals,
        "seconds": round(time.perf_counter() - began, 1),
    }


def table(given: argparse.Namespace) -> None:
    """Print a line for each home and one for all."""
    rows = [row for row in rows_of(given.files) if row["kind"] not in given.without]
    arms = [arm for arm in ("plain", given.before, given.arm) if any(arm in row for row in rows)]
    for home in [*dict.fromkeys(row["home"] for row in rows), "all"]:
        own = [row for row in rows if home in (row["home"], "all") and {*arms} <= row.keys()]
        print(home, *lines(own, arms), sep="\n  ")


def lines(rows: Sequence[dict[str, Any]], arms: Sequence[str]) -> Iterator[str]:
    """Yield what the arms reached over some rows."""
    able = [row for row in rows if not row["unanswerable"]]
    unable = [row for row in rows if row["unanswerable"]]
    yield f"n {len(rows)}, {len(able)} with an answer"
    for arm in arms if able else ():
        ends = sorted(row[arm]["seconds"] for row in rows)
        yield (
            f"{arm}: right {sum(row[arm]['right'] for row in able)}, "
            f"{mean(row[arm]['right'] for row in able):.3f}; without an answer refused "
            f"{sum(row[arm]['refused'] for row in unable)} of {len(unable)}; "
            f"end {median(ends):.1f} s, 90th percentile {ends[int(0.9 * (len(ends) - 1))]:.1f} s"
        )
    for other in arms[:-1] if able else ():
        apart = [row[arms[-1]]["right"] - row[other]["right"] for row in able]
        draws = random.Random(0)
        means = sorted(mean(draws.choices(apart, k=len(apart))) for _ in range(2000))
        yield f"to {other}: {mean(apart):+.3f} [{means[50]:+.3f}, {means[1949]:+.3f}]"
    sure = [row[arms[-1]] for row in rows if row[arms[-1]]["certainty"] == "sure"]
    yield f"sure {len(sure)}, of them right {sum(one['right'] for one in sure)}"


def main() -> None:
    """Record, or print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = parser.add_subparsers(dest="what", required=True)
    recording = parts.add_parser("record")
    recording.add_argument("home", type=Path)
    recording.add_argument("out", type=Path)
    recording.add_argument("--half", type=int, choices=(0, 1))
    recording.add_argument("--arms", nargs="+", default=["plain", "default"])
    showing = parts.add_parser("table")
    showing.add_argument("files", type=Path, nargs="+")
    showing.add_argument("--arm", default="default")
    showing.add_argument("--before", default="default-before")
    showing.add_argument("--without", nargs="*", default=[], metavar="KIND")
    given = parser.parse_args()
    if given.what == "table":
        table(given)
    else:
        record(given)


if __name__ == "__main__":
    main()
