"""The second look of `auto`: another question or sub-questions, as far as the tokens reach."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from engine.budget.effort import Costs, Theta, iterdrag_tokens, iterdrag_within
from engine.prompts.demonstrations import worked
from engine.retrieval.recall import Scores
from engine.routes.facts import Facts, passage_tokens
from engine.settings import PROMPT_TOKENS
from engine.strategies.drag import IterDRAG
from engine.strategies.rewrite import Rewrite
from engine.toolbox.steps import Toolbox


@dataclass(frozen=True, slots=True)
class SecondLook:
    """A strategy for the second look, and its cost."""

    strategy: IterDRAG | Rewrite | None
    """None where too few tokens are left."""
    tokens: int
    """Most input tokens of the strategy; without one, those that the smallest would need."""
    said: str = ""
    """How its parameters were chosen."""


def second_look_of(tools: Toolbox, facts: Facts, scores: Scores) -> SecondLook | None:
    """Return the second look that the tokens allow; None where there is no passage to read."""
    passage = passage_tokens(tools, scores)
    if not passage:
        return None
    return _in_steps(tools, passage) if facts.several else _otherwise(tools, passage)


def _in_steps(tools: Toolbox, passage: float) -> SecondLook:
    """Return sub-questions, their k, m and n by the computation allocation model."""
    costs = costs_of(tools, passage)
    allocation = tools.budget.spending.allocation
    window = tools.window - tools.task.answer_tokens
    theta = iterdrag_within(tools.budget.tokens_left, window, costs, allocation)
    if theta is None:
        return SecondLook(None, int(iterdrag_tokens(Theta(1, 0, 1), costs)))
    said = (
        f"{theta.k} documents a round, {theta.m} examples, {theta.n} follow-up questions at most: "
        f"chosen by {allocation.source}"
    )
    tokens = iterdrag_tokens(theta, costs)
    return SecondLook(IterDRAG(theta.k, theta.m, theta.n), int(tokens), said)


def costs_of(tools: Toolbox, passage: float) -> Costs:
    """Return the token costs of passages of this length and of the examples."""
    known = tools.known_examples

    @cache
    def examples(wanted: int, documents: int) -> float:
        turns = [turn for one in known[:wanted] for turn in worked("iterdrag", one, documents)]
        model = tools.models.roles.generator
        return model.count(model.render(turns)) if turns else 0

    return Costs(passage, examples, len(known), tools.budget.limits.generator_tokens)


def _otherwise(tools: Toolbox, passage: float) -> SecondLook:
    """Return rewriting with as many passages as the tokens allow."""
    usual = Rewrite()
    ways = [
        (documents * (rewrites + 1), documents, rewrites)
        for documents in range(1, usual.documents + 1)
        for rewrites in range(1, usual.rewrites + 1)
    ]
    for total, documents, rewrites in sorted(ways, reverse=True):
        tokens = rewriting_tokens(documents, rewrites, passage)
        if tokens <= tools.budget.tokens_left:
            said = f"{documents} passages a round, {rewrites} further questions at most"
            return SecondLook(Rewrite(documents, rewrites, total), tokens, said)
    return SecondLook(None, rewriting_tokens(1, 1, passage))


def rewriting_tokens(documents: int, rewrites: int, passage: float) -> int:
    """Return the most input tokens that rewriting takes.

    Every round reads its passages. The last reading is of all of them.
    """
    rounds = (rewrites + 1) * (documents * passage + PROMPT_TOKENS)
    everything = (rewrites + 1) * documents * passage + PROMPT_TOKENS
    return int(rounds + everything)
