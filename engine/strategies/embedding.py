"""Candidates of recall ranked by an encoder (TTRAG section 3.1 and A.6)."""

from __future__ import annotations

from collections.abc import Generator as Steps
from dataclasses import dataclass, field
from typing import ClassVar

from engine.drafts import Draft
from engine.embedding import best_candidates, candidate_count, conditioned_cosines, cosines
from engine.embedding import reranked as ranked_anew
from engine.events import Event
from engine.recall import Scores
from engine.stages import staged
from engine.steps import Toolbox


@dataclass(frozen=True)
class CeFilter:
    """CE (filtering only): ordinary embeddings rank what BM25 found."""

    name: ClassVar[str] = "ce_filter"
    summary: ClassVar[str] = "an encoder ranks the candidates of BM25"
    candidates: int = field(default=0, metadata={"least": 0})
    """0: as many as this machine encodes in a few seconds."""
    weight: float = field(default=0.5, metadata={"most": 1})
    """Of the encoder's score against that of BM25; 1 is the paper's."""
    conditioned: ClassVar[bool] = False

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
            candidates = best_candidates(scores, self.candidates or candidate_count(encoder))
            measure = conditioned_cosines if self.conditioned else cosines
            by = measure(encoder, question, tools.passages(candidates))
        found = ranked_anew(scores, candidates, by, self.weight)
        yield tools.ranked("select", found, {"backward": scores})
        return found


@dataclass(frozen=True)
class Ce(CeFilter):
    """Conditional embeddings: each candidate is encoded behind the question."""

    name: ClassVar[str] = "ce"
    summary: ClassVar[str] = "an encoder reads each candidate with the question in mind"
    conditioned: ClassVar[bool] = True
