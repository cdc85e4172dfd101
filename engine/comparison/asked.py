"""Reads "which of the two is older, A or B?": what is compared, by what, and which one is meant.

Only what can be computed is read so: days, and amounts. "Which is better, A or B?" is a question
like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from engine.generation.reply import asks_several

Measure = Literal["day", "amount", "age", "span"]
"""By what options are compared; an age is stated as a day of birth or as years, a span by two
days."""

MOST_CHARACTERS = 400
"""Of a question that is read so: the patterns take cubic time."""
MOST_OPTIONS = 5
"""The model states something of each, one after another."""
BIRTH, DEATH, PRICE = "date of birth", "date of death", "price"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A question that asks for one of several options."""

    options: tuple[str, ...]
    """As the question names them."""
    measure: Measure
    largest: bool
    """Whether the latest day or the largest amount is meant; of an age the larger."""
    what: str
    """What is to be stated of each: "date of birth", "number of species"."""
    of: str = ""
    """Whose it is, where it is not the option's own: "director"."""


@dataclass(frozen=True, slots=True)
class _Order:
    """A word that compares."""

    measure: Measure
    largest: bool
    what: str = ""
    """What it compares by itself: "taller" compares heights."""


def _orders() -> dict[str, _Order]:
    rows: tuple[tuple[Measure, bool, str, str], ...] = (
        ("day", False, "date", "first earlier earliest"),
        ("day", True, "date", "last later latest newer newest"),
        ("age", True, "", "older oldest"),
        ("age", False, "", "younger youngest"),
        ("amount", True, "", "more most greater greatest higher highest"),
        ("amount", False, "", "fewer fewest less least lower lowest"),
        ("amount", True, "size", "bigger biggest larger largest"),
        ("amount", False, "size", "smaller smallest"),
        ("amount", True, "length", "longer longest"),
        ("amount", False, "length", "shorter shortest"),
        ("amount", True, "height", "taller tallest"),
        ("amount", True, "weight", "heavier heaviest"),
        ("amount", False, "weight", "lighter lightest"),
        ("amount", True, "depth", "deeper deepest"),
        ("amount", True, "width", "wider widest"),
        ("amount", True, PRICE, "dearer dearest costlier costliest pricier priciest"),
        ("amount", False, PRICE, "cheaper cheapest"),
        ("amount", True, "distance", "farther farthest further furthest"),
        ("amount", False, "distance", "closer closest nearer nearest"),
    )
    found = {
        word: _Order(measure, largest, what)
        for measure, largest, what, words in rows
        for word in words.split()
    }
    return found | {
        "more recent": _Order("day", True, "date"),
        "most recent": _Order("day", True, "date"),
        "more recently": _Order("day", True, "date"),
        "most recently": _Order("day", True, "date"),
        "more expensive": _Order("amount", True, PRICE),
        "most expensive": _Order("amount", True, PRICE),
        "less expensive": _Order("amount", False, PRICE),
        "least expensive": _Order("amount", False, PRICE),
    }


_ORDERS = _orders()
_ORDER = "|".join(sorted(_ORDERS, key=len, reverse=True))
_BE = r"(?:is|are|was|were|be|been)"
_AUXILIARY = r"(?:is|are|was|were|do|does|did|has|have|had|will|can|could)"
_PREDICATE = (
    r"(?:arrives?|begins?|born|built|came|comes?|costs?|created|dated|die|died|due|ends?|established"
    r"|expires?|finished|formed|founded|happen(?:ed|s)?|has|have|launched|lasts?|made|opened|paid"
    r"|published|released|sent|signed|sold|starts?|takes?|weighs?|written)"
)
_WHICH = r"\b(?:who|whom|whose|which|what)\b"
# "Which is older, A or B", "Who was born first: A or B", "Which came out first A or B"
_OPTIONS_LAST = re.compile(
    rf"{_WHICH}(?P<before>[^?]*?)\b(?P<order>{_ORDER})\b(?P<noun>[^,:;?]*?)"
    r"(?:[,:;]|\s[-\u2013\u2014](?=\s))\s*(?P<options>[^?]+? or [^?]+)\W*$",
    re.IGNORECASE,
)
_OPTIONS_AT_ONCE = re.compile(
    rf"(?i:{_WHICH})(?P<before>[^?]*?)\b(?P<order>(?i:{_ORDER}))\b(?P<noun>) "
    r"(?P<options>(?:the|my|our|[A-Z\"\u201c\d])[^,:;?]+? or [^,:;?]+)\W*$",
)
# "Was A or B born first", "Is A or B older"
_OPTIONS_FIRST = re.compile(
    rf"^\W*{_AUXILIARY} (?P<options>[^?,;]+? or [^?,;]+?)"
    rf" (?P<before>(?:{_PREDICATE}\b[^?]*?)?)\b(?P<order>{_ORDER})\b(?P<noun>[^,:;?]*)\W*$",
    re.IGNORECASE,
)
# "Which of A and B is older", "Of A and B, who was born first"
_OPTIONS_AMONG = re.compile(
    rf"(?:{_WHICH}(?: one)? (?:of|out of|among|between)|\b(?:of|out of|among|between))"
    rf" (?P<options>[^?;]+? and [^?;]+?)(?:, {_WHICH}| (?={_AUXILIARY}\b|{_PREDICATE}\b))"
    rf"(?P<before>[^?]*?)\b(?P<order>{_ORDER})\b(?P<noun>[^,:;?]*)\W*$",
    re.IGNORECASE,
)
_FORMS = (_OPTIONS_AMONG, _OPTIONS_FIRST, _OPTIONS_LAST, _OPTIONS_AT_ONCE)
_ENDS_A_CLAUSE = re.compile(
    r"$|to \w+|(?:(?:this|last|next) (?:year|month|week)|in \d{4})$", re.IGNORECASE
)
"""Behind "first": "was born first", "the first to vote", "first this year"; not "first name"."""
_NO_NOUN = re.compile(r"(?:to|than|at|by|for|from|in|of|on|per|with)\b", re.IGNORECASE)
_IS = re.compile(rf"\b{_BE} (?:the )?(?:one )?$|\bthe$", re.IGNORECASE)
# "whose director", "has the director who", "with a conductor born"
_OF = re.compile(
    r"\bwhose (?P<one>\w+)|\b(?:has|have|had|with) (?:the|a|an) (?P<other>\w+)"
    r"(?= (?:who|that|which|born|died)\b)",
    re.IGNORECASE,
)
# "A or B, and for how long"
_BEHIND = re.compile(
    r"\b(?:and|but|so) (?:(?:by|for|in|on|to|with) )?(?:how|wh\w+)\b", re.IGNORECASE
)
# "the work of Acme or that of Zeta"
_LEADING = re.compile(r"^(?:(?:the )?(?:one|that) )?(?:by|for|from|in|of|on|with) ")
_NOT = re.compile(r"\b(?:not|never)\b|n['\u2019]t\b", re.IGNORECASE)
_COMMA = re.compile(r",\s*")
_AROUND = " \t.,;:!?"
_QUOTED = re.compile(r"""["'\u201c\u2018]([^"\u201c\u201d]+)["'\u201d\u2019]""")


