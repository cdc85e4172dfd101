"""Filters as chips: what each says, and the question as it is without one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.output.plain import one_line
from app.output.query.follow_up import scope_text
from engine.answer_parts import Cited
from engine.question.query_language import parts_of
from engine.values import Inferred, Query


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
