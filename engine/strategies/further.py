"""What `auto` reads further while an answer is unsure: one step after another, cheapest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.agreement.consensus import Same, as_alike, by_overlap, consensus
from engine.agreement.votes import sameness
from engine.checking import abstention
from engine.errors import BudgetTooSmall, TimeSpent
from engine.events import Decided, Noted, Provisional, Steps
from engine.generation.draft import Draft
from engine.generation.lookahead import Sample
from engine.retrieval import selection, titles
from engine.retrieval.constraints import constrained
from engine.retrieval.fusion import reciprocal_ranks
from engine.retrieval.recall import Scores
from engine.routes import routing
from engine.routes.facts import Facts, by_now
from engine.routes.routing import When, WhenLooking
from engine.strategies.et2rag import ET2RAG
from engine.strategies.fb_rag import FBRag, LookAheadResult
from engine.strategies.readings import Readings
from engine.strategies.second_look import second_look_of
from engine.strategies.weigh_words import weighed
from engine.toolbox.steps import Toolbox
from models.errors import ContextExceeded, RuntimeFailed

Step = Callable[[Readings], Steps[Readings]]


@dataclass(frozen=True)
class Further:
    """The steps behind a first reading."""

    facts: Facts
    looked: LookAheadResult
    ranker: FBRag
    look: WhenLooking = "auto"
    read_on: When = "auto"
    weigh: When = "auto"
    again: When = "auto"
    vote: When = "auto"

    def read(self, readings: Readings) -> Steps[Draft]:
        """Return the best answer, after as many steps as it takes to be sure of one."""
        steps: tuple[Step, ...] = (
            *(self._read_about, self._read_on),
            *(self._look_ahead, self._look_again),
        )
        for step in steps:
            if self._settled(readings):
                break
            try:
                readings = yield from step(readings)
            except (TimeSpent, BudgetTooSmall, ContextExceeded) as error:
                yield Noted(f"Further reading was broken off: {error.message}")
                break
        return readings.best

    def _settled(self, readings: Readings) -> bool:
        """Say whether no further step is wanted: a data set's question needs only an answer."""
        if readings.lacking and len(readings.drafts) == 1:
            return False
        if readings.tools.task.personal:
            return readings.enough
        return not missing(readings.tools, readings.best)

    def _read_about(self, readings: Readings) -> Steps[Readings]:
        """Read what is nearest to the options of a comparison that no passage tells."""
        tools, lacking = readings.tools, readings.lacking
        if not lacking or not readings.chosen:
            return readings
        followed = (
            titles.follow(text, scores, tools.corpus.passages).scores
            for text, scores in zip(lacking, tools.passages.scores(lacking), strict=True)
        )
        rankings = [constrained(scores, tools.query, tools.corpus) for scores in followed]
        tokens = len(lacking) * tools.budget.limits.first_tokens // 2
        fresh = _fresh(readings, reciprocal_ranks(rankings), tokens)
        rule = routing.read_about(by_now(tools, self.facts), lacking, len(fresh))
        if not (yield from decide(rule, self.read_on)) or not fresh:
            return readings
        return (yield from _with(readings, fresh))

    def _read_on(self, readings: Readings) -> Steps[Readings]:
        """Read the next best passages behind those of the first reading, within Y tokens.

        They are the best by words of the same meaning, too, where a sparse encoder is installed.
        """
        tools = readings.tools
        if not (tools.task.personal and readings.chosen) or self.looked.samples:
            return readings
        limits = tools.budget.limits
        fresh = _fresh(readings, self.looked.scores, limits.generator_tokens - limits.first_tokens)
        rule = routing.read_on(by_now(tools, self.facts), len(fresh))
        if not (yield from decide(rule, self.read_on)) or not fresh:
            return readings
        weigh = routing.weigh(tools.models.roles.sparse_encoder_id is not None)
        if (yield from decide(weigh, self.weigh)):
            try:
                scores = yield from weighed(tools, self.looked.scores)
            except RuntimeFailed as error:
                yield Noted(f"What is read on is chosen by its own words alone: {error.message}")
            else:
                fresh = _fresh(readings, scores, limits.generator_tokens - limits.first_tokens)
        return (yield from _with(readings, fresh))

    def _look_ahead(self, readings: Readings) -> Steps[Readings]:
        """Let the small model look ahead, and read what that finds behind the rest."""
        tools = readings.tools
        unread = len(set(tools.passages.allowed()) - set(readings.chosen))
        facts = by_now(tools, self.facts)
        rule = routing.look_ahead_after_all(
            facts, bool(self.looked.samples), unread, missing(tools, readings.best)
        )
        if self.look == "never" or not (yield from decide(rule, "auto")):
            return readings
        yield from _provisional(readings)
        looked = yield from self.ranker.look(tools)
        if not tools.task.personal:
            fresh = looked.chosen if set(looked.chosen) - set(readings.chosen) else []
            return (yield from _with(readings, fresh, behind=False)) if fresh else readings
        rule = routing.vote(facts, agreement(looked.samples, sameness(tools)))
        if (yield from decide(rule, self.vote)):
            return readings.and_of([], (yield from ET2RAG().over(tools, looked.scores)))
        fresh = _fresh(readings, looked.scores, tools.budget.limits.first_tokens)
        return (yield from _with(readings, fresh, said=False)) if fresh else readings

    def _look_again(self, readings: Readings) -> Steps[Readings]:
        """Ask in steps or in other words, where nothing that was read holds an answer."""
        tools = readings.tools
        if not missing(tools, readings.best):
            return readings
        unread = len(set(tools.passages.allowed()) - set(readings.chosen))
        facts = by_now(tools, self.facts)
        found = second_look_of(tools, facts, self.looked.scores)
        rule = routing.again(facts, found.tokens if found else None, unread)
        if not (yield from decide(rule, self.again)) or found is None or found.strategy is None:
            return readings
        if found.said:
            yield Noted(found.said)
        yield from _provisional(readings)
        return readings.and_of([], (yield from found.strategy.run(tools)))


