"""Solved questions that a prompt may show before the one it asks."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from engine.errors import QuestionError


@dataclass(frozen=True, slots=True)
class Example:
    """A solved question."""

    question: str
    answer: str
    rationale: str = ""
    """The reasoning that leads to the answer; empty if there is none."""
    documents: tuple[str, ...] = ()
    """Texts that answer the question, best first."""
    steps: tuple[tuple[str, str], ...] = ()
    """Follow-up questions and their answers that lead to the answer."""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Example:
        """Return the example of a decoded row. Raises `KeyError`, `TypeError`, `ValueError`."""
        return cls(
            str(row["question"]),
            str(row["answer"]),
            str(row.get("rationale", "")),
            tuple(map(str, row.get("documents", ()))),
            tuple((str(asked), str(answered)) for asked, answered in row.get("steps", ())),
        )


@cache
def shipped() -> tuple[Example, ...]:
    """Return the examples that come with the program: personal matters, written for this
    purpose."""
    text = files("engine.prompts").joinpath("examples.toml").read_text("utf-8")
    return tuple(Example.of(row) for row in tomllib.loads(text)["example"])


def first_of(examples: Sequence[Example], wanted: int) -> Sequence[Example]:
    """Return the first examples. Raises `QuestionError` where there are fewer than wanted."""
    if len(examples) < wanted:
        raise QuestionError(
            f"{wanted} worked examples are asked for, and there are {len(examples)}.",
            remedy=f"Ask for at most {len(examples)}, or give more: --worked or --examples.",
        )
    return examples[:wanted]


def solved(examples: Sequence[Example]) -> str:
    """Return questions with their answers as a prompt shows them, a blank line at the end."""
    return "".join(f"Question: {one.question}\nAnswer: {one.answer}\n\n" for one in examples)


def reasoned(examples: Sequence[Example]) -> str:
    """Return questions with rationale and answer as a prompt shows them."""
    return "".join(
        f"Question: {one.question}\nRationale: {one.rationale}\nAnswer: {one.answer}\n\n"
        for one in examples
    )
