"""Questions for all of something: "how many mails did Anna send me?", "list my notes".

The comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.followups.antecedents import (
    AUXILIARY,
    DETERMINER,
    PLURAL,
    capitalised_in,
    joined,
    things_in,
)

# " and ", ", "
_AND = re.compile(r",? and |, ")
# "how many mails did Anna send me", "which people came", "list all of my notes"
_LISTING = re.compile(
    rf"(?:(?P<many>how many)|which|what) (?P<nouns>(?:(?!{AUXILIARY}\b)[\w-]+ ){{0,2}}?"
    rf"(?!{AUXILIARY}\b)(?:people|\w+(?<![suiSUI])s)) (?P<rest>.+)"
    r"|(?:please )?(?:list|show|find|name|give)(?: me)? (?:all (?:of )?)?(?P<named>.+)",
    re.IGNORECASE,
)
# "did Anna"
_AUXILIARY_FIRST = re.compile(rf"(?P<auxiliary>{AUXILIARY})\s+", re.IGNORECASE)
# "we"
_PRONOUN = re.compile(r"(?:i|we|you|he|she|they|it|there)\b", re.IGNORECASE)
_PAST = {"send": "sent", "get": "got", "have": "had", "write": "wrote", "pay": "paid"} | {
    "make": "made", "buy": "bought", "spend": "spent", "meet": "met", "take": "took"
}  # fmt: skip
"""Past tenses; of other verbs "did" is kept: "did lend"."""


@dataclass(frozen=True, slots=True)
class Listed:
    """What a question asks all of."""

    noun: str
    """In the plural: "mails"."""
    words: str
    """A phrase for all of them: "the mails that Anna sent me in May"."""
    counted: bool
    """Whether only their number was asked for."""


def listed_in(question: str) -> Listed | None:
    """Return what "how many mails did Anna send me?" or "list my notes" asks for."""
    match = _LISTING.match(question.strip().rstrip(" ?.!"))
    if match is None:
        return None
    if match["nouns"]:
        noun = match["nouns"].split()[-1]
        phrase = f"the {match['nouns']} that {_clause(match['rest'])}"
        return Listed(noun, phrase, bool(match["many"]))
    plural = PLURAL.search(match["named"])
    if plural is None:
        return None
    determined = re.match(rf"{DETERMINER}\b", match["named"], re.IGNORECASE)
    return Listed(plural[0], match["named"] if determined else f"the {match['named']}", False)


def _clause(asked: str) -> str:
    """Return "did Anna send me" as it is said of something: "Anna sent me"."""
    led = _AUXILIARY_FIRST.match(asked)
    subject = _subject_at(asked[led.end() :]) if led else ""
    if led is None or not subject:
        return asked
    auxiliary, rest = led["auxiliary"].lower(), asked[led.end() + len(subject) :].strip()
    verb, _, others = rest.partition(" ")
    if auxiliary == "do":
        return f"{subject} {rest}"
    if auxiliary == "did" and verb in _PAST:
        return f"{subject} {_PAST[verb]} {others}".rstrip()
    return f"{subject} {auxiliary} {rest}".rstrip()


def _subject_at(text: str) -> str:
    """Return the pronoun, the thing or the name that a text begins with; empty: none."""
    if pronoun := _PRONOUN.match(text):
        return pronoun[0]
    asked = f"did {text}"
    spans = sorted([*things_in(asked), *capitalised_in(asked)], key=lambda span: span.start)
    first = next((span for span in spans if span.start == len("did ")), None)
    return joined(asked, first, spans, _AND).words if first else ""