def agreement(samples: Sequence[Sample], same: Same = as_alike) -> float | None:
    """Return the share of the samples that say what most of them say; None where none answers."""
    answers = [sample.answer for sample in samples if sample.answer]
    if not answers:
        return None
    votes = consensus(answers, by_overlap("token_f1"), same).votes
    return votes.votes / votes.of


def decide(rule: Decided, when: WhenLooking) -> Steps[bool]:
    """Report a decision: the person's request, else the rule's. Return whether the stage runs."""
    decided = routing.by_request(rule.stage, when) or rule
    yield decided
    return decided.taken


def missing(tools: Toolbox, draft: Draft) -> bool:
    """Say whether a draft would become an abstention."""
    unsure = draft.confidence is not None and draft.confidence < tools.settings.least_confidence
    return unsure or abstention.denies(draft.text, draft.evidence)


def _provisional(readings: Readings) -> Steps[None]:
    """Show the best answer so far, which a further reading confirms or replaces."""
    best = readings.best
    if readings.tools.task.personal and not abstention.denies(best.text, best.evidence):
        yield Provisional(best.text, best.confidence)


def _fresh(readings: Readings, scores: Scores, tokens: int) -> list[int]:
    """Return the best passages that were not read yet, within so many tokens, best last."""
    tools, left = readings.tools, scores.copy()
    left[list(readings.chosen)] = 0.0
    if not left.any() or tokens <= 0:
        return []
    try:
        model = tools.models.of("generator")
        found = selection.fit(tools.corpus.passages, left, tokens, model)[::-1]
        return tools.passages.in_order(found)
    except BudgetTooSmall:
        return []


def _with(
    readings: Readings, fresh: list[int], *, behind: bool = True, said: bool = True
) -> Steps[Readings]:
    """Return the readings with one of more passages, behind those that were read."""
    if said:
        yield from _provisional(readings)
    chosen = [*readings.chosen, *fresh] if behind else fresh
    return readings.and_of(chosen, (yield from readings.tools.write(chosen)))
