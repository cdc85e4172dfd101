"""`auto`: every stage that pays for this question on this machine, and no other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from engine.agreement.consensus import Same, as_alike, by_overlap, consensus
from engine.agreement.votes import sameness
from engine.checking import abstention
from engine.errors import BudgetTooSmall, TimeSpent
from engine.events import Decided, Noted, Steps
from engine.generation.draft import Draft
from engine.generation.lookahead import Sample
from engine.question.expansion import expanded, unknown_words
from engine.retrieval.recall import Scores, best_first
from engine.routes import routing
from engine.routes.facts import Facts, by_now, facts_of
from engine.routes.labels import by_words
from engine.routes.routing import When, WhenLooking
from engine.stages import stage
from engine.strategies.computation import understood
from engine.strategies.conditional import take
from engine.strategies.embedding import CeFilter
from engine.strategies.fb_rag import FBRag, LookAheadResult
from engine.strategies.second_look import second_look_of
from engine.strategies.self_consistency import SelfConsistency
from engine.strategies.youra import Youra
from engine.toolbox.steps import Toolbox
from models.errors import ContextExceeded

EMBEDDING = CeFilter()
"""Ranks where an encoder is installed. Conditional embeddings beside it left recall@5 the same
(0.798 and 0.797, 120 questions) and cost twice the encoding."""
AFTER_EMBEDDING = FBRag(fusion="normalised")
"""Its scores are not those of BM25, so samples are joined with them on one scale."""


@dataclass(frozen=True)
class Auto:
    """Route, expand, recall, embed, look ahead, compress, vote, write; where nothing answers, on.

    `engine.routes.routing` has the rules. A parameter takes one out of their hands.
    """

    name: ClassVar[str] = "auto"
    summary: ClassVar[str] = "decides stage by stage what a question needs; --explain says why"
    expand: When = "auto"
    embed: When = "auto"
    look: WhenLooking = "auto"
    compress: When = "auto"
    vote: When = "auto"
    again: When = "auto"

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Take a route of its own, or retrieve, write, and look again for what is missing."""
        draft = yield from self._by_route(tools)
        if draft is not None:
            return draft
        tools = yield from self._find_words(tools)
        facts = facts_of(tools, (yield from tools.recall()))
        tools, ranker = yield from self._embed(tools, facts)
        tools, looked, chosen = yield from self._look(tools, facts, ranker)
        if chosen and (yield from self._votes(tools, facts, looked)):
            draft = yield from SelfConsistency().over(tools, chosen)
        else:
            draft = yield from tools.write(chosen)
        if not missing(tools, draft):
            return draft
        try:
            return (yield from self._look_again(tools, facts, looked, draft, ranker))
        except (TimeSpent, BudgetTooSmall, ContextExceeded) as error:
            yield Noted(f"The second look was broken off: {error.message}")
            return draft

    def _by_route(self, tools: Toolbox) -> Steps[Draft | None]:
        """Return the draft of a summary, a key or a computation; None for other questions."""
        world, read = understood(tools)
        found = by_words(tools.query.text, read)
        decided = routing.route(found, tools.task.personal)
        yield decided
        if found is None or not decided.taken:
            return None
        return (yield from take(tools, found.label, world, read))

    def _find_words(self, tools: Toolbox) -> Steps[Toolbox]:
        """Let recall look for other words too, where the question's own do not occur."""
        words, unknown = unknown_words(tools.query.text, tools.corpus)
        rule = routing.expand(unknown, words)
        if not (yield from _decide(rule, self.expand)):
            return tools
        return tools.looking_for((yield from _expand(tools)))

    def _embed(self, tools: Toolbox, facts: Facts) -> Steps[tuple[Toolbox, FBRag]]:
        """Let an encoder rank where that pays; return how samples are joined with the scores."""
        if not (yield from _decide(routing.embed(facts, bool(tools.words)), self.embed)):
            return tools, FBRag()
        scores = yield from tools.recall()
        ranked = yield from EMBEDDING.rank(tools, tools.query.text, scores)
        return tools.ranked_by(ranked), AFTER_EMBEDDING

    def _look(
        self, tools: Toolbox, facts: Facts, ranker: FBRag
    ) -> Steps[tuple[Toolbox, LookAheadResult, list[int]]]:
        """Look ahead where it pays; return the result and the passages for the generator.

        Compression is decided first, so that attention can be read while samples are drawn, at no
        cost.
        """
        looks = yield from _decide(routing.look_ahead(facts), self.look)
        cuts = yield from _decide(routing.compress(facts), self.compress)
        if cuts:
            tools = tools.compressing(tools.compressor or Youra())
        if looks:
            looked = yield from ranker.look(tools)
        else:
            scores = yield from tools.recall()
            fitting = tools.fit_generator(scores) if facts.fitting else []
            looked = LookAheadResult(scores, sorted(fitting), [])
        return tools, looked, _for_cutting(tools, looked.scores) if cuts else looked.chosen

    def _votes(self, tools: Toolbox, facts: Facts, looked: LookAheadResult) -> Steps[bool]:
        """Decide whether several readings vote."""
        rule = routing.vote(facts, agreement(looked.samples, sameness(tools)))
        return (yield from _decide(rule, self.vote))

    def _look_again(
        self, tools: Toolbox, facts: Facts, looked: LookAheadResult, draft: Draft, ranker: FBRag
    ) -> Steps[Draft]:
        """Look ahead if that was left out; then rewrite the question or ask in steps."""
        unread = len(set(tools.passages.allowed()) - set(looked.chosen))
        rule = routing.look_ahead_after_all(by_now(tools, facts), bool(looked.samples), unread)
        if self.look != "never" and (yield from _decide(rule, "auto")):
            draft = better(tools, draft, (yield from _look_after_all(tools, looked, ranker)))
        if not missing(tools, draft):
            return draft
        facts = by_now(tools, facts)
        found = second_look_of(tools, facts, looked.scores)
        rule = routing.again(facts, found.tokens if found else None, unread)
        if not (yield from _decide(rule, self.again)) or found is None or found.strategy is None:
            return draft
        if found.said:
            yield Noted(found.said)
        return better(tools, draft, (yield from found.strategy.run(tools)))


