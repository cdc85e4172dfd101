"""TTRAG as a whole: compute, embeddings and rewriting, each where it is needed (section 3)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from engine.events import Noted, Steps
from engine.generation.draft import Draft
from engine.strategies.conditional import Conditional
from engine.strategies.embedding import CANDIDATES, Retriever
from engine.strategies.rewrite import Ranker, Rewrite
from engine.toolbox.steps import Toolbox


@dataclass(frozen=True)
class TTRAG(Conditional):
    """Conditional compute takes a route; ordinary questions are asked again until answered.

    Each round ranks the candidates of BM25 by an encoder, joined with BM25. With the encoder of the
    catalogue plain embeddings find as much as conditional ones and cost half as much, so they are
    the default. The paper's system is `mode=question,ranker=ce,weight=1,plain=0,
    retriever=embedding` for questions, and `mode=auto` for the rest.
    """

    name: ClassVar[str] = "ttrag"
    summary: ClassVar[str] = "a route for each kind of question; an encoder ranks, rewriting asks"
    ranker: Ranker = "ce_filter"
    weight: float = field(default=0.5, metadata={"most": 1})
    """Of the encoder's score against that of BM25; 1 is the paper's."""
    documents: int = 3
    """Passages a round."""
    rewrites: int = 3
    """Rewritten questions at most."""
    total: int = 12
    """Passages over all rounds at most (k)."""
    plain: float = field(default=0.5, metadata={"most": 1})
    """Share of ordinary embeddings in the cosine of `ranker=ce`; 0 is the paper's."""
    candidates: int = CANDIDATES
    retriever: Retriever = "bm25"
    """What finds the candidates; the paper's is "embedding"."""

    def retrieve(self, tools: Toolbox) -> Steps[Draft]:
        """Rank and rewrite; where no encoder is installed BM25 ranks alone, and that is said."""
        ranker = self.ranker
        if ranker != "bm25" and tools.models.roles.encoder_id is None:
            yield Noted("BM25 ranks alone: no encoder is installed.")
            tools.replace_strategy(self, replace(self, ranker="bm25"))
            ranker = "bm25"
        rewriting = Rewrite(
            self.documents,
            self.rewrites,
            self.total,
            ranker,
            self.weight,
            self.plain,
            self.candidates,
            self.retriever,
        )
        return (yield from rewriting.run(tools))
