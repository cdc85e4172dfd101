"""The passages of one question: their scores, and what models read of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

import numpy as np

from engine.attention.sentence_attention import SampledAttention
from engine.events import Ranked, Selected, StageName
from engine.generation.lookahead import Sample
from engine.injection import order_guard
from engine.prompts.tasks import TASKS
from engine.prompts.templates import fence_of
from engine.retrieval import selection
from engine.retrieval.constraints import allowed, constrained
from engine.retrieval.corpus import Corpus
from engine.retrieval.recall import Scores, best_first
from engine.retrieval.series import Series, series_of, with_nearest
from engine.retrieval.versions import VersionMeant, meant_last, version_meant, with_meant
from engine.values import Passage, Query
from models.protocols import Generator

RANKED_SHOWN = 20
"""Passages in a `Ranked` event."""


@dataclass(kw_only=True)
class Passages:
    """The passages that were read for a question, named by their numbers in the corpus."""

    query: Query
    corpus: Corpus
    present: datetime
    """The present moment, aware: which occurrence of a repeating event comes next."""
    guard: bool = False
    """Whether orders to a model are cut from passages."""
    recalled: dict[str, Scores] = field(default_factory=dict)
    """S(c; text) of every passage as recall found them, by text."""
    sampled_attention: SampledAttention | None = None
    """Attention that was read while the look-ahead model drew samples."""
    with_orders: dict[int, Passage] = field(default_factory=dict)
    """Passages with orders that no evidence holds, because the guard left nothing of them; by
    identity."""
    fence: str = ""
    """What stands around the passages of a prompt."""
    _series: Series | None = None
    _cut: dict[int, Passage | None] = field(default_factory=dict)
    """What is left of passages that were cut, by their numbers."""
    _guarded: dict[int, tuple[Passage, Passage | None]] = field(default_factory=dict)
    """Passages, and what is left of them without orders to a model, by number."""

    def __call__(self, chosen: Sequence[int]) -> tuple[Passage, ...]:
        """Return passages by number, each as it was cut, without those that were cut away."""
        return tuple(self._each(chosen))

    def asking(self, query: Query) -> Passages:
        """Return the same passages, whole, for another question."""
        return replace(self, query=query, sampled_attention=None, _cut={})

    def fence_around(self, evidence: Sequence[Passage]) -> str:
        """Return what stands around these passages in a prompt.

        It is the same for all readings of a question, so that they share what they have in common,
        unless a passage happens to hold it.
        """
        if evidence and (not self.fence or any(self.fence in one.text for one in evidence)):
            self.fence = fence_of(evidence)
        return self.fence

    def scores(self, texts: Sequence[str]) -> Scores:
        """Return S(c; text) of every text and every passage, shape (texts, passages)."""
        found = constrained(self.corpus.recall.scores(texts), self.query, self.corpus)
        if self._series is None:
            self._series = series_of(self.corpus.passages)
        near = with_nearest(found, self._series, self.corpus.passages, self.present)
        if self.meant is None:
            return near
        return np.stack([with_meant(row, self.corpus.passages, self.meant) for row in near])

    @cached_property
    def meant(self) -> VersionMeant | None:
        """Which of several versions is meant: a data set's question means its own."""
        personal = TASKS[self.query.task].personal
        return version_meant(self.query.text, self.present.date()) if personal else None

    def in_order(self, chosen: Sequence[int]) -> list[int]:
        """Return passages for a prompt: of each subject the version that is meant comes last."""
        if self.meant is None:
            return list(chosen)
        return meant_last(chosen, self.corpus.passages, self.meant)

    def scores_of(self, text: str) -> Scores:
        """Return S(c; text) of every passage."""
        found: Scores = self.scores([text])[0]
        return found

    def forward(self, samples: Sequence[Sample]) -> Scores:
        """Return S(c; [R_k, A_k]) of every sample and every passage, shape (K, passages)."""
        return self.scores([sample.text for sample in samples])

    def allowed(self) -> list[int]:
        """Return the passages that phrases and exclusions allow, in document order."""
        numbers: list[int] = np.flatnonzero(allowed(self.query, self.corpus)).tolist()
        return numbers

    def fit(
        self, scores: Scores, model: Callable[[], Generator], tokens: int, share: float
    ) -> list[int]:
        """Return the best passages within so many tokens, at least at this share of the best.

        Without a hit it returns all passages in order, if they fit: a question need not share a
        word with its answer, and what fits needs no ranking. Without passages no model is loaded.
        """
        if scores.any():
            return selection.fit(self.corpus.passages, scores, tokens, model(), share)
        numbers = self.allowed()
        if not selection.may_fit(self._each(numbers), tokens):
            return []
        passages = self(numbers)
        return numbers if passages and selection.fits(passages, tokens, model()) else []

    def ranked(
        self, stage: StageName, scores: Scores, parts: Mapping[str, Scores] | None = None
    ) -> Ranked:
        """Describe a ranking: its best passages that score above 0."""
        hits = (int(i) for i in best_first(scores)[:RANKED_SHOWN] if scores[i] > 0)
        best = self.readable_numbers(list(hits))
        shown = {name: [float(one[i]) for i in best] for name, one in (parts or {}).items()}
        return Ranked(stage, self(best), [float(scores[i]) for i in best], shown)

    def selected(self, stage: StageName, chosen: Sequence[int]) -> Selected:
        """Describe the passages that a stage keeps."""
        return Selected(stage, self(chosen), len(self.corpus.passages))

    @property
    def is_cut(self) -> bool:
        """Whether any passage was cut."""
        return bool(self._cut)

    def cut(self, left: Mapping[int, Passage | None]) -> None:
        """Show only what is left of these passages from now on; None: nothing is left."""
        self._cut.update(left)

    def uncut_numbers(self, chosen: Sequence[int]) -> list[int]:
        """Return the passages that are not cut yet and that models may read, at least in part."""
        return self.readable_numbers([number for number in chosen if number not in self._cut])

    def readable_numbers(self, chosen: Sequence[int]) -> list[int]:
        """Return the passages that models may read, at least in part."""
        return [number for number in chosen if self._left(number) is not None]

    def readable(self, passage: Passage) -> Passage | None:
        """Return what models may read of a passage without a number; note it if it has an order."""
        left = order_guard.guarded(passage)
        if left is not passage:
            self.with_orders[id(passage)] = passage
        return left if self.guard else passage

    def _each(self, chosen: Sequence[int]) -> Iterator[Passage]:
        """Yield what `__call__` returns; to guard a passage takes longer than to rank it."""
        for number in chosen:
            left = self._left(number)
            if left is not None:
                yield left
            elif (cut := self._cut_of(number)) is not None:
                self.with_orders[id(cut)] = cut

    def _cut_of(self, number: int) -> Passage | None:
        return self._cut.get(number, self.corpus.passages[number])

    def _left(self, number: int) -> Passage | None:
        """Return what models may read of a passage."""
        passage = self._cut_of(number)
        if passage is None or not self.guard:
            return passage
        known, left = self._guarded.get(number, (None, None))
        if known is not passage:
            left = order_guard.guarded(passage)
            self._guarded[number] = passage, left
        return left
