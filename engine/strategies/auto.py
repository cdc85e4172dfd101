"""`auto`: every stage that pays for this question on this machine, and no other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.agreement.votes import sameness
from engine.compute.addresses import addresses_asked_for
from engine.errors import BudgetTooSmall
from engine.events import Decided, Noted, Steps
from engine.generation.draft import Draft
from engine.question.expansion import expanded, unknown_words
from engine.retrieval import titles
from engine.retrieval.constraints import constrained
from engine.retrieval.recall import Scores, best_first
from engine.routes import routing
from engine.routes.facts import Facts, facts_of
from engine.routes.labels import by_words
from engine.routes.routing import When, WhenLooking
from engine.stages import stage
from engine.strategies.agenda import by_days, without_others
from engine.strategies.computation import (
    entry_named,
    mail_field,
    time_computed,
    understood,
)
from engine.strategies.conditional import take
from engine.strategies.described import read_by_name
from engine.strategies.embedding import CeFilter
from engine.strategies.et2rag import ET2RAG
from engine.strategies.fb_rag import FBRag, LookAheadResult
from engine.strategies.further import Further, agreement, decide
from engine.strategies.later import read_later
from engine.strategies.readings import Readings
from engine.strategies.rows import SheetRows
from engine.strategies.subtract import read_and_subtract
from engine.strategies.youra import Youra
from engine.toolbox.steps import Toolbox

EMBEDDING = CeFilter()
"""Ranks where an encoder is installed. Conditional embeddings beside it left recall@5 the same
(0.798 and 0.797, 120 questions) and cost twice the encoding."""
AFTER_EMBEDDING = FBRag(fusion="normalised")
"""Its scores are not those of BM25, so samples are joined with them on one scale."""


@dataclass(frozen=True)
class Auto:
    """Route, expand, recall, follow titles, embed, compress, read; while unsure, look further.

    `engine.routes.routing` has the rules. A parameter takes one out of their hands.
    """

    name: ClassVar[str] = "auto"
    summary: ClassVar[str] = "decides stage by stage what a question needs; --explain says why"
    expand: When = "auto"
    follow: When = "auto"
    embed: When = "auto"
    look: WhenLooking = "auto"
    compress: When = "auto"
    vote: When = "auto"
    read_on: When = "auto"
    weigh: When = "auto"
    subtract: When = "auto"
    again: When = "auto"
    later: When = "auto"

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Take a route of its own, or retrieve and read, and read further while it is unsure."""
        draft = yield from self._by_route(tools)
        if draft is None and self.again != "never":
            draft = yield from read_by_name(tools, self.run)
        if draft is None and self._subtracts(tools):
            draft = yield from read_and_subtract(tools, self.run)
        if draft is not None:
            return draft
        tools = yield from self._find_words(tools)
        tools = yield from self._follow(tools)
        facts = facts_of(tools, (yield from tools.recall()))
        tools, ranker = yield from self._embed(tools, facts)
        tools, looked, chosen = yield from self._look(tools, facts, ranker)
        if chosen and (yield from self._votes(tools, facts, looked)):
            draft = yield from ET2RAG().over(tools, looked.scores)
        else:
            draft = yield from tools.write(chosen)
        readings = Readings(tools).and_of(chosen, draft)
        further = Further(
            *(facts, looked, ranker, self.look),
            *(self.read_on, self.weigh, self.again, self.vote),
        )
        draft = yield from further.read(readings)
        return (yield from read_later(tools, facts, draft, self.later))

    def _by_route(self, tools: Toolbox) -> Steps[Draft | None]:
        """Return the draft of a route of its own: a header, calendars, rows, a plan; or None."""
        world, read = understood(tools)
        sheets = SheetRows(tools, world.items)
        if tools.task.personal and tools.settings.plan is None:
            addresses = addresses_asked_for(tools.query.text, world.items)
            if addresses is not None:
                yield Decided("route", True, "it asks for an e-mail address, and headers state it")
                return addresses
            free = time_computed(tools, world.items)
            if free is not None:
                yield Decided(
                    "route",
                    True,
                    "it asks what calendars state: free time, clashes, an entry, a rhythm",
                )
                return free
            if not read.sure and (named := entry_named(tools, world.items)) is not None:
                yield Decided("route", True, "one entry of the calendars has its words")
                return named
            if not read.sure and (field := (yield from mail_field(tools, world.known))):
                yield Decided("route", True, "it asks for a field of a mail that has its words")
                return field
            rows = None if read.names_items else (yield from sheets.computed())
            if rows is not None:
                yield Decided("route", True, "it asks for rows, and one table has its words")
                return rows
        found = by_words(tools.query.text, read)
        decided = routing.route(found, tools.task.personal)
        is_rows = (found is None or found.label == "aggregate") and not read.names_items
        if is_rows and tools.task.personal and tools.settings.plan is None:
            rows = yield from sheets.likely()
            if rows is not None:
                yield Decided("route", True, "it asks for rows; one table has most of its words")
                return rows
        yield decided
        if found is None or not decided.taken:
            return None
        return (yield from take(tools, found.label, world, read))

    def _subtracts(self, tools: Toolbox) -> bool:
        """Say whether a difference may be subtracted: for quick effort two answers are too much."""
        if self.subtract == "auto":
            return tools.budget.spending.effort != "quick"
        return self.subtract == "always"

    def _find_words(self, tools: Toolbox) -> Steps[Toolbox]:
        """Let recall look for other words too, where the question's own do not occur."""
        words, unknown = unknown_words(tools.query.text, tools.corpus)
        rule = routing.expand(unknown, words)
        if not (yield from decide(rule, self.expand)):
            return tools
        return tools.looking_for((yield from _expand(tools)))

    def _follow(self, tools: Toolbox) -> Steps[Toolbox]:
        """Raise the documents that the best passages or the question name by their titles."""
        scores = yield from tools.recall()
        found = titles.follow(tools.query.text, scores, tools.corpus.passages)
        if not (yield from decide(routing.follow(found.titles), self.follow)):
            return tools
        raised = constrained(found.scores, tools.query, tools.corpus)
        yield tools.passages.ranked("recall", raised)
        return tools.ranked_by(raised)

    def _embed(self, tools: Toolbox, facts: Facts) -> Steps[tuple[Toolbox, FBRag]]:
        """Let an encoder rank where that pays; return how samples are joined with the scores."""
        if not (yield from decide(routing.embed(facts, bool(tools.words)), self.embed)):
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
        personal = tools.task.personal
        rule = routing.look_ahead_first(facts) if personal else routing.look_ahead(facts)
        looks = yield from decide(rule, self.look)
        cuts = yield from decide(routing.compress(facts), self.compress)
        if cuts:
            tools = tools.compressing(tools.compressor or Youra())
        if looks:
            looked = yield from ranker.look(tools)
        else:
            scores = yield from tools.recall()
            first = _by_days(tools, scores) if personal else scores
            if first is not scores:
                yield Noted("what calendars have on the days asked for is read first")
                scores = without_others(scores, first)
            looked = LookAheadResult(scores, _first(tools, facts, first), [])
        return tools, looked, _for_cutting(tools, looked.scores) if cuts else looked.chosen

    def _votes(self, tools: Toolbox, facts: Facts, looked: LookAheadResult) -> Steps[bool]:
        """Decide whether several readings vote."""
        rule = routing.vote(facts, agreement(looked.samples, sameness(tools)))
        return (yield from decide(rule, self.vote))


