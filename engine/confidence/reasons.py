"""What speaks for an answer and against it, in words that people read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.confidence.signals import Signals
from engine.values import Argument

LIKELY, UNLIKELY = 0.82, 0.3
"""Mean probabilities of a token above which a reply came easily, and below which it did not."""

DENIED = 0.5
"""Probability of a denial from which it is named."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """A signal, and what it says where it is high or low. An empty text is never said."""

    signal: str
    high: float
    pro: str
    low: float
    con: str


COUNTED = Argument("the day is counted from the date of its source", True)
UNREAD = Argument("not all that may count was read", False)
ALL_MEANT = Argument("the mail does not say which of its recipients it means", False)
IN_PART = Argument("not all amounts of its sources were looked at", False)
MIXED = Argument("amounts of different sorts were found", False)
"""All of a computed answer."""

OWN_WORDS = Argument("no source says so in these words", False)
CORRECTED = "a newer source speaks of a correction or a change: "
OTHERWISE = "a newer source has another value beside the same words: "
BOTH_MEANT = Argument("it is right only if both amounts are the ones that are meant", False)
COMPARED = "compared: "
"""Before what was stated of each option. Without it nobody sees why one of them is meant."""
_FAR = "the sentence it is from is about something else"
_RULES = (
    _Rule("agreed", 0.5, "further reading gives the same answer", -0.5, "further reading differs"),
    _Rule("near", 0.6, "the sentence it is from is about what is asked", 0.2, _FAR),
    _Rule("held", 2, "", 0.5, "no source has most of its words"),
    _Rule("margin", 0.4, "one source is far ahead of the others", -1, ""),
    _Rule("likely", LIKELY, "the model had no other words in mind", UNLIKELY, "the model wavered"),
)


def reasons_of(signals: Signals) -> tuple[Argument, ...]:
    """Return what speaks for an answer, then what speaks against it."""
    found = sorted(_reasons(signals), key=lambda reason: not reason.speaks_for)
    return tuple(found)


def _reasons(signals: Signals) -> Iterator[Argument]:
    for rule in _RULES:
        value = getattr(signals, rule.signal)
        if value is None:
            continue
        if rule.pro and value >= rule.high:
            yield Argument(rule.pro, True)
        elif rule.con and value <= rule.low:
            yield Argument(rule.con, False)
    if signals.denied is not None and signals.denied >= DENIED:
        yield Argument("the model was about to say that no source states it", False)
    if signals.echoed:
        yield Argument("it only repeats the question", False)
