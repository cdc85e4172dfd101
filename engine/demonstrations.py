"""Prompts with worked examples that have documents of their own (Inference scaling, figure 16).

The examples come first and are the same for every question, so that a runtime that keeps
beginnings computes them once; documents stand in reverse order, the best nearest the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os.path import commonprefix
from typing import Literal

from engine.examples import Example
from engine.prompting import render, show, show_plain
from engine.tasks import Task
from engine.values import Passage
from models.protocols import Generator

Kind = Literal["drag", "iterdrag"]

FOLLOW_UP = "Follow up: "
INTERMEDIATE = "Intermediate answer: "
FINAL = "So the final answer is: "
DOCUMENT_WORDS = 1024
"""Documents of examples are cut here (appendix I); passages are shorter anyway."""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """Worked examples and the form in which a question stands behind them."""

    kind: Kind
    task: Task
    examples: Sequence[Example]
    documents: int
    """How many of its best documents an example shows."""

    def prompt(self, model: Generator, question: str, groups: Sequence[Sequence[Passage]]) -> str:
        """Return the prompt up to where the reply begins.

        `groups` are passages as they came, each best first; later ones stand behind earlier ones,
        so that these need not be computed again.
        """
        return self._filled(model, _shown(groups, fenced=self.task.personal), question)

    def keep(self, model: Generator, prompt: str) -> None:
        """Have the model keep what the examples make of a prompt: every other begins so too."""
        if self.examples:
            empty = self._filled(model, "", "")
            model.keep(commonprefix([prompt, empty]))  # noqa: RUF071 -- of characters

    def _filled(self, model: Generator, passages: str, question: str) -> str:
        return render(
            model,
            "demonstrations",
            self.kind if self.examples else f"{self.kind} without",
            system="personal system" if self.task.personal else "system",
            examples="".join(worked(self.kind, one, self.documents) for one in self.examples),
            passages=passages,
            question=question,
        )


def _shown(groups: Sequence[Sequence[Passage]], *, fenced: bool) -> str:
    shown, first = [], 1
    for group in groups:
        if group:
            shown.append((show if fenced else show_plain)(group[::-1], first))
            first += len(group)
    return "\n\n".join(shown)


def in_prompt_order(groups: Sequence[Sequence[int]]) -> list[int]:
    """Return the passages of all groups as the prompt numbers them."""
    return [number for group in groups for number in group[::-1]]


def worked(kind: Kind, example: Example, documents: int) -> str:
    """Return an example as a prompt shows it."""
    context = "\n\n".join(
        " ".join(text.split()[:DOCUMENT_WORDS]) for text in example.documents[:documents][::-1]
    )
    heading = "Context (which may or may not be relevant)" if kind == "drag" else "Context"
    before = f"{heading}:\n\n{context}\n\n" if context else ""
    asked = f"{before}Question: {example.question}\n"
    if kind == "drag":
        return f"{asked}Answer: {example.answer}\n\n"
    steps = "".join(f"{FOLLOW_UP}{q}\n{INTERMEDIATE}{a}\n" for q, a in example.steps)
    return f"{asked}{steps}{FINAL}{example.answer}\n\n"
