"""What kind of thing a question asks for, and whether a reply is of that kind.

The comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from typing import Literal

from engine.checking.words import MONTHS, WEEKDAYS
from engine.language.numbers import ENGLISH
from engine.language.tokens import words

AskedKind = Literal["yes or no", "number", "date", "person", "address", "choice", "other"]

# "Did Ann sign?", "Is it open", "so, has Kim paid"
_YES_OR_NO = re.compile(
    r"^(?:(?:and|so|but|or),? )?(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would"
    r"|should|may|might|must|am)(?:n['\u2019]t)? ",
    re.IGNORECASE,
)
# "is it the red or the blue one?"
_CHOICE = re.compile(r"\bor\b", re.IGNORECASE)
# "how many rooms", "how much", "what percentage", "at what price"
_NUMBER = re.compile(
    r"\bhow (?:many|much|old|tall|large|big|far|high|deep|heavy|wide|fast|often)\b"
    r"|\b(?:what|which) (?:(?:is|was|are|were) )?(?:the )?(?:\w+ )?"
    r"(?:number|amount|percentage|percent|price|cost|total|sum|count|rate|score|size|fee|salary"
    r"|population|age)\b",
    re.IGNORECASE,
)
# "when does it end", "what day", "on which date", "in what year"
_DATE = re.compile(
    r"\bwhen\b(?! (?:you|they|we|he|she|i)\b)"
    r"|\b(?:what|which) (?:\w+ )?(?:day|date|month|year|time|century|decade)s?\b",
    re.IGNORECASE,
)
# "from which e-mail address", "what is Ann's phone number"
_ADDRESS = re.compile(
    r"\be-?mail address(?:es)?\b|\bwhat(?:'s| is) \w+(?:'s)? (?:e-?mail|address)\b", re.IGNORECASE
)
# "who wrote", "whose car", "to whom"
_PERSON = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)

_NUMBER_WORDS = frozenset(ENGLISH) | {"none", "no", "both", "several", "once", "twice", "half"}
_DATE_WORDS = (
    MONTHS.keys()
    | WEEKDAYS.keys()
    | {"today", "yesterday", "tomorrow", "week", "weekend", "month", "year", "years", "night"}
    | {"spring", "summer", "autumn", "fall", "winter", "noon", "midnight", "days", "weeks"}
)
_YES_NO_WORDS = frozenset({"yes", "no", "maybe", "not"})


def asked_kind(question: str) -> AskedKind:
    """Return the kind of thing that a question asks for."""
    if _YES_OR_NO.search(question):
        return "choice" if _CHOICE.search(question) else "yes or no"
    if _ADDRESS.search(question):
        return "address"
    if _NUMBER.search(question):
        return "number"
    if _DATE.search(question):
        return "date"
    return "person" if _PERSON.search(question) else "other"


def fits(kind: AskedKind, reply: str) -> float:
    """Return 1 where a reply is of this kind, -1 where it is not, 0 where that is unknown."""
    said = words(reply)
    has_digit = any(character.isdigit() for character in reply)
    match kind:
        case "yes or no":
            return 1.0 if said and said[0] in _YES_NO_WORDS else -1.0
        case "number":
            return 1.0 if has_digit or _NUMBER_WORDS & set(said) else -1.0
        case "date":
            return 1.0 if has_digit or _DATE_WORDS & set(said) else -1.0
        case "address":
            return 1.0 if "@" in reply or has_digit else -1.0
        case "person":
            named = any(word[:1].isupper() for word in reply.split())
            return 1.0 if named or "@" in reply else -1.0
        case _:
            return 0.0