def comparison_of(question: str) -> Comparison | None:
    """Return what a question asks to compare; None where it asks for something else."""
    question = " ".join(question.split())
    if len(question) > MOST_CHARACTERS or asks_several(question):
        return None
    for form in _FORMS:
        match = form.search(question)
        if match is None or _BEHIND.search(match["options"]):
            continue
        joint = "and" if form is _OPTIONS_AMONG else "or"
        options = _options(match["options"], joint, match["order"].casefold())
        order = _order(match)
        if order is not None and 1 < len(options) <= MOST_OPTIONS:
            return _comparison(match, order, options)
    return None


def _options(written: str, joint: str, order: str) -> tuple[str, ...]:
    """Return the options; a comma parts them where more than two may be meant."""
    several = order.endswith("est") or order in ("most", "least", "first", "last")
    first, last = re.split(rf" {joint} (?!.* {joint} )", written, flags=re.IGNORECASE)
    parts = (*_COMMA.split(first), last) if several else (first, last)
    if any(one.count("(") != one.count(")") for one in parts):
        return ()  # "(Re: or Fwd:)" is no choice
    found = (_LEADING.sub("", one.strip(_AROUND)) for one in parts)
    names = (quoted[1] if (quoted := _QUOTED.fullmatch(one)) else one for one in found)
    return tuple(dict.fromkeys(name for one in names if (name := one.strip(_AROUND))))


def _order(match: re.Match[str]) -> _Order | None:
    """Return the order that a word means in its place; None where it compares nothing."""
    word, noun, before = match["order"].casefold(), match["noun"].strip(), match["before"]
    order = _ORDERS[word]
    if _NOT.search(f"{before} {noun}"):
        return None
    if word in ("first", "last") and not _ENDS_A_CLAUSE.match(noun):
        return None
    if word in ("more", "most", "less", "least") and noun and _IS.search(before):
        return None  # "is more popular"
    if re.match(r"(?:\w+ly|often)\b", noun):
        return None  # "more often", but for "more recently"
    if word in ("longer", "longest"):
        if re.search(r"\blived$", before.rstrip(), re.IGNORECASE):
            return _Order("span", True, f"{BIRTH} and {DEATH}")
        if re.search(r"\b(?:around|existed)$", before.rstrip(), re.IGNORECASE):
            return _Order("day", False, "date")
    return order


def _comparison(match: re.Match[str], order: _Order, options: tuple[str, ...]) -> Comparison:
    of = _OF.search(match["before"])
    whose = (of["one"] or of["other"]).casefold() if of else ""
    what = next(_whats(match, order, whose))
    return Comparison(options, order.measure, order.largest, what, whose)


def _whats(match: re.Match[str], order: _Order, whose: str) -> Iterator[str]:
    """Yield what is to be stated of each option, the likeliest first."""
    said = f"{match['before']} {match['noun']}"
    noun = " ".join(match["noun"].split())
    if order.measure == "day":
        if re.search(r"\bborn\b", said, re.IGNORECASE):
            yield BIRTH
        if re.search(r"\bdie[ds]?\b|\bpassed away\b", said, re.IGNORECASE):
            yield DEATH
    if order.measure == "age":
        people = whose or re.search(r"(?i)^who", match[0].lstrip())
        yield BIRTH if people else "date or age"
    if order.what in ("", "size") and noun and not _NO_NOUN.match(noun):
        counts = match["order"].casefold() in ("more", "most", "fewer", "fewest", "less", "least")
        yield f"number of {noun}" if counts else noun
    if order.measure == "amount" and re.search(r"\b(?:costs?|paid)\b", said, re.IGNORECASE):
        yield PRICE
    if order.what == "length" and re.search(r"\b(?:lasts?|lasted|takes?|took)\b", said):
        yield "duration"
    yield order.what or "amount"
