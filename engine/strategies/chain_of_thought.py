"""Reasoning before the answer, after worked examples (Wei et al. 2022)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from engine.events import Noted, Sampled, Steps
from engine.generation import lookahead
from engine.generation.draft import Draft
from engine.prompts.examples import first_of, reasoned, shipped
from engine.prompts.tasks import REASONING_TOKENS
from engine.toolbox.steps import Toolbox


@dataclass(frozen=True)
class ChainOfThought:
    """Worked examples with their reasoning, a few passages, then step by step."""

    name: ClassVar[str] = "chain_of_thought"
    summary: ClassVar[str] = "worked examples, five passages, reasoning before the answer"
    examples: int = 4
    documents: int = 5

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Recall, reason, answer. Examples without a rationale are left out.

        A data set that brings no passage asks for what the model knows.
        """
        best: list[int] = []
        if not tools.closed_book:
            best = tools.fit_generator((yield from tools.recall()))[: self.documents]
            if not best:
                return Draft("", ())
        given = [one for one in tools.settings.examples if one.rationale]
        if tools.settings.examples and not given:
            yield Noted("No example given has a rationale: those that come with the program do")
        worked = first_of(given or shipped(), self.examples)
        written = yield from tools.reply(
            "stepwise",
            best,
            more_tokens=REASONING_TOKENS,
            stop=lookahead.STOP,
            examples=reasoned(worked),
        )
        sample = lookahead.parse(written.text)
        answer = sample.answer.partition("\n\n")[0]
        yield Sampled(0, sample.rationale, answer)
        return tools.finish(best, replace(written, text=answer or sample.rationale))
