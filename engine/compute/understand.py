"""From a question to a plan, by what its words mean.

    named      names become tags                when did <name0> last write
    the asked  what is asked for: a count, a person, a day, a place, a title, a length
    operation  count, first, last, longest, per month, most, between, both …
    source     kind, people, titles, calendars, days

Words that are not understood are kept: with one left the grammar is not sure of its plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from engine.compute.naming import named
from engine.compute.operating import OperationGrammar
from engine.compute.sourcing import SourceGrammar
from engine.compute.world import World
from engine.errors import PlanRefused
from engine.plan import Plan, Source, checked


@dataclass(frozen=True, slots=True)
class Understanding:
    """What the grammar makes of a question."""

    plan: Plan | None
    """None: nothing to compute."""
    left: tuple[str, ...] = ()
    """Words that it does not understand."""

    @property
    def sure(self) -> bool:
        """Whether there is a plan, and every word had a part in it."""
        return self.plan is not None and not self.left


def understand(
    question: str, world: World, today: date, *, me_known: bool = False
) -> Understanding:
    """Return the plan of a question, as far as the grammar reads one.

    `me_known` says that the plan may name "me".
    """
    read = OperationGrammar(named(question, world, today), world, today, me_known=me_known)
    try:
        plan = read.plan()
        return Understanding(checked(plan) if plan else None, read.left(plan))
    except PlanRefused:
        return Understanding(None, read.left(None))


def source_of(question: str, world: World, today: date) -> Source:
    """Return which items a question names: their kind, days, people, titles."""
    return SourceGrammar(named(question, world, today)).source()
