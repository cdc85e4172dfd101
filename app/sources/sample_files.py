"""The sample that ships with the program: where it is, and what can be asked of it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Literal

SAMPLE_DAY = datetime(2026, 11, 21, 12, tzinfo=UTC)
"""The day on which the sample is lived: its meetings are to come, on whatever day it is asked."""


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """One row of `app/sample/questions.toml`."""

    text: str
    expects: Literal["answer", "abstain"]
    why: str
    """What the question shows."""
    contains: str = ""
    """Words that a right answer holds; empty for an abstention."""


def sample_folder() -> Path:
    """Return the folder of the sample files."""
    return Path(str(resources.files("app").joinpath("sample", "data")))


def calibration_questions() -> Path:
    """Return the questions with known answers that `models calibrate` asks over the sample.

    Their form is that of `engine.evaluation.questions`. `absent` are patterns of what the files
    would say if they answered a question that they do not; a test looks for them.
    """
    return Path(str(resources.files("app").joinpath("sample", "calibration.jsonl")))


def sample_questions() -> list[DemoQuestion]:
    """Read the questions that ship with the sample."""
    text = resources.files("app").joinpath("sample", "questions.toml").read_text(encoding="utf-8")
    return load_questions(text)


def load_questions(text: str) -> list[DemoQuestion]:
    """Read questions from TOML."""
    names = DemoQuestion.__slots__
    rows = tomllib.loads(text)["question"]
    return [DemoQuestion(**{key: row[key] for key in names if key in row}) for row in rows]
