"""Self-consistency: several answers from one context, of which the most agreed with wins.

Wang et al. 2023, with the vote of ET2RAG in place of equal strings, so that free text can vote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from engine.agreement.consensus import Similarity
from engine.agreement.votes import Ballot, judge, read_often
from engine.events import Steps
from engine.generation.draft import Draft
from engine.toolbox.steps import Toolbox
from models.protocols import MOST_REPLIES


@dataclass(frozen=True)
class SelfConsistency:
    """K samples of the generator over the best passages vote."""

    name: ClassVar[str] = "self_consistency"
    summary: ClassVar[str] = "several answers from the same passages vote"
    samples: int = field(default=5, metadata={"most": MOST_REPLIES})
    """K; the passages are prefilled once for all."""
    temperature: float = 0.7
    similarity: Similarity = "token_f1"

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Recall, draw K answers, vote."""
        scores = yield from tools.recall()
        chosen = tools.fit_generator(scores)
        if not chosen:
            return Draft("", ())
        return (yield from self.over(tools, chosen))

    def over(self, tools: Toolbox, chosen: Sequence[int]) -> Steps[Draft]:
        """Draw K answers from the chosen passages; return the one that most agree with."""
        readings = yield from read_often(tools, chosen, self.samples, self.temperature)
        ballot = Ballot(
            tools,
            [one.text for one in readings],
            self.similarity,
            lambda reading: judge(tools, chosen, readings[reading]),
        )
        return (yield from ballot.settle())
