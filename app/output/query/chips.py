"""Filters as chips: what each says, and the question as it is without one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.output.plain import one_line
from app.output.query.follow_up import scope_text
from engine.answer_parts import Cited
from engine.question.query_language import parts_of
from engine.values import Inferred, Query

COMPLETED = {
    "kind": ("mail", "document", "event", "task", "contact", "message"),
    "since": ("today", "yesterday", '"last week"', '"last month"', '"this year"'),
    "until": ("today", "yesterday", '"last week"', '"last month"'),
    "has": ("attachment",),
    "from": (),
    "to": (),
}
"""Operators that are completed while typing, and what is offered; `from:` offers people."""
OFFERED = 6


@dataclass(frozen=True, slots=True)
class Chip:
    """One filter in effect."""

    label: str
    start: int = 0
    """Its place in the question as typed."""
    end: int = 0
    inferred: Inferred | None = None
    """Set when it was read out of the question."""
    is_scope: bool = False
    """Whether it is the sources that a follow-up is about."""


def typed_chips(typed: str) -> list[Chip]:
    """Return a chip for each operator and exclusion of a question as typed."""
    return [
        Chip(one_line(typed[part.start : part.end]), part.start, part.end)
        for part in parts_of(typed, "ask")
    ]


def chips(typed: str, query: Query | None, scope: Sequence[Cited] = ()) -> list[Chip]:
    """Return a chip for each filter, those that were read out of the question last."""
    inferred = query.inferred if query else ()
    about = [Chip(f"about {scope_text(scope)}", is_scope=True)] if scope else []
    return [
        *about,
        *typed_chips(typed),
        *(Chip(f"{one.field}: {one_line(one.value)}", inferred=one) for one in inferred),
    ]


def without(typed: str, all_chips: Sequence[Chip], removed: Chip) -> tuple[str, bool]:
    """Return the question without one chip, and whether filters may still be inferred.

    Inferred ones that stay are written out as operators, since inferring again would bring
    back the one that goes.
    """
    if removed.is_scope:
        return typed, True
    if removed.inferred is None:
        return _joined(typed[: removed.start], typed[removed.end :]), True
    stay = [chip.inferred for chip in all_chips if chip.inferred and chip is not removed]
    return _joined(typed, *map(_operator, stay)), False


def _joined(*parts: str) -> str:
    return " ".join(part.strip() for part in parts if part.strip())


def _operator(inferred: Inferred) -> str:
    value = "".join(char for char in inferred.value if char not in '"“”„‟«»')
    return f'{inferred.field}:"{value}"' if " " in value else f"{inferred.field}:{value}"


def completions(word: str, people: Sequence[str]) -> list[str]:
    """Return whole words that begin as `word` does: `kind:mail` for `kind:m`.

    Names come from `people`; what begins so comes first, then what holds it.
    """
    hyphen = "-" if word.startswith("-") else ""
    name, colon, begun = word[len(hyphen) :].partition(":")
    if not colon:
        operators = [f"{hyphen}{one}:" for one in COMPLETED if one.startswith(name.lower())]
        return operators if len(name) >= 3 else []
    field, begun = name.lower(), begun.strip('"').casefold()
    if field not in COMPLETED:
        return []
    values = COMPLETED[field] or [f'"{one}"' if " " in one else one for one in people]
    held = [value for value in values if begun in value.casefold()]
    held.sort(key=lambda value: not value.strip('"').casefold().startswith(begun))
    offered = [f"{hyphen}{field}:{one_line(value)}" for value in held[:OFFERED]]
    return [] if offered == [word] else offered
