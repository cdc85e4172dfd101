"""Prompts with worked examples that have documents of their own (Inference scaling, figure 16).

The examples come first and are the same for every question, so that a runtime with a prefix cache
computes them once. Documents are in reverse order, the best nearest the question. Figure 16 shows
all examples in one turn. Here each example is two turns, a question and a reply (ours): small chat
models imitate earlier turns, and follow instructions less (docs/decisions.md, "Strategies").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os.path import commonprefix
from typing import Literal

from engine.prompts.examples import Example
from engine.prompts.tasks import Task
from engine.prompts.templates import fill, show, show_plain
from engine.values import Passage
from models.protocols import Generator, Message

Kind = Literal["drag", "iterdrag"]

FOLLOW_UP = "Follow up: "
INTERMEDIATE = "Intermediate answer: "
FINAL = "So the final answer is: "
DOCUMENT_WORDS = 1024
"""Documents of examples are cut here (appendix I); passages are shorter anyway."""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """Worked examples, and the form of the question after them."""

    kind: Kind
    task: Task
    examples: Sequence[Example]
    documents: int
    """How many of its best documents an example shows."""

    def prompt(self, model: Generator, question: str, groups: Sequence[Sequence[Passage]]) -> str:
        """Return the prompt up to where the reply begins.

        `groups` are passages in the order of retrieval, each group best first. Later groups come
        after earlier ones, so that those need not be computed again.
        """
        return self._filled(model, _shown(groups, fenced=self.task.personal), question)

    def keep(self, model: Generator, prompt: str) -> None:
        """Have the model keep the examples' part of a prompt: every other prompt begins with it."""
        if self.examples:
            empty = self._filled(model, "", "")
            model.keep(commonprefix([prompt, empty]))  # noqa: RUF071 -- of characters

    def _filled(self, model: Generator, passages: str, question: str) -> str:
        shown = [
            turn
            for number, one in enumerate(self.examples)
            for turn in worked(self.kind, one, self.documents, first=not number)
        ]
        system = "personal system" if self.task.personal else "system"
        part = f"{self.kind} further" if shown else self.kind
        filled, _ = fill(
            "demonstrations", part, system=system, passages=passages, question=question
        )
        [*orders, asked] = filled
        return model.render([*orders, *shown, asked])


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


def worked(
    kind: Kind, example: Example, documents: int, *, first: bool = False
) -> tuple[Message, Message]:
    """Return an example as a question and a reply; the first example has the instructions."""
    context = "\n\n".join(
        " ".join(text.split()[:DOCUMENT_WORDS]) for text in example.documents[:documents][::-1]
    )
    [asked], _ = fill(
        "demonstrations",
        kind if first else f"{kind} further",
        passages=context,
        question=example.question,
    )
    if kind == "drag":
        return asked, Message("assistant", example.answer)
    steps = "".join(f"{FOLLOW_UP}{q}\n{INTERMEDIATE}{a}\n" for q, a in example.steps)
    return asked, Message("assistant", f"{steps}{FINAL}{example.answer}")
