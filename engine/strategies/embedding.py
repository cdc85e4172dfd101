"""Candidates of recall ranked by an encoder (TTRAG section 3.1 and A.6)."""

from __future__ import annotations

from collections.abc import Generator as Steps
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from engine.drafts import Draft
from engine.embedding import best_candidates, candidate_count, conditioned_cosines, cosines
from engine.embedding import reranked as ranked_anew
from engine.events import Event
from engine.recall import Scores
from engine.stages import staged
from engine.steps import Toolbox
from engine.values import Passage
from models.protocols import Encoder


@dataclass(frozen=True)
class CeFilter:
    """CE (filtering only): ordinary embeddings rank what BM25 found."""

    name: ClassVar[str] = "ce_filter"
    summary: ClassVar[str] = "an encoder ranks the candidates of BM25"
    candidates: int = field(default=0, metadata={"least": 0})
    """0: as many as this machine encodes in a few seconds."""
    weight: float = field(default=0.5, metadata={"most": 1})
    """Of the encoder's score against that of BM25; 1 is the paper's."""

    @property
    def passes(self) -> int:
        """How often each candidate is encoded."""
        return 1

    def run(self, tools: Toolbox) -> Steps[Event, None, Draft]:
        """Recall, rank the candidates, write."""
        scores = yield from tools.recall()
        scores = yield from self.rank(tools, tools.query.text, scores)
        return (yield from tools.write(tools.fit_generator(scores)))

    def rank(self, tools: Toolbox, question: str, scores: Scores) -> Steps[Event, None, Scores]:
        """Return scores with the candidates ranked anew; without a hit no encoder is loaded."""
        return staged("select", tools.timings, self._rank(tools, question, scores))

    def _rank(self, tools: Toolbox, question: str, scores: Scores) -> Steps[Event, None, Scores]:
        if not scores.any():
            return scores
        with tools.encoding() as encoder:
            count = self.candidates or candidate_count(encoder) // self.passes
            candidates = best_candidates(scores, count)
            by = self.cosines(encoder, question, tools.passages(candidates))
        found = ranked_anew(scores, candidates, by, self.weight)
        yield tools.ranked("select", found, {"backward": scores})
        return found

    def cosines(self, encoder: Encoder, question: str, passages: Sequence[Passage]) -> Scores:
        """Return what ranks the candidates, shape (passages,)."""
        return cosines(encoder, question, passages)


@dataclass(frozen=True)
class Ce(CeFilter):
    """Conditional embeddings: each candidate is encoded behind the question."""

    name: ClassVar[str] = "ce"
    summary: ClassVar[str] = "an encoder reads each candidate with the question in mind"
    plain: float = field(default=0.5, metadata={"most": 1})
    """Share of ordinary embeddings in the encoder's cosine; 0 is the paper's."""

    @property
    def passes(self) -> int:
        """How often each candidate is encoded."""
        return 2 if self.plain else 1

    def cosines(self, encoder: Encoder, question: str, passages: Sequence[Passage]) -> Scores:
        """Return what ranks the candidates, shape (passages,)."""
        conditioned = conditioned_cosines(encoder, question, passages)
        if not self.plain:
            return conditioned
        plain = cosines(encoder, question, passages)
        return (1 - self.plain) * conditioned + self.plain * plain
