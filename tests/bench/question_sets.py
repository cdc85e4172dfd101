"""The questions of a data set in a fixed random order, and what they are asked over.

For studies of the answer: settings are chosen on the first questions of this order, and later ones
are reported.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.evaluation.questions import Question, load_questions

OVER = {"enron_annotated": "enron.mbox"}
"""Sets that are asked over mail as it came, not over lines of text."""
GENERATOR = "qwen2.5-coder-1.5b-instruct-q4_k_m"


def file_of(data: Path, name: str) -> Path:
    """Return the file of a set's questions."""
    return data / "dev" / f"{name}.jsonl"


def over(data: Path, name: str) -> tuple[Path, ...]:
    """Return the paths that a set is asked over; none where its questions name their corpus."""
    return (data / "corpus" / OVER[name],) if name in OVER else ()


def questions_of(data: Path, name: str, skip: int, limit: int) -> list[Question]:
    """Return so many questions of a set, after the first `skip` in the fixed order."""
    every = list(load_questions(file_of(data, name)))
    random.Random(0).shuffle(every)
    return every[skip : skip + limit]


def rows_of(files: Sequence[Path]) -> list[dict[str, Any]]:
    """Return the rows of some files; none of a file that is not there."""
    there = (file for file in files if file.exists())
    return [json.loads(line) for file in there for line in file.read_text().splitlines()]


def add_choice(parser: argparse.ArgumentParser, *, skip: int, limit: int) -> None:
    """Add what says which questions are asked, of which model, and where rows go."""
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--sets", nargs="+", required=True)
    parser.add_argument("--skip", type=int, default=skip)
    parser.add_argument("--limit", type=int, default=limit)
    parser.add_argument("--generator", default=GENERATOR)
