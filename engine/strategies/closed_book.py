"""Strategies that read nothing: what the generator knows by itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from engine.events import Steps
from engine.generation.draft import Draft
from engine.prompts.examples import solved
from engine.toolbox.steps import Toolbox


@dataclass(frozen=True)
class ZeroShot:
    """The question alone. Its answer has no source, so a personal question gets none."""

    name: ClassVar[str] = "zero_shot"
    summary: ClassVar[str] = "the question alone, nothing read; never supported by a source"

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Write."""
        return (yield from _alone(tools))


@dataclass(frozen=True)
class ManyShot:
    """Solved questions before the one asked (Agarwal et al. 2024)."""

    name: ClassVar[str] = "many_shot"
    summary: ClassVar[str] = "solved questions, then the question; nothing read"
    examples: int = field(default=0, metadata={"least": 0})
    """m, and fewer are refused; 0: all that are given, else those that come with the program."""

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Show the examples, write."""
        shown = tools.solved_examples(self.examples or len(tools.known_examples))
        return (yield from _alone(tools, solved(shown)))


def _alone(tools: Toolbox, examples: str = "") -> Steps[Draft]:
    """Ask without a passage. Raises `BudgetTooSmall` where the tokens do not suffice."""
    model = tools.models.roles.generator
    prompt = tools.asked_over().prompt(model, (), "alone", examples=examples)
    tools.budget.require_tokens(model.count(prompt), "The question and its examples")
    written = yield from tools.reply("alone", examples=examples)
    return tools.finish((), written)
