"""FB-RAG: forward and backward look-up with a small model (section 3, equations 1 to 3)."""

from __future__ import annotations

from collections.abc import Generator as Steps
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from engine.drafts import Draft
from engine.events import Event
from engine.fusion import Normalisation, reciprocal_ranks, weighted_sum
from engine.lookahead import TEMPERATURE, Form, Sample
from engine.recall import Scores
from engine.stages import staged
from engine.steps import Toolbox


@dataclass(frozen=True)
class FBRag:
    """Stage I recalls, stage II looks ahead and scores all passages anew, stage III writes."""

    name: ClassVar[str] = "fb_rag"
    summary: ClassVar[str] = "a small model looks ahead; its samples re-rank every passage"
    backward: float = 0.7
    """eta_B, the weight of S(c; Q). The paper has 0.5 (FB) or 0 (F)."""
    forward: float = 0.3
    """eta_F, the weight of the samples' scores. The paper has 0.5 (FB) or 1 (F)."""
    over_samples: Literal["max", "mean"] = "mean"
    """How K sample scores of a passage become one. The paper takes the maximum.

    These three were chosen on one half of the questions (docs/results.md, forward look-up).
    """
    fusion: Literal["sum", "normalised", "ranks"] = "sum"
    """Equation 2, the same with each score divided by its largest, or reciprocal ranks."""
    form: Form = "reasoning"
    """What a sample consists of (table 8)."""
    temperature: float = TEMPERATURE
    order: Literal["score", "document"] = "score"
    """How the generator reads the passages: best first, or as they stand in the documents."""

    def run(self, tools: Toolbox) -> Steps[Event, None, Draft]:
        """Recall within X tokens, look ahead, select within Y tokens, write."""
        backward = yield from tools.recall()
        stage_one = tools.fit_lookahead(backward)
        if not stage_one:
            return Draft("", ())
        samples = yield from tools.look_ahead(stage_one, self.form, self.temperature)
        chosen = yield from staged("select", tools.timings, self._select(tools, backward, samples))
        return (yield from tools.write(sorted(chosen) if self.order == "document" else chosen))

    def _select(
        self, tools: Toolbox, backward: Scores, samples: Sequence[Sample]
    ) -> Steps[Event, None, list[int]]:
        forward = self.over(tools.forward(samples))
        scores = self.combine(backward, forward)
        yield tools.ranked("select", scores, {"backward": backward, "forward": forward})
        return tools.fit_generator(scores)

    def over(self, forward: Scores) -> Scores:
        """Return one forward score a passage from those of K samples, shape (K, passages)."""
        best: Scores = forward.max(axis=0) if self.over_samples == "max" else forward.mean(axis=0)
        return best

    def combine(self, backward: Scores, forward: Scores) -> Scores:
        """Return S_FB of every passage of the corpus, not only of stage I (equation 2)."""
        if self.fusion == "ranks":
            return reciprocal_ranks([backward, forward])
        scale: Normalisation = "maximum" if self.fusion == "normalised" else "none"
        return weighted_sum([backward, forward], [self.backward, self.forward], scale)
