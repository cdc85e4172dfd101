"""Strategies that read nothing: what the generator knows by itself."""

from __future__ import annotations

from collections.abc import Generator as Steps
from dataclasses import dataclass
from typing import ClassVar

from engine.drafts import Draft
from engine.events import Event
from engine.examples import solved
from engine.steps import Toolbox


@dataclass(frozen=True)
class ZeroShot:
    """The question alone. Its answer has no source, so a personal question gets none."""

    name: ClassVar[str] = "zero_shot"
    summary: ClassVar[str] = "the question alone, nothing read; never supported by a source"

    def run(self, tools: Toolbox) -> Steps[Event, None, Draft]:
        """Write."""
        written = yield from tools.reply("alone")
        return tools.finish((), written)


@dataclass(frozen=True)
class ManyShot:
    """Solved questions before the one asked (Agarwal et al. 2024)."""

    name: ClassVar[str] = "many_shot"
    summary: ClassVar[str] = "solved questions, then the question; nothing read"
    examples: int = 4
    """m: as many come with the program; more have to be given."""

    def run(self, tools: Toolbox) -> Steps[Event, None, Draft]:
        """Show the examples, write."""
        examples = solved(tools.solved_examples(self.examples))
        written = yield from tools.reply("alone", examples=examples)
        return tools.finish((), written)
