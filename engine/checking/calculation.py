"""Sums that a reply writes out: "2,450 - 1,595 = 855" is supported where its two amounts are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from engine.checking.facts import facts
from engine.checking.meanings import Amount

_TERM = r"[^\s=]*\d[^\s=]*(?: [^\W\d_]+)?"
# "£2,450 - £1,595 = £855", "12 boxes + 3 boxes = 15 boxes"
_CALCULATION = re.compile(
    rf"\W*?(?P<one>{_TERM}) (?P<operator>[-\u2212\u2013+]) (?P<other>{_TERM})"
    rf" = (?P<result>{_TERM})"
)
_PLUS = "+"


def operands(sentence: str) -> tuple[str, ...]:
    """Return the two amounts of a sum that is all that a sentence says, and right; else nothing.

    A product is none: its small factors stand in any source.
    """
    found = _CALCULATION.fullmatch(sentence.strip().rstrip("."))
    if found is None:
        return ()
    one, other, result = (set(_amounts(found[name])) for name in ("one", "other", "result"))
    for a in one:
        for b in other:
            if (a + b if found["operator"] == _PLUS else a - b) in result:
                return found["one"], found["other"]
    return ()


def _amounts(text: str) -> Iterator[Decimal]:
    for fact in facts(text):
        yield from (meaning.value for meaning in fact.meanings if isinstance(meaning, Amount))
