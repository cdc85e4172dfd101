"""From a question to a plan, by what its words mean.

    named_question  names become tags           when did <name0> last write
    source_grammar  which items: kind, people, titles, calendars, days
    value_grammar   what is asked for: a count, a person, a day, a place, a title, a length
    choice_grammar  which of the items: the first, the last, the next, all
    plan_grammar    the operation: count, longest, per month, most, between, both …

Words without a part in the plan are kept. With one left, the grammar is not sure of its plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from engine.compute import diary
from engine.compute.named_question import named
from engine.compute.plan_grammar import PlanGrammar
from engine.compute.source_grammar import SourceGrammar
from engine.compute.vocabulary import QuestionVocabulary
from engine.errors import PlanRefused
from engine.plan import Plan, Source, checked
from ingest.item import Kind


@dataclass(frozen=True, slots=True)
class PlanReading:
    """What the grammar makes of a question."""

    plan: Plan | None
    """None: nothing to compute."""
    left: tuple[str, ...] = ()
    """Words that have no part in the plan."""

    @property
    def sure(self) -> bool:
        """Whether there is a plan, and every word had a part in it."""
        return self.plan is not None and not self.left

    @property
    def names_items(self) -> bool:
        """Whether it is sure, and of mails, events or another kind: no table is meant then."""
        if self.plan is None or not self.sure:
            return False
        return all(source.kind for source in self.plan.sources)


def read_plan(
    question: str, vocabulary: QuestionVocabulary, today: date, *, me_known: bool = False
) -> PlanReading:
    """Return the plan of a question, as far as the grammar reads one.

    `me_known` says that the plan may name "me".
    """
    read = PlanGrammar(named(question, vocabulary, today), vocabulary, today, me_known=me_known)
    try:
        plan = read.plan()
        if plan is not None and _is_of_another_day(question, plan):
            return PlanReading(None, read.left(None))
        return PlanReading(checked(plan) if plan else None, read.left(plan))
    except PlanRefused:
        return PlanReading(None, read.left(None))


def _is_of_another_day(question: str, plan: Plan) -> bool:
    """Say whether it asks when something is, and the plan tells when a mail of it was sent."""
    of_mails = bool(plan.sources) and all(one.kind is Kind.MAIL for one in plan.sources)
    asks_of_now = diary.asks_of_now(question.casefold()) and not diary.MAIL.search(question)
    return of_mails and plan.value == "date" and asks_of_now


def source_of(question: str, vocabulary: QuestionVocabulary, today: date) -> Source:
    """Return which items a question names: their kind, days, people, titles."""
    return SourceGrammar(named(question, vocabulary, today)).source()
