"""Finds the dates, times, numbers and codes in a text, each with all that it may mean."""

from __future__ import annotations

from engine.checking.lengths import lengths
from engine.checking.marked_text import MarkedText
from engine.checking.meanings import Fact
from engine.checking.numbers import codes, numbers, numbers_in_words, tokens
from engine.checking.times import days_in_digits, loose_days, named_days, times

_READERS = (
    *(days_in_digits, lengths, times, named_days),
    *(codes, tokens, numbers, numbers_in_words, loose_days),
)
"""In order: later ones do not see what earlier ones read."""


def facts(text: str, *, source: bool = False) -> list[Fact]:
    """Return what is named in a text, in order, none overlapping another that is claimed.

    In a source the groups of a long number are numbers too: they may be the cells of a row.
    """
    found: list[Fact] = []
    rest = MarkedText.of(text)
    for reader in _READERS:
        new = list(reader(rest))
        found += new
        if not (source and reader is codes):
            rest = rest.without(fact for fact in new if fact.claimed)
    return sorted(found, key=lambda fact: fact.start)
