"""FB-RAG: forward and backward look-up with a small model (section 2, equations 1 to 6)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from engine.attention.sentence_attention import LayersOf
from engine.events import Noted, Steps
from engine.generation.draft import Draft
from engine.generation.lookahead import TEMPERATURE, Form, Sample
from engine.retrieval.fusion import Normalisation, reciprocal_ranks, weighted_sum
from engine.retrieval.recall import Scores
from engine.stages import staged
from engine.strategies.youra import UNREAD, Youra
from engine.toolbox.steps import Toolbox


@dataclass(frozen=True, slots=True)
class LookAheadResult:
    """The result of looking ahead."""

    scores: Scores
    """S_FB of every passage."""
    chosen: list[int]
    """The best within Y tokens, best first."""
    samples: Sequence[Sample]


@dataclass(frozen=True)
class FBRag:
    """Stage I recalls, stage II looks ahead and scores all passages anew, stage III writes."""

    name: ClassVar[str] = "fb_rag"
    summary: ClassVar[str] = "a small model looks ahead; its samples re-rank every passage"
    backward: float = 0.5
    """eta_B, the weight of S(c; Q): 0.5 is the paper's FB, 0 its F."""
    forward: float = 0.5
    """eta_F, the weight of the samples' scores: 0.5 is the paper's FB, 1 its F."""
    over_samples: Literal["max", "mean"] = "max"
    """How K sample scores of a passage become one. The paper takes the maximum."""
    fusion: Literal["sum", "normalised", "ranks"] = "sum"
    """Equation 6, the same with each score divided by its largest, or weighted reciprocal ranks."""
    form: Form = "reasoning"
    """What a sample consists of (table 8)."""
    temperature: float = TEMPERATURE
    order: Literal["score", "document"] = "score"
    """How the generator reads the passages: best first, or in document order."""
    reaction: float = 0.0
    """Weight of YOURA's reaction score, the best of a passage's sentences, where stage I read it.
    Its scale is its own, so with it "sum" divides each score by its largest too. 0 reads no
    attention. It is read while samples are drawn, at no extra token; where that cannot be, in a
    pass of its own."""

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Recall within X tokens, look ahead, select within Y tokens, write."""
        looked = yield from self.look(tools)
        if not looked.samples:
            return Draft("", ())
        return (yield from tools.write(self.ordered(looked.chosen)))

    def look(self, tools: Toolbox) -> Steps[LookAheadResult]:
        """Recall within X tokens, look ahead, select within Y tokens; without a hit, nothing."""
        backward = yield from tools.recall()
        layers_of = self._layers_to_read(tools) if backward.any() else None
        stage_one = tools.fit_lookahead(backward)
        if not stage_one:
            return LookAheadResult(backward, [], [])
        samples = yield from tools.look_ahead(stage_one, self.form, self.temperature, layers_of)
        return (
            yield from staged(
                "select", tools.timings, self._select(tools, backward, stage_one, samples)
            )
        )

    def _layers_to_read(self, tools: Toolbox) -> LayersOf | None:
        """Return the layers to read while samples are drawn; None where none is used or
        readable."""
        reader = _reader(tools)
        if self.reaction or reader is tools.compressor:
            with suppress(*UNREAD):  # a pass of its own will say why
                _ = tools.models.roles.attentive_lookahead
                return partial(reader.chosen_layers, tools)
        return None

    def ordered(self, chosen: list[int]) -> list[int]:
        """Return passages, best first, as the generator is to read them."""
        return sorted(chosen) if self.order == "document" else chosen

    def _select(
        self,
        tools: Toolbox,
        backward: Scores,
        stage_one: Sequence[int],
        samples: Sequence[Sample],
    ) -> Steps[LookAheadResult]:
        forward = self.over(tools.passages.forward(samples))
        parts = {"backward": backward, "forward": forward}
        if self.reaction:
            parts |= yield from self._react(tools, sorted(stage_one))
        scores = self.combine(*parts.values())
        if not scores.any() and backward.any():
            yield Noted("No sample shares a word with any passage: ranked as recalled")
            scores = backward
        yield tools.passages.ranked("select", scores, parts)
        return LookAheadResult(scores, tools.fit_generator(scores), samples)

    def _react(self, tools: Toolbox, stage_one: Sequence[int]) -> Steps[dict[str, Scores]]:
        """Return the reaction of stage I's passages, 0 of all others; nothing if it is unread."""
        read = tools.passages.readable_numbers(stage_one)
        found = np.zeros(len(tools.corpus.passages))
        try:
            reader = replace(_reader(tools), by="reaction")
            found[read] = reader.passage_scores(tools, tools.passages(read))
        except UNREAD as error:
            yield Noted(f"Passages are ranked without attention: {error.message}")
            tools.replace_strategy(self, replace(self, reaction=0.0))
            return {}
        return {"reaction": found}

    def over(self, forward: Scores) -> Scores:
        """Return one forward score a passage from those of K samples, shape (K, passages)."""
        best: Scores = forward.max(axis=0) if self.over_samples == "max" else forward.mean(axis=0)
        return best

    def combine(self, backward: Scores, forward: Scores, *reaction: Scores) -> Scores:
        """Return S_FB of every passage of the corpus, not only of stage I (equation 6)."""
        rankings = [backward, forward, *reaction]
        weights = [self.backward, self.forward, self.reaction][: len(rankings)]
        if self.fusion == "ranks":
            return reciprocal_ranks(rankings, weights=weights)
        normalised = self.fusion == "normalised" or reaction
        scale: Normalisation = "maximum" if normalised else "none"
        return weighted_sum(rankings, weights, scale)


def _reader(tools: Toolbox) -> Youra:
    """Return the compressor's way to read attention; the default where it has none."""
    behind = tools.compressor
    return behind if isinstance(behind, Youra) and behind.by != "bm25" else Youra()
