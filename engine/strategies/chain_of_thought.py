"""Reasoning before the answer, after worked examples (Wei et al. 2022)."""

from __future__ import annotations

from collections.abc import Generator as Steps
from dataclasses import dataclass, replace
from typing import ClassVar

from engine import lookahead
from engine.drafts import Draft
from engine.events import Event, Sampled
from engine.examples import reasoned, shipped
from engine.steps import Toolbox
from engine.tasks import REASONING_TOKENS


@dataclass(frozen=True)
class ChainOfThought:
    """Worked examples with their reasoning, a few passages, then step by step."""

    name: ClassVar[str] = "chain_of_thought"
    summary: ClassVar[str] = "worked examples, five passages, reasoning before the answer"
    examples: int = 4
    documents: int = 5

    def run(self, tools: Toolbox) -> Steps[Event, None, Draft]:
        """Recall, reason, answer. Examples without a rationale are left out."""
        scores = yield from tools.recall()
        best = tools.fit_generator(scores)[: self.documents]
        if not best:
            return Draft("", ())
        given = [one for one in tools.examples if one.rationale] or shipped()
        written = yield from tools.reply(
            "stepwise",
            best,
            more_tokens=REASONING_TOKENS,
            stop=lookahead.STOP,
            examples=reasoned(given[: self.examples]),
        )
        sample = lookahead.parse(written.text)
        answer = sample.answer.partition("\n\n")[0]
        yield Sampled(0, sample.rationale, answer)
        return tools.finish(best, replace(written, text=answer or sample.rationale))