def _by_days(tools: Toolbox, scores: Scores) -> Scores:
    """Return the scores of a first reading, of entries on the days that the question names."""
    allowed, present = tools.passages.allowed(), tools.settings.present
    return by_days(tools.query.text, tools.corpus.passages, allowed, scores, present)


def _first(tools: Toolbox, facts: Facts, scores: Scores) -> list[int]:
    """Return the passages of the first reading: of a person's question the best few, best last.

    A further reading goes on behind them. A small model reads best what is next to the question.
    """
    if not facts.fitting:
        return []
    if not tools.task.personal:
        return sorted(tools.fit_generator(scores))
    return tools.passages.in_order(tools.fit_first(scores)[::-1])


@stage("lookahead")
def _expand(tools: Toolbox) -> Steps[str]:
    with tools.models.lend("lookahead") as model:
        words = expanded(model, tools.query.text, tools.corpus.passages, tools.settings.seed)
    yield Noted(f"also looked for: {words or 'nothing, the model named no word'}")
    return words


def _for_cutting(tools: Toolbox, scores: Scores) -> list[int]:
    """Return more passages than the generator could read whole, in document order."""
    try:
        return sorted(tools.fit_lookahead(scores))
    except BudgetTooSmall:
        return [int(best_first(scores)[0])]
