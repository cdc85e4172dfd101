"""ET2RAG: organised subsets, short answers, a vote, one whole answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

from engine.agreement.consensus import Similarity
from engine.agreement.votes import Ballot, generated, read_each
from engine.budget.work import RoleName
from engine.checking.abstention import denies
from engine.events import Noted, Steps
from engine.generation.draft import Draft
from engine.retrieval import selection
from engine.retrieval.recall import Scores
from engine.settings import PROMPT_TOKENS
from engine.toolbox.steps import Toolbox

Organisation = Literal["top", "contiguous", "round_robin"]
Filling = Literal["share", "whole"]
WIDER = 2
"""Whole readings come from the best passages within so many times Y."""


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
    fill: Filling = "share"
    """share: Y tokens are dealt out; whole: each subset takes up to Y, so that subsets overlap."""
    similarity: Similarity = "token_f1"
    writer: RoleName = "generator"
    """Which model writes the V answers; the paper's is the generator."""

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Recall, then vote over what is ranked best."""
        return (yield from self.over(tools, (yield from tools.recall())))

    def over(self, tools: Toolbox, scores: Scores) -> Steps[Draft]:
        """Organise, answer each subset briefly, vote, write the winner's answer out."""
        ranked = tools.fit_generator(scores)
        if not ranked:
            return Draft("", ())
        if self.fill == "whole":
            subsets, needed = _whole(tools, scores, self.subsets, self.organisation)
        else:
            subsets, needed = self._subsets(tools, ranked)
        if tools.task.personal and len(subsets) < 2:
            return (yield from _without_vote(tools, ranked))
        before = generated(tools.budget.usage)
        readings = yield from read_each(tools, subsets, self.tokens, self.writer)
        short = generated(tools.budget.usage) - before
        heard = [i for i, text in enumerate(readings) if i < needed or not denies(text)]
        if tools.task.personal and len(heard) < 2:
            return (yield from _without_vote(tools, ranked))
        ballot = Ballot(
            tools,
            [readings[i] for i in heard],
            self.similarity,
            lambda reading: tools.write(subsets[heard[reading]]),
            short,
        )
        return (yield from ballot.settle())

    def _subsets(self, tools: Toolbox, ranked: Sequence[int]) -> tuple[list[list[int]], int]:
        """Return the subsets, and how many of them vote even where they find nothing.

        A person wants to know whether the evidence agrees. Readings that all hold the best passage
        cannot contradict it, so one more reads the other passages alone, as long as the tokens
        last. Two passages are read separately.
        """
        subsets = organise(ranked, self.subsets, self.organisation)
        together = self.organisation == "top" and min(self.subsets, len(ranked)) > 1
        if not (together and tools.task.personal):
            return subsets, len(subsets)
        if len(subsets) == 1:
            return organise(ranked, 2, "contiguous"), 0
        more = [*subsets, list(ranked[1:])]
        return (more if _affordable(tools, more) else subsets), len(subsets)


def _affordable(tools: Toolbox, subsets: Sequence[Sequence[int]]) -> bool:
    """Say whether the tokens suffice for all subsets, a whole answer and its judgement."""
    model = tools.models.roles.generator
    costs = [PROMPT_TOKENS + selection.tokens(tools.passages(one), model) for one in subsets]
    return sum(costs) + 2 * max(costs) <= tools.budget.tokens_left


def _without_vote(tools: Toolbox, ranked: Sequence[int]) -> Steps[Draft]:
    """Return an answer from all that fits, without a vote."""
    yield Noted("At most one reading has an answer, so there was no vote.")
    return (yield from tools.write(ranked))


def _whole(
    tools: Toolbox, scores: Scores, subsets: int, how: Organisation
) -> tuple[list[list[int]], int]:
    """Return subsets of Y tokens each: its share of the best 2 Y tokens, then the best others."""
    model, limit = tools.models.of("generator"), tools.budget.limits.generator_tokens
    passages = tools.corpus.passages
    wide = selection.fit(passages, scores, WIDER * limit, model)
    filled = []
    for own in organise(wide, subsets, how):
        raised = scores.copy()
        raised[own] += scores.max()
        filled.append(selection.fit(passages, raised, limit, model))
    return filled, len(filled)