def missing(tools: Toolbox, draft: Draft) -> bool:
    """Say whether a draft would become an abstention."""
    unsure = draft.confidence is not None and draft.confidence < tools.settings.least_confidence
    return unsure or abstention.denies(draft.text, draft.evidence)


def better(tools: Toolbox, first: Draft, second: Draft) -> Draft:
    """Return the second draft if it answers, else the first, which read the best passages."""
    return first if missing(tools, second) else second


def agreement(samples: Sequence[Sample], same: Same = as_alike) -> float | None:
    """Return the share of the samples that say what most of them say; None where none answers."""
    answers = [sample.answer for sample in samples if sample.answer]
    if not answers:
        return None
    votes = consensus(answers, by_overlap("token_f1"), same).votes
    return votes.votes / votes.of


def _decide(rule: Decided, when: WhenLooking) -> Steps[bool]:
    """Report a decision: the person's request, else the rule's. Return whether the stage runs."""
    decided = routing.by_request(rule.stage, when) or rule
    yield decided
    return decided.taken


@stage("lookahead")
def _expand(tools: Toolbox) -> Steps[str]:
    with tools.models.lend("lookahead") as model:
        words = expanded(model, tools.query.text, tools.corpus.passages, tools.settings.seed)
    yield Noted(f"also looked for: {words or 'nothing, the model named no word'}")
    return words


def _look_after_all(tools: Toolbox, before: LookAheadResult, ranker: FBRag) -> Steps[Draft]:
    """Return a draft from the passages that looking ahead finds; an empty one where none is new."""
    looked = yield from ranker.look(tools)
    if not set(looked.chosen) - set(before.chosen):
        return Draft("", ())
    return (yield from tools.write(looked.chosen))


def _for_cutting(tools: Toolbox, scores: Scores) -> list[int]:
    """Return more passages than the generator could read whole, in document order."""
    try:
        return sorted(tools.fit_lookahead(scores))
    except BudgetTooSmall:
        return [int(best_first(scores)[0])]
