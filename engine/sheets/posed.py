"""What a question poses to a table: its form, its words, its days, and whether it denies something.

Unlike `engine.sheets.asked` it takes every question that rows may answer; a model then writes what
is asked, and `engine.sheets.proposal` checks that it accounts for each word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from engine.language.dates import FoundSpan, find_spans
from engine.language.days import Span
from engine.sheets.asked import (
    COUNTS,
    INCLUDED,
    MEASURED,
    TAXES,
    heads_of,
    taxed_said,
    without_tax,
    words_asked,
)
from engine.sheets.query import Form
from engine.sheets.rows import whole_words

_MOST = (
    r"most|least|biggest|largest|highest|lowest|smallest|greatest|longest|shortest|cheapest|dearest"
    r"|priciest|(?:most|least) expensive"
)
_FORMS: tuple[tuple[str, Form], ...] = (
    (r"\b(?:average|mean)\b", "averaged"),
    (rf"\b(?:number|name|date) of (?:my|our|the) (?:{_MOST})\b", "foremost"),
    (rf"\b(?:who|which|what|where|in which)\b(?! (?:is|was|are|were) the (?:{_MOST})).*"
     rf"\b(?:{_MOST})\b", "foremost"),
    (rf"^(?:the |my |our )?(?:{_MOST}) (?:thing|one|item)\b", "foremost"),
    (r"^(?:the |my |our )?(?:peak|max(?:imum)?|min(?:imum)?|highest|lowest)\b", "ended"),
    (rf"\b(?:how (?:much|many|high|long|large|big)|what)\b.*\b(?:{_MOST})\b", "ended"),
    (rf"\b{COUNTS}\b", "counted"),
    (r"\b(?:how much|totals?|altogether|sum of|added up|add up|worth)\b", "summed"),
    (r"^(?:and |so )?(?:who|which|whose|list|name|show|give me|all)\b"
     r"|\b(?:all|list of)(?: the)? names\b|\bnames of\b", "listed"),
    (r"^(?:the |my |our )?(?:[\w-]+ ){0,2}(?:fees|dues|subs|money|rent|expenses|amounts?)\b.*"
     r"\b(?:outstanding|unpaid|owed|owing|overdue)\b", "summed"),
    (r"\b(?:all up|all told|in total|ytd|to date"
     r"|(?:so far|up to now) (?:this|in) (?:year|month|quarter|week|season))\b", "summed"),
)  # fmt: skip
"""The first that fits."""
# "who has not paid", "still out", "unpaid", "outstanding"
DENIES = re.compile(
    r"\b(?:not|no|nothing|never|without|unpaid|outstanding|overdue|past due|missing|unreturned"
    r"|still (?:out|open|owed?|due|to)|yet to|open|owed?|owes|owing|yet|(?:a)?waiting(?: for)?)\b",
    re.IGNORECASE,
)
OVERDUE = re.compile(r"\b(?:overdue|past (?:the |its |their )?due(?: date)?)\b", re.IGNORECASE)
# "which clients"
_LISTED = re.compile(r"\b(?:which|what) (?:of (?:the|our|my) )?([^\W_]+)", re.IGNORECASE)
# "hasn't"
_NOT = re.compile(r"\b\w+n't\b", re.IGNORECASE)
# "more than 100", "under £20"
_THAN = re.compile(
    r"\b(?:more|less|fewer|higher|lower|over|under|above|below|at least|at most|up to)"
    r"(?: than)? [^\w\s]?\d|\d (?:\w+ )?or (?:more|less|fewer|over|under|above|below)\b",
    re.IGNORECASE,
)
# "before VAT", ", net"
_TAX = re.compile(rf"\b{TAXES}\b|, (?:net|gross)\b(?! of)", re.IGNORECASE)
_OTHERWISE = re.compile(
    r"\b(?:per(?! (?:the|my|our)\b)|each|every|difference|compared|versus|vs|percent\w*|share|why"
    r"|except|excluding|besides"
    r"|apart from|other than|both|between|before|after|forecast|planned|expected|should|would|could"
    r"|may|might|must|will|usually|next|than (?![^\w\s]?\d)|how (?:many|much) more)\b|%",
    re.IGNORECASE,
)
"""Asks for more than one query of one table says."""
TOTAL = re.compile(
    r"\b(?:totals?|altogether|together|in all|sum of|added up|add(?:ing)? up|overall"
    r"|all up|all told|so far|ytd|to date|c[oa]mes? to)\b",
    re.IGNORECASE,
)
"""Asks for several amounts."""
_OF_TWO = re.compile(
    r"\bby how (?:much|many)\b|\bhow (?:much|many) (?:more|less|fewer|\w+er)\b"
    r"|\b(?:difference|compared|versus|vs|percent\w*|share|per|each|every"
    r"|an? (?:week|month|quarter|year|day|head|hour))\b|%",
    re.IGNORECASE,
)
"""Asks for what two queries say, or for a price."""
_MEANS = re.compile(r"\b(?:do|does|did|we|you|I) (?:[\w']+ )*mean\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_LITTLE_WORDS = """
    above according anyone anything asked asks at average below biggest currently euro euros
    everyone everything fewer file filled going greatest handed hasn't haven't highest item
    items kr kroner kronor largest least less line lines log logged longest lowest max maximum
    mean min minimum missing more most name names never no nok not nothing open outstanding
    over overdue owe owed owes owing peak person pounds priciest return returned sheet
    shortest single smallest somebody spreadsheet still table than thing under unpaid want
    told wanted wants what whether which who whom whose worth yet ytd
