"""TTRAG as a whole: compute, embeddings and rewriting, each where it is needed (section 3)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from engine.events import Noted, Steps
from engine.generation.draft import Draft
from engine.strategies.conditional import Conditional
from engine.strategies.rewrite import Ranker, Rewrite
from engine.toolbox.steps import Toolbox


@dataclass(frozen=True)
class TTRAG(Conditional):
    """Conditional compute takes a route; ordinary questions are asked again until answered.

    Each round ranks the candidates of BM25 by an encoder, joined with BM25. The paper's
    conditional embeddings are `ranker=ce`; with the encoder of the catalogue plain ones find as
    much and cost half as much, so they are the default.
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

    def retrieve(self, tools: Toolbox) -> Steps[Draft]:
        """Rank and rewrite; where no encoder is installed BM25 ranks alone, and that is said."""
        ranker = self.ranker
        if ranker != "bm25" and tools.models.roles.encoder_id is None:
            yield Noted("BM25 ranks alone: no encoder is installed.")
            tools.replace_strategy(self, replace(self, ranker="bm25"))
            ranker = "bm25"
        rewriting = Rewrite(self.documents, self.rewrites, self.total, ranker, self.weight)
        return (yield from rewriting.run(tools))
