"""The plan of a computed answer: which items, which value of each, which operation.

    count mail from:kim since:2025-10-01 until:2025-10-31 by week
    last sender of mail thread:"Boat house"
    between date of event title:Easter in:Spain and event title:Christmas in:Spain
    sum "amount charged" of mail text:"card statement"

A plan is shown as such a line and read back from it (`engine.compute.plan_text`), whoever wrote
it: the grammar of the question, a model, or the person.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from engine.errors import PlanRefused
from ingest.item import Kind, Shelf

Operation = Literal[
    "count",
    "distinct",
    "sum",
    "average",
    "min",
    "max",
    "first",
    "last",
    "next",
    "list",
    "between",
    "shared",
]
Field = Literal[
    "item",
    "title",
    "thread",
    "sender",
    "recipient",
    "addressee",
    "speaker",
    "date",
    "start",
    "end",
    "month",
    "week",
    "year",
    "weekday",
    "entry",
    "place",
    "duration",
    "calendar",
    "attachment",
    "text",
]
"""What an item says of itself, without a model. "start" is the day and, where there is one, the
time; "addressee" whom a mail greets of its To line; "entry" when something is and its title, as
a calendar shows it; "sender" the organiser of an event; "text" the beginning of what its writer
says, without what is quoted; "speaker" who gives it, by its title or fields."""
Unit = Literal["minutes", "hours", "days", "weeks", "utc"]
"""How a duration is counted, or in which zone a time is shown."""

Has = Literal["attachment"]
Status = Literal["cancelled", "open", "done", "any"]

GROUPS: tuple[Field, ...] = (
    *("sender", "recipient", "date", "week", "month", "year", "weekday"),
    *("place", "thread", "calendar", "title"),
)
MEASURED = frozenset({"sum", "average", "min", "max"})
"""Operations that need numbers."""
AT_AN_END = frozenset({"first", "last", "next"})
TWO_SOURCES = frozenset({"between", "shared"})
"""Operations that compare two sources; a list may join two."""


@dataclass(frozen=True, slots=True)
class Sought:
    """A value that the text states: a model looks for it in each item that passes."""

    words: str


@dataclass(frozen=True, slots=True)
class Source:
    """Which items: different fields are AND, several values of one are OR."""

    kind: Kind | None = None
    """None: any."""
    senders: tuple[str, ...] = ()
    recipients: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    """In any role: who was met."""
    subjects: tuple[str, ...] = ()
    """The whole title."""
    titles: tuple[str, ...] = ()
    """Words that the title holds in a row."""
    threads: tuple[str, ...] = ()
    """The title of a mail without "Re:" and its like."""
    texts: tuple[str, ...] = ()
    """Words that title or text hold, all of them."""
    places: tuple[str, ...] = ()
    calendars: tuple[str, ...] = ()
    """Names of a calendar, mailbox or folder."""
    since: date | None = None
    """First day, inclusive, as the item itself shows its date."""
    until: date | None = None
    shelf: Shelf | Literal["any"] | None = None
    """Trash, Spam or Drafts, which are left out unless they are asked for; any: with the rest."""
    status: Status | None = None
    """Cancelled events, which are left out unless they are asked for, tasks that are open or done;
    any: all of them."""
    has: Has | None = None
    """Only mails that bring files."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A typed plan. Make it with `checked`, which refuses what makes no sense."""

    operation: Operation
    value: Field | Sought = "item"
    sources: tuple[Source, ...] = (Source(),)
    by: Field | None = None
    top: int | None = None
    """Only so many groups, the largest first; negative: the smallest first. Of what is first, last
    or next: only so many items, the nearest first."""
    unit: Unit | None = None
    expected: int | None = None
    """How many items there are, by the question: another number is remarked on."""

    @property
    def value_name(self) -> str:
        """What is computed, for people."""
        return self.value.words if isinstance(self.value, Sought) else self.value


def checked(plan: Plan) -> Plan:
    """Return the plan. Raises `PlanRefused` for what cannot be computed."""
    operation, value = plan.operation, plan.value
    if operation in MEASURED and not (value == "duration" or isinstance(value, Sought)):
        raise _refused(f"{operation} needs numbers", 'Name duration, or a value in quotes: "total"')
    if operation in ("distinct", "list") and value == "item":
        raise _refused(f"{operation} needs a field", f"Name one, such as: {operation} sender of")
    most = 2 if operation in TWO_SOURCES | {"list"} else 1
    if len(plan.sources) > most:
        some = "two sources at most" if most > 1 else "one source"
        raise _refused(f"{operation} takes {some}", 'Leave out what follows the last "and"')
    if operation == "shared" and len(plan.sources) != 2:
        raise _refused("shared compares two sources", 'Name the second behind "and"')
    if operation in TWO_SOURCES and value not in ("date", "start"):
        raise _refused(f"{operation} compares dates", f"Write: {operation} date of")
    if plan.by is not None and (plan.by not in GROUPS or operation in TWO_SOURCES):
        raise _refused(f"{operation} cannot be grouped by {plan.by}", "Leave the grouping out")
    of_ends = plan.by is None and operation in AT_AN_END and plan.top is not None and plan.top > 0
    if plan.top is not None and not of_ends and (plan.by is None or not plan.top):
        raise _refused("top needs groups", "Add: by sender")
    for source in plan.sources:
        if source.since and source.until and source.since > source.until:
            raise _refused("its first day is after its last", "Change since: or until:")
        if source == Source():
            raise _refused("it names no items", "Name a kind, such as: count mail")
    return plan


def _refused(why: str, remedy: str) -> PlanRefused:
    return PlanRefused(f"The plan cannot be run: {why}.", remedy=f"{remedy}.")
