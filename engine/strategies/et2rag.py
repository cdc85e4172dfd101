"""ET2RAG: organised subsets, short answers, a vote, one whole answer."""

from __future__ import annotations

from collections.abc import Generator as Steps
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

from engine.consensus import Similarity
from engine.drafts import Draft
from engine.events import Event
from engine.pace import RoleName
from engine.steps import Toolbox
from engine.voting import dissent, read_each, vote

Organisation = Literal["top", "contiguous", "round_robin"]


def organise(ranked: Sequence[int], subsets: int, how: Organisation) -> list[list[int]]:
    """Return at most `subsets` subsets of ranked passages, none empty.

    "top": each holds the best passage and a different share of the rest, dealt out in turn;
    "contiguous": runs of the ranking; "round_robin": all dealt out in turn.
    """
    if how == "top" and len(ranked) > 1:
        rest = ranked[1:]
        return [[ranked[0], *rest[i::subsets]] for i in range(min(subsets, len(rest)))]
    count = min(subsets, len(ranked))
    if how == "contiguous":
        edges = [len(ranked) * i // count for i in range(count + 1)]
        return [list(ranked[a:b]) for a, b in pairwise(edges)]
    return [list(ranked[i::count]) for i in range(count)]


@dataclass(frozen=True)
class ET2RAG:
    """Stable organised retrieval, fast generation, consensus, one full generation (figure 2)."""

    name: ClassVar[str] = "et2rag"
    summary: ClassVar[str] = "short answers from several subsets vote; the best one is written out"
    subsets: int = 5
    """V."""
    tokens: int = 16
    """T, where each of the V answers is cut."""
    organisation: Organisation = "top"
    similarity: Similarity = "token_f1"
    writer: RoleName = "generator"
    """Which model writes the V answers; the paper's is the generator."""

    def run(self, tools: Toolbox) -> Steps[Event, None, Draft]:
        """Organise, answer each subset briefly, vote, write the winner's answer out."""
        scores = yield from tools.recall()
        ranked = tools.fit_generator(scores)
        if not ranked:
            return Draft("", ())
        subsets = organise(ranked, self.subsets, self.organisation)
        readings = yield from read_each(tools, subsets, self.tokens, self.writer)
        voted = yield from vote(tools, readings, self.similarity)
        draft = yield from tools.write(subsets[voted.winner])
        others = [subsets[i] for i in voted.dissenters]
        return (yield from dissent(tools, draft, voted, others))
