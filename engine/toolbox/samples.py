"""Samples of the look-ahead model for one question; several strategies may share them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from engine.answer_parts import ModelTokens
from engine.attention.sentence_attention import LayersOf, SampledAttention
from engine.events import Sampled, Steps
from engine.generation.lookahead import Drawing, Sample, look_ahead
from engine.toolbox.budget import DRAFTING_SHARE, QuestionBudget
from engine.toolbox.forecast import Forecast
from engine.toolbox.lender import Lender, since
from engine.toolbox.passages import Passages


@dataclass(frozen=True, slots=True)
class Drawn:
    """Samples that several strategies share, and what they cost."""

    samples: list[Sample]
    tokens: ModelTokens
    seconds: float
    sampled_attention: SampledAttention | None = None

    def serves(self, layers_of: LayersOf | None) -> bool:
        """Say whether these layers were read while the samples were drawn."""
        return layers_of is None or (
            self.sampled_attention is not None and self.sampled_attention.has_layers(layers_of)
        )


Shared = dict[tuple[Drawing, tuple[int, ...]], Drawn]
"""Samples of one question by how they were drawn, and from which passages."""


@dataclass(frozen=True)
class LookAheadSampler:
    """Draws samples, or takes over those that another strategy drew alike."""

    models: Lender
    passages: Passages
    budget: QuestionBudget
    forecast: Forecast
    shared: Shared | None = None
    """Samples of other strategies for this question; None: each draws its own."""

    def draw(
        self, chosen: Sequence[int], drawing: Drawing, layers_of: LayersOf | None
    ) -> Steps[list[Sample]]:
        """Return K samples over the chosen passages; `layers_of` says which layers to read."""
        known = None if self.shared is None else self.shared.get((drawing, tuple(chosen)))
        if known is not None and known.serves(layers_of):
            return (yield from self._take_over(known))
        yield from self.forecast.looking(chosen)
        began, before = time.monotonic(), self.budget.usage.lookahead
        samples = yield from self._draw(chosen, drawing, layers_of)
        tokens, seconds = since(before, self.budget.usage.lookahead), time.monotonic() - began
        self.forecast.note("lookahead", tokens, seconds, drawing.samples)
        if self.shared is not None:
            drawn = Drawn(samples, tokens, seconds, self.passages.sampled_attention)
            self.shared[drawing, tuple(chosen)] = drawn
        return samples

    def _draw(
        self, chosen: Sequence[int], drawing: Drawing, layers_of: LayersOf | None
    ) -> Steps[list[Sample]]:
        passages = self.passages(chosen)
        look = partial(
            look_ahead,
            task=self.forecast.task,
            question=self.passages.query.text,
            passages=passages,
            drawing=drawing,
            deadline=self.budget.due(DRAFTING_SHARE),
        )
        if layers_of is None:
            with self.models.lend("lookahead") as model:
                return (yield from look(model))
        attention = self.passages.sampled_attention = SampledAttention(passages)
        with self.models.lend_attentive() as attentive:
            draw = partial(attention.sample, attentive, layers_of)
            return (yield from look(attentive, draw=draw))

    def _take_over(self, drawn: Drawn) -> Steps[list[Sample]]:
        """Return samples already drawn, at their full price."""
        for index, sample in enumerate(drawn.samples):
            yield Sampled(index, sample.rationale, sample.answer)
        self.budget.count("lookahead", drawn.tokens)
        self.budget.timings.lend("lookahead", drawn.seconds)
        self.passages.sampled_attention = drawn.sampled_attention
        return drawn.samples
