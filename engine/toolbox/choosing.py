"""Scores the passages of a corpus for one question, and says which of them models read, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.budget.pace import RoleName
from engine.events import Ranked, Selected, StageName
from engine.generation.lookahead import Sample
from engine.injection import guarding
from engine.retrieval import selection
from engine.retrieval.constraints import allowed, constrained
from engine.retrieval.corpus import Corpus
from engine.retrieval.recall import Scores, best_first
from engine.settings import Budget
from engine.toolbox.lending import Lender
from engine.values import Passage, Query

RANKED_SHOWN = 20
"""Passages in a `Ranked` event."""


@dataclass(kw_only=True)
class Chooser(Lender):
    """The passages of one question; they are named by their numbers in the corpus."""

    query: Query
    corpus: Corpus
    budget: Budget
    cut: dict[int, Passage | None] = field(default_factory=dict)
    """What a compressor made of passages, by their numbers."""
    guard: bool = False
    """Whether what reads like an order to a model is cut from passages."""
    guarded: dict[int, tuple[Passage, Passage | None]] = field(default_factory=dict)
    """Passages and what is left of them without such orders, by their numbers."""
    with_orders: dict[int, Passage] = field(default_factory=dict)
    """Passages with orders that were to be read and stand in no evidence, by identity."""

    def forward(self, samples: Sequence[Sample]) -> Scores:
        """Return S(c; [R_k, A_k]) for every sample and every passage, shape (K, passages)."""
        return self._scores([sample.text for sample in samples])

    def scores_of(self, text: str) -> Scores:
        """Return S(c; text) for every passage."""
        scores: Scores = self._scores([text])[0]
        return scores

    def _scores(self, texts: Sequence[str]) -> Scores:
        return constrained(self.corpus.recall.scores(texts), self.query, self.corpus)

    def fit_lookahead(self, scores: Scores) -> list[int]:
        """Return the best passages within X tokens, best first; none loads no model."""
        budget = self.budget
        return self._fit(scores, "lookahead", budget.lookahead_tokens, budget.lookahead_share)

    def fit_generator(self, scores: Scores, share: float | None = None) -> list[int]:
        """Return the best passages within Y tokens, best first; none loads no model.

        They score at least this share of the best; None: the share that the effort has.
        """
        budget = self.budget
        least = budget.generator_share if share is None else share
        return self._fit(scores, "generator", budget.generator_tokens, least)

    def _fit(self, scores: Scores, role: RoleName, tokens: int, share: float) -> list[int]:
        """Return what fits; without a hit all passages, in order, if there are so few.

        A question need not share a word with its answer, and what fits needs no ranking.
        """
        if scores.any():
            model = getattr(self.models, role)
            return selection.fit(self.corpus.passages, scores, tokens, model, share)
        numbers = self.all_allowed()
        passages = self.passages(numbers)
        if not passages or not selection.may_fit(passages, tokens):
            return []
        return numbers if selection.fits(passages, tokens, getattr(self.models, role)) else []

    def all_allowed(self) -> list[int]:
        """Return the passages that phrases and exclusions leave, in document order."""
        numbers: list[int] = np.flatnonzero(allowed(self.query, self.corpus)).tolist()
        return numbers

    def ranked(
        self, stage: StageName, scores: Scores, parts: Mapping[str, Scores] | None = None
    ) -> Ranked:
        """Describe a ranking: its best passages that score above 0."""
        hits = (int(i) for i in best_first(scores)[:RANKED_SHOWN] if scores[i] > 0)
        best = [i for i in hits if self._left(i) is not None]
        shown = {name: [float(one[i]) for i in best] for name, one in (parts or {}).items()}
        return Ranked(stage, self.passages(best), [float(scores[i]) for i in best], shown)

    def selected(self, stage: StageName, chosen: Sequence[int]) -> Selected:
        """Describe what a stage keeps."""
        return Selected(stage, self.passages(chosen), len(self.corpus.passages))

    def passages(self, chosen: Sequence[int]) -> tuple[Passage, ...]:
        """Return passages by number, as they were cut; one that kept nothing is left out."""
        found: list[Passage] = []
        for number in chosen:
            left = self._left(number)
            if left is not None:
                found.append(left)
            elif (cut := self._cut(number)) is not None:
                self.with_orders[id(cut)] = cut
        return tuple(found)

    def readable_numbers(self, chosen: Sequence[int]) -> list[int]:
        """Return those of which models may read something, as `passages` shows them."""
        return [number for number in chosen if self._left(number) is not None]

    def readable(self, passage: Passage) -> Passage | None:
        """Return what models may read of a passage that no number names; note one with an order."""
        left = guarding.guarded(passage)
        if left is not passage:
            self.with_orders[id(passage)] = passage
        return left if self.guard else passage

    def _cut(self, number: int) -> Passage | None:
        return self.cut.get(number, self.corpus.passages[number])

    def _left(self, number: int) -> Passage | None:
        """Return what models may read of a passage."""
        passage = self._cut(number)
        if passage is None or not self.guard:
            return passage
        known, left = self.guarded.get(number, (None, None))
        if known is not passage:
            left = guarding.guarded(passage)
            self.guarded[number] = passage, left
        return left
