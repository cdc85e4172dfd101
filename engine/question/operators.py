"""What the fields of a query mean: from typed values to filters.

`from: to: subject: in: kind: path: has:` and the days `since:` (or `after:`) and `until:` (or
`before:`), both inclusive. Several of one field are OR, different ones AND; days of several
operators and flags narrow each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from engine.errors import QuestionError
from engine.language.dates import parse_span
from ingest.item import Filters, Kind, Without

ListField = Literal["senders", "recipients", "subjects", "folders", "path_patterns"]

LISTS: dict[str, ListField] = {
    "from": "senders",
    "to": "recipients",
    "subject": "subjects",
    "in": "folders",
    "path": "path_patterns",
}
"""From an operator to the field of `Filters` and of `Without` that it adds to."""
FIELDS = (*LISTS, "kind", "has", "since", "after", "until", "before")
"""Every operator."""
EXAMPLES = {
    "from": "from:ann",
    "to": 'to:"Ann Lee"',
    "subject": 'subject:"lease renewal"',
    "in": "in:archive",
    "path": "path:*.pdf",
    "kind": "kind:mail",
    "has": "has:attachment",
    "since": 'since:2026-11-01 or since:"last month"',
    "until": "until:yesterday or until:2025",
}
_SAME = {"after": "since", "before": "until"}
_SHOWN = 60
"""Characters of a wrong value that a message repeats."""


@dataclass(frozen=True, slots=True)
class Operator:
    """One field of a query as typed."""

    field: str
    """One of `FIELDS`."""
    value: str
    """Without quotation marks; may be empty."""
    negated: bool = False

    @property
    def shown(self) -> str:
        """The operator as a message repeats it."""
        return f"{'-' * self.negated}{self.field}:{printable(self.value)}"


def printable(value: str) -> str:
    """Return a typed value as a message repeats it."""
    short = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…"
    return "".join(char if char.isprintable() else " " for char in short)


def combined(filters: Filters, operators: Sequence[Operator], today: date) -> Filters:
    """Return the filters with those of the operators.

    Raises `QuestionError` for a value that its field cannot have, and for what nothing can pass.
    """
    refused: set[Kind] = set()
    for operator in operators:
        field = _SAME.get(operator.field, operator.field)
        value = _value(operator, field)
        if field in LISTS:
            filters = _listed(filters, LISTS[field], value, operator.negated)
        elif field == "has":
            filters = _having(filters, operator, value)
        elif field == "kind" and operator.negated:
            refused.add(kind_of(value))
        elif field == "kind":
            filters = replace(filters, kinds=filters.kinds | {kind_of(value)})
        elif operator.negated:
            raise QuestionError(
                f"{operator.shown} cannot be turned round.", remedy="Use since: and until:."
            )
    if refused:
        filters = _without_kinds(filters, refused)
    return _within(filters, [one for one in operators if one.field in _DAYS], today)


def _value(operator: Operator, field: str) -> str:
    if not operator.value.strip():
        raise QuestionError(
            f"{operator.shown} has no value.",
            remedy=f"Write one right behind it, such as {EXAMPLES[field]}.",
        )
    return operator.value


def _listed(filters: Filters, field: ListField, value: str, negated: bool) -> Filters:
    if negated:
        without: Without = replace(
            filters.without, **{field: (*getattr(filters.without, field), value)}
        )
        return replace(filters, without=without)
    return replace(filters, **{field: (*getattr(filters, field), value)})  # type: ignore[arg-type]


def _having(filters: Filters, operator: Operator, value: str) -> Filters:
    if value.casefold() not in ("attachment", "attachments"):
        raise QuestionError(f"{operator.shown} is unknown.", remedy="Write has:attachment.")
    wanted = not operator.negated
    if filters.attachments not in (None, wanted):
        raise QuestionError(
            "A mail cannot have attachments and have none.", remedy="Leave out one of the two."
        )
    return replace(filters, attachments=wanted)


def kind_of(value: str) -> Kind:
    """Return the kind of that name, in singular or plural. Raises `QuestionError`."""
    name = value.casefold()
    for kind in Kind:
        if name in (kind.value, f"{kind.value}s"):
            return kind
    shown = Operator("kind", value).shown
    raise QuestionError(f"{shown} is unknown.", remedy=f"The kinds are {', '.join(Kind)}.")


def _without_kinds(filters: Filters, refused: set[Kind]) -> Filters:
    left = (filters.kinds or frozenset(Kind)) - refused
    if not left:
        raise QuestionError("No kind is left to look at.", remedy="Leave out a kind: filter.")
    return replace(filters, kinds=left)


def first_day(words: str, today: date) -> date | None:
    """Return the first day that the words mean, None when they mean none."""
    span = parse_span(words, today)
    return span.first if span else None


def last_day(words: str, today: date, since: date | None = None) -> date | None:
    """Return the last day that the words mean, None when they mean none.

    A day without a date ("Friday", "May") is the latest one, but never before `since`.
    """
    span = parse_span(words, today)
    if span and span.last and since and span.last < since:
        span = parse_span(words, today, "future") or span
    return span.last if span else None


_DAYS: dict[str, Callable[[str, date, date | None], date | None]] = {
    "since": lambda words, today, since: first_day(words, today),
    "after": lambda words, today, since: first_day(words, today),
    "until": last_day,
    "before": last_day,
}


def _within(filters: Filters, operators: Sequence[Operator], today: date) -> Filters:
    """Return the filters narrowed to the days of all operators. Raises for an empty span."""
    since, until = filters.since, filters.until
    for operator in sorted(operators, key=lambda one: _SAME.get(one.field, one.field)):
        day = _DAYS[operator.field](operator.value, today, since)
        if day is None:
            raise no_date(operator.shown)
        if operator.field in ("since", "after"):
            since = max(day, since or day)
        else:
            until = min(day, until or day)
    if since and until and since > until:
        raise QuestionError(
            f"No day is both since {since} and until {until}: the first is after the last.",
            remedy="Change one of the two.",
        )
    return replace(filters, since=since, until=until)


def no_date(shown: str) -> QuestionError:
    """Return the error for words that are no date."""
    return QuestionError(
        f"{shown} is no date.",
        remedy='Write YYYY-MM-DD, yesterday, 2025, or in quotation marks "last month".',
    )
