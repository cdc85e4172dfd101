"""YOURA: the sentences whose attention reacts most to the question (sections 3.1 to 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np

from engine.attention.compression import Sentence, choose, cut, sentences_of
from engine.attention.reaction import Mean
from engine.attention.sentence_attention import Way, attend
from engine.errors import StrategyUnknown
from engine.events import Compressed, Noted, Steps
from engine.generation.draft import Draft
from engine.retrieval.recall import Recall, Scores
from engine.stages import is_past, staged, time_spent
from engine.toolbox.budget import DRAFTING_SHARE
from engine.toolbox.steps import Toolbox
from engine.values import Passage
from models.errors import ModelError, RuntimeFailed
from models.protocols import Cancelled

DEPTH = 0.6
"""Relative depth, 0 to 1, of the layer that is read in a model for which none was measured."""
UNREAD = (RuntimeFailed, ModelError)
"""Errors that mean "attention cannot be read": no runtime shows it, no memory, no time."""


@dataclass(frozen=True)
class Youra:
    """Recall, then the look-ahead model's attention chooses sentences, in document order.

    The paper's model reads everything; on a CPU that takes minutes, so BM25 recalls within X
    tokens first. After another strategy ("fb_rag+youra") it cuts what that one has selected.
    """

    name: ClassVar[str] = "youra"
    summary: ClassVar[str] = "sentences that the look-ahead model's attention reacts to"
    by: Literal["reaction", "query", "bm25"] = "query"
    """The paper's score; the attention of the question's rows alone, which answers better
    (docs/results.md); or BM25 of each sentence."""
    mean: Mean = "arithmetic"
    """Over a sentence's tokens: equation 6, or the geometric one of section 3.3."""
    share: float = field(default=0.8, metadata={"least": 0.01, "most": 1})
    """Of all sentences, how many are kept at most; 1 leaves it to the budget of tokens."""
    layers: tuple[int, ...] = field(default=(), metadata={"least": 0})
    """Which are read, from 0 on; their reactions are averaged. The paper does not say. None named:
    the one that was measured for the model (docs/decisions.md), at 0.6 of the depth where none was.
    """

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Recall within X tokens, cut to sentences within Y tokens, write."""
        scores = yield from tools.recall()
        chosen = sorted(tools.fit_lookahead(scores))
        return (yield from tools.compressing(self).write(chosen))

    def compress(self, tools: Toolbox, passages: Sequence[Passage]) -> Steps[list[Passage | None]]:
        """Return the passages cut to their best sentences; None for what keeps none."""
        return staged("select", tools.timings, self._compress(tools, passages))

    def _compress(self, tools: Toolbox, passages: Sequence[Passage]) -> Steps[list[Passage | None]]:
        sentences = sentences_of(passages)
        way, scores = yield from self._score(tools, passages, sentences)
        model = tools.models.roles.generator
        costs = [model.count(sentence.place.text) for sentence in sentences]
        kept = choose(sentences, scores, costs, tools.budget.limits.generator_tokens, self.share)
        places = [sentence.place for sentence in sentences]
        yield Compressed(way, places, scores.tolist(), [i in set(kept) for i in range(len(places))])
        return cut(passages, sentences, kept)

    def _score(
        self, tools: Toolbox, passages: Sequence[Passage], sentences: Sequence[Sentence]
    ) -> Steps[tuple[str, Scores]]:
        """Return the name of the scorer and its scores: BM25 where attention cannot be read."""
        if self.by != "bm25":
            try:
                return self.by, self._attend(tools, passages, sentences)
            except UNREAD as error:
                yield Noted(f"BM25 chooses the sentences in place of attention: {error.message}")
                tools.replace_strategy(self, replace(self, by="bm25"))
        recall = Recall(
            (sentence.place.searched for sentence in sentences),
            stemming=tools.corpus.recall.stemming,
        )
        found: Scores = recall.scores([tools.query.text])[0]
        return "bm25", found

    def passage_scores(self, tools: Toolbox, passages: Sequence[Passage]) -> Scores:
        """Return the best of each passage's sentence scores, shape (passages,).

        Raises one of `UNREAD` where attention cannot be read.
        """
        sentences = sentences_of(passages)
        best = np.zeros(len(passages))
        scores = self._attend(tools, passages, sentences)
        np.maximum.at(best, [sentence.number for sentence in sentences], scores)
        return best

    def chosen_layers(self, tools: Toolbox, of: int) -> tuple[int, ...]:
        """Return the layers to read, given how many the model has.

        Raises `StrategyUnknown` for a layer that it lacks.
        """
        if not self.layers:
            measured = tools.models.roles.reaction_layer
            return (round(DEPTH * (of - 1)) if measured is None else min(measured, of - 1),)
        if max(self.layers) >= of:
            raise StrategyUnknown(
                f"The look-ahead model has no layer {max(self.layers)}.",
                remedy=f"Its layers are 0 to {of - 1}.",
            )
        return self.layers

    def _attend(
        self, tools: Toolbox, passages: Sequence[Passage], sentences: Sequence[Sentence]
    ) -> Scores:
        """Return a score for each sentence, from the look-ahead where it read these passages."""
        assert self.by != "bm25"  # noqa: S101 -- the caller asked
        heard = tools.passages.sampled_attention
        if heard is not None:
            way = Way(self.chosen_layers(tools, heard.of), self.mean, self.by)
            found = heard.scores(passages, sentences, way)
            if found is not None:
                return found
        due = tools.budget.due(DRAFTING_SHARE)
        with tools.models.lend_attention() as reader:
            way = Way(self.chosen_layers(tools, reader.layers), self.mean, self.by)
            try:
                return attend(
                    *(reader, passages, sentences, tools.query.text, way), lambda: is_past(due)
                )
            except Cancelled as error:
                if tools.budget.late():
                    raise time_spent(tools.timings) from error
                raise RuntimeFailed(
                    "Half of the time that was left went by while attention was read.",
                    remedy="Give a longer --time-budget, or use --effort quick.",
                ) from error
