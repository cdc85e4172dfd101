"""Candidates of recall ranked by an encoder (TTRAG section 3.1 and A.6)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from engine.events import Noted, Steps
from engine.generation.draft import Draft
from engine.retrieval.constraints import constrained
from engine.retrieval.embedding import (
    Similarity,
    best_candidates,
    conditioned_similarity,
    encoded_all,
    nearest,
    room_behind,
    similarity,
)
from engine.retrieval.embedding import reranked as ranked_anew
from engine.retrieval.recall import Scores
from engine.stages import staged
from engine.toolbox.steps import Toolbox
from engine.values import Passage
from models.encoder import Encoder

Retriever = Literal["bm25", "embedding"]
CANDIDATES = 64
"""As many as an encoder of 22 million parameters reads in 3 to 7 s on two cores."""
LEAST_ROOM = 64
"""Fewest tokens of a passage that the encoder must read behind the question: with fewer it would
judge by the heading."""


@dataclass(frozen=True)
class CeFilter:
    """CE (filtering only): ordinary embeddings rank what BM25 found."""

    name: ClassVar[str] = "ce_filter"
    summary: ClassVar[str] = "an encoder ranks the candidates of BM25"
    candidates: int = CANDIDATES
    weight: float = field(default=0.5, metadata={"most": 1})
    """Of the encoder's score against that of BM25; 1 is the paper's."""
    retriever: Retriever = "bm25"
    """What finds the candidates. The paper's is "embedding", which encodes all passages once."""

    @property
    def least_room(self) -> int:
        """Tokens that the encoder must have room for beside the question."""
        return 0

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Recall, rank the candidates, write."""
        scores = yield from tools.recall()
        scores = yield from self.rank(tools, tools.query.text, scores)
        return (yield from tools.write(tools.fit_generator(scores)))

    def rank(
        self, tools: Toolbox, question: str, scores: Scores, seen: Sequence[int] = ()
    ) -> Steps[Scores]:
        """Return scores with the candidates ranked anew; without one no encoder is loaded.

        Passages that were seen are no candidates. Where the question is too long for the encoder
        the scores stay the same, and the answer says so.
        """
        return staged("select", tools.timings, self._rank(tools, question, scores, seen))

    def _rank(
        self, tools: Toolbox, question: str, scores: Scores, seen: Sequence[int]
    ) -> Steps[Scores]:
        if not scores.any() and self.retriever == "bm25":
            return scores
        with tools.models.lend_encoder() as encoder:
            if room_behind(encoder, question) < self.least_room:
                yield Noted("BM25 ranks alone: the question is too long for the encoder.")
                return scores
            near = scores
            if self.retriever == "embedding":
                near = yield from _nearest(tools, encoder, question)
                near[list(seen)] = 0.0
            best = best_candidates(near, self.candidates)
            candidates = tools.passages.readable_numbers(best)
            if not candidates:
                return scores
            by = self.similarity(encoder, question, tools.passages(candidates))
        if cut := int(by.cut.sum()):
            of = f"{cut:,} of {len(candidates):,} candidates"
            yield Noted(f"{of} are ranked by their beginnings: the encoder takes no more.")
        found = ranked_anew(scores, candidates, by.cosines, self.weight)
        yield tools.passages.ranked("select", found, {"backward": scores})
        return found

    def similarity(
        self, encoder: Encoder, question: str, passages: Sequence[Passage]
    ) -> Similarity:
        """Return what ranks the candidates."""
        return similarity(encoder, question, passages)


@dataclass(frozen=True)
class Ce(CeFilter):
    """Conditional embeddings: each candidate is encoded behind the question."""

    name: ClassVar[str] = "ce"
    summary: ClassVar[str] = "an encoder reads each candidate with the question in mind"
    plain: float = field(default=0.5, metadata={"most": 1})
    """Share of ordinary embeddings in the encoder's cosine; 0 is the paper's."""

    @property
    def least_room(self) -> int:
        """Tokens that the encoder must have room for beside the question."""
        return LEAST_ROOM

    def similarity(
        self, encoder: Encoder, question: str, passages: Sequence[Passage]
    ) -> Similarity:
        """Return what ranks the candidates."""
        conditioned = conditioned_similarity(encoder, question, passages)
        if not self.plain:
            return conditioned
        return conditioned.joined(similarity(encoder, question, passages), self.plain)


def _nearest(tools: Toolbox, encoder: Encoder, question: str) -> Steps[Scores]:
    """Return cosines with all passages that the query's operators allow; encode them if need be."""
    began, done = time.monotonic(), 0
    for done in encoded_all(encoder, tools.corpus):
        tools.budget.require_time()
        yield Noted(f"{done:,} of {len(tools.corpus.passages):,} passages are encoded")
    if done:
        yield Noted(f"encoding took {time.monotonic() - began:.0f} s, once for these files")
    return constrained(nearest(encoder, question, tools.corpus), tools.query, tools.corpus)