"""
_LITTLE = frozenset(_LITTLE_WORDS.split())
_LOOSE_WORDS = """
    add adding around both debit debits direct done myself ourselves payment payments please since
    transaction transactions waiting work
"""
_LOOSE = frozenset(_LOOSE_WORDS.split())
"""Words that choose no row where not all words must be accounted for."""
_GIVEN = frozenset(("gave", "give", "given", "handed", "provided", "showed", "shown", "supplied"))
"""What was done where a column says whether it was: "haven't shown us insurance"."""


@dataclass(frozen=True, slots=True)
class Posed:
    """A question that one query of one table may answer."""

    form: Form
    text: str
    """The question without its days."""
    words: tuple[str, ...]
    """Words that a query must account for, in order."""
    heads: frozenset[str]
    """Words of what is counted: "chess games". A row may be one."""
    days: Span | None
    denies: bool
    """Whether it asks for what lacks something: "who has not paid"."""
    numbers: tuple[str, ...]
    compares: bool
    """Whether a number is a limit: "more than 100"."""
    listed: str | None
    """The word behind "which", which may name the column that is listed."""
    of_people: bool
    """Whether it asks who."""
    single: bool
    """Whether one row is meant: "the biggest single payment"."""
    days_said: str = ""
    """What its text says of the days."""
    taxed: bool | None = None
    """Whether it asks for amounts with tax or without; None: it does not say."""


def posed(question: str, today: date) -> Posed | None:
    """Return what a question poses to a table; None where no single query answers it."""
    plain = _plain(question)
    form = _form(plain)
    spans = find_spans(plain, today)
    if form is None or len(spans) > 1 or INCLUDED.search(plain):
        return None
    asked = _posed(plain, form, spans)
    return None if _OTHERWISE.search(asked.text) or _TAX.search(asked.text) else asked


def posed_loosely(question: str, today: date) -> Posed | None:
    """Return what a question may pose to a table whose words it does not use.

    Only what counts, adds or compares rows does: anything else is better read.
    """
    plain = _plain(question)
    form = _form(plain) or ("summed" if TOTAL.search(plain) else None)
    spans = find_spans(plain, today)
    if form in (None, "listed") or len(spans) > 1:
        return None
    if any(one.search(plain) for one in (_OF_TWO, _MEANS, INCLUDED)):
        return None
    asked = _posed(plain, form, spans)
    said = words_asked(without_tax(asked.text))[0]
    words = (one for one in asked.words if one in said and one.casefold() not in _LOOSE)
    return replace(asked, words=tuple(words))


def _plain(question: str) -> str:
    return whole_words(_NOT.sub("not", " ".join(question.replace("\u2019", "'").split())))


def _form(plain: str) -> Form | None:
    form = next((form for said, form in _FORMS if re.search(said, plain, re.IGNORECASE)), None)
    return "summed" if form is None and MEASURED.search(plain) else form


def _posed(plain: str, form: Form, spans: Sequence[FoundSpan]) -> Posed:
    days_said = " ".join(plain[one.start : one.end] for one in spans)
    for one in spans:
        plain = f"{plain[: one.start]}{plain[one.end :]}"
    plain = " ".join(plain.split())
    listed = _LISTED.search(plain)
    numbers = tuple(dict.fromkeys(_NUMBER.findall(plain)))
    compares = bool(_THAN.search(plain))
    denies = bool(DENIES.search(plain))
    left_out = {*_LITTLE, *(numbers if compares else ()), *(_GIVEN if denies else ())}
    words = words_asked(OVERDUE.sub(" ", plain))[0]
    words = [one for one in words if one.casefold() not in left_out]
    return Posed(
        form,
        plain,
        tuple(one for one in words if len(one) > 1),
        heads_of(plain) if form == "counted" else frozenset(),
        spans[0].span if spans else None,
        denies,
        numbers,
        compares,
        listed[1] if listed else None,
        bool(re.search(r"\bwho\b", plain, re.IGNORECASE)),
        bool(re.search(r"\b(?:single|line|row|entry)\b", plain, re.IGNORECASE)),
        days_said,
        taxed_said(plain),
    )
