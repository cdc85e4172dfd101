"""Which option a stated amount belongs to: the one that its source names nearest to it.

A model that states the amount of one option after another may exchange them: "The Grand is full,
so we are at the Lion that night, it is 31".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.checking.claims import folded_names
from engine.language.tokens import FUNCTION_WORDS
from engine.values import Citation

BEFORE = 300
"""Characters before an amount in which the nearest option counts."""
_WORD = re.compile(r"[^\W_]+")
_AMOUNT = re.compile(r"\d(?:[\d.,: \u00a0\u202f]*\d)?")
# "310 for the water", "840 euros at Zeta"
_BEHIND = re.compile(
    r"(?:\W+[^\W\d_]{1,6})??\W+(?:for|from|by|at|of|with|to)\W+(?:(?:the|a|an)\W+)?([^\W_]+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Claimed:
    """What was stated of an option."""

    option: str
    said: str
    source: Citation


def order_of(claimed: Sequence[Claimed]) -> list[int]:
    """Return which statement belongs to each option.

    It is each option's own, unless the sources have every amount next to another option's name, no
    two next to the same one.
    """
    numbers = list(range(len(claimed)))
    words = _telling([one.option for one in claimed])
    owners = [_owner(one, words) for one in claimed]
    exchanged = set(owners) == set(numbers)
    return [owners.index(number) for number in numbers] if exchanged else numbers


def _telling(options: Sequence[str]) -> list[frozenset[str]]:
    """Return the words of each option that no other one has."""
    words = [frozenset(folded_names(option)) - FUNCTION_WORDS for option in options]
    return [own.difference(*(other for other in words if other is not own)) for own in words]


def _owner(one: Claimed, words: Sequence[frozenset[str]]) -> int | None:
    """Return the number of the option that a source names nearest to an amount."""
    amount = _AMOUNT.search(one.said)
    quote, source = one.source.quote, one.source.passage
    found = amount and re.search(rf"(?<!\d){re.escape(amount[0])}(?!\d)", quote)
    if not found:
        return None
    behind = _BEHIND.match(quote, found.end())
    if behind and (named := _named(behind[1], words)) is not None:
        return named
    at = one.source.start + found.start()
    before = source.item.text[max(source.start, at - BEFORE) : at]
    nearest = (_named(word, words) for word in reversed(_WORD.findall(before)))
    return next((number for number in nearest if number is not None), None)


def _named(word: str, words: Sequence[frozenset[str]]) -> int | None:
    folded = set(folded_names(word))
    return next((number for number, own in enumerate(words) if folded & own), None)
