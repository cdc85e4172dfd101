"""What speaks for an answer and against it, in words that people read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.confidence.asked import asked_kind
from engine.confidence.signals import Signals
from engine.values import Argument

LIKELY, UNLIKELY = -0.2, -1.2
"""Mean log-probabilities of a token above which a reply came easily, and below which it did not."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """A signal, and what it says where it is high or low. An empty text is never said."""

    signal: str
    high: float
    pro: str
    low: float
    con: str


_RULES = (
    _Rule(
        "agreed", 1, "further reading gives the same answer", -1, "further reading gives another"
    ),
    _Rule("literal", 1, "a source has these very words", -1, ""),
    _Rule("held", 2, "", 0.5, "no source has most of its words"),
    _Rule("covered", 0.8, "its source is about what is asked", 0.3, "its source is about others"),
    _Rule("answerable", 1.0, "", -0.3, "the model finds no answer in what it read"),
    _Rule("mean", LIKELY, "", UNLIKELY, "the model had other words in mind as well"),
)


def reasons_of(question: str, signals: Signals) -> tuple[Argument, ...]:
    """Return what speaks for an answer, then what speaks against it."""
    found = sorted(_reasons(question, signals), key=lambda reason: not reason.speaks_for)
    return tuple(found)


def _reasons(question: str, signals: Signals) -> Iterator[Argument]:
    for rule in _RULES:
        value = getattr(signals, rule.signal)
        if value is None:
            continue
        if rule.pro and value >= rule.high:
            yield Argument(rule.pro, True)
        elif rule.con and value <= rule.low:
            yield Argument(rule.con, False)
    if signals.fitting < 0:
        yield Argument(f"it is no {asked_kind(question)}", False)
    if signals.echoed:
        yield Argument("it only repeats the question", False)
