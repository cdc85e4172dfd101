"""What a question asks of the rows of a table: to count them, or to add one of their columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Literal

from engine.language.dates import find_spans
from engine.language.days import Span
from engine.language.tokens import FUNCTION_WORDS
from engine.sheets.rows import WORD, whole_words

_DONE_WORDS = """
    spent paid cost raised donated earned charged collected received claimed taken took brought made
    drove driven worked used logged booked bought ordered sold gave given belonged stood ran held
    needed kept joined signed registered attended borrowed lent visited played owned contained
    included sat lived rented shopped billed invoiced came come put got gone went
"""
_DO_WORDS = """
    spend pay cost raise donate earn charge collect receive claim take bring make drive work use log
    book buy order sell give belong stand run hold need keep join sign register attend borrow lend
    visit play own contain include sit live rent shop bill invoice come put get go
"""
"""Verbs where "did" and its like stand before them, and nouns elsewhere: "order"."""
_NOISE_WORDS = """
    total totals altogether all together sum added add overall whole entire amount money far now so
    up out in down date currently present moment today ever already entry entries row rows record
    records times time many much number count us our we please tell give show there have had do did
    does been being be on off as of season list listed different separate actual actually finally
    really exactly end everybody everyone anybody euros euro pounds dollars eur gbp usd nok
    with including incl inc per
"""

DONE, DO = frozenset(_DONE_WORDS.split()), frozenset(_DO_WORDS.split())
NOISE = frozenset(_NOISE_WORDS.split())
_PAYING = frozenset(("pay", "paid", "spend", "spent", "buy", "bought", "order", "ordered"))
_BILLED = frozenset(("bill", "billed", "invoice", "invoiced"))

_BEFORE_NUMBER = """
    a actual and average by count current exact find for get give in is max maximum me my of our
    overall same show tell the total was what whole
"""
_NUMBER_OF = "|".join(
    ["^", r"(?<=[^\w ] )", *(rf"(?<=\b{one} )" for one in _BEFORE_NUMBER.split())]
)
"""What stands before a number that counts: "berth number of the boat" counts nothing."""
COUNTS = rf"(?:how many|(?:{_NUMBER_OF})number of|count of)"
_COUNT = re.compile(rf"\b{COUNTS}\b", re.IGNORECASE)
_SUM = re.compile(
    r"\b(?:totals?|altogether|all together|in all|sum of|added up|add up|overall)\b"
    r"|\b(?:how much|what)\b.*\b(?:did|have|has|had|was|were|do|does)\b"
    rf".*\b(?:{'|'.join(sorted(DO | DONE))})\b"
    r"|\bhow much\b.*\b(?:came|come|comes) in\b",
    re.IGNORECASE,
)
TAXES = r"(?:vat|tax|hst|gst|iva|tva|mwst|ust)"
# "before VAT", "VAT included", ", net"
_TAX = re.compile(
    r"\b(?:(?P<out>before|without|excluding|excl|ex|less|net of)|(?:with|including|incl|inc|plus))"
    rf"\.? (?:the )?{TAXES}\b|\b{TAXES} (?:included|inclusive|incl)\b"
    r"|, (?:(?P<net>net)|gross)\b(?! of)",
    re.IGNORECASE,
)
# ", calls included", "tips included", "including the garage"
INCLUDED = re.compile(
    r", (?:with )?(?:[\w-]+ ){1,2}incl(?:uded\b|\b\.?)|(?:\bwith )?\b[\w-]+ incl(?:uded\b|\b\.?)"
    r"|,? (?:including|incl\.?) (?:the )?[\w-]+\W*$",
    re.IGNORECASE,
)
# "hours for the garden", "software spending in May"
MEASURED = re.compile(
    r"^(?:my |our |the )?(?:[\w'-]+ ){0,2}(?:hours|spending|spendings|expenses|expenditure|outlay"
    r"|outgoings|costs|income|revenue|turnover|earnings|mileage|miles|takings|donations)\b"
    r"(?! (?:is|are|was|were)\b)",
    re.IGNORECASE,
)
"""Begins with what is to be added."""
_OTHERWISE = re.compile(
    r"\b(?:not|never|no|none|without|except|excluding|besides|unpaid|unused|averages?|mean|median|most"
    r"|least|larg\w+|bigg\w+|high\w+|low\w+|small\w+|cheap\w+|dear\w+|more|less|fewer|over|under|above"
    r"|below|per(?! (?:the|my|our)\b)|each|every|difference|compared|versus|vs|left|remain\w*"
    r"|percent\w*|share|who|whose"
    r"|whom|which|when|where|why|or|still|yet|other|both|before|after|between|owed?|owing|balance"
    r"|forecast|budgeted|planned|expected|should|would|could|can|may|might|must|will|usually)\b|n't\b|%",
    re.IGNORECASE,
)
"""Asks for more than a count or a sum of what it names, or for less."""
# "what we've paid", "Dot's power"
_SHORTENED = re.compile(r"'(?:s|ve|re|d|ll|m)\b", re.IGNORECASE)
_PLURAL = re.compile(r"(?:[^s]s|people|men|children)$", re.IGNORECASE)
_MINE = re.compile(r"\b(?:I|me|my|mine|myself|I've|I'd)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RowsAsked:
    """A question about rows."""

    operation: Literal["count", "sum"]
    words: tuple[str, ...]
    """Words that a table must account for, in order."""
    doing: tuple[str, ...]
    """Verbs, which may name a column or be a state: "paid"."""
    days: Span | None
    mine: bool
    """Whether it says "I" or "my"."""
    heads: frozenset[str]
    """Words of what is counted: "family memberships"."""
    taxed: bool | None
    """Whether it asks for amounts with tax or without; None: it does not say."""
    included: tuple[str, ...]
    """Words of what is to be among the rows: "calls included". They leave no row out."""

    @property
    def pays(self) -> bool:
        """Whether it asks for what was paid or bought, which an open row is not."""
        done = {word.casefold() for word in self.doing}
        is_paying = self.operation == "sum" or not _PAYING.isdisjoint(done)
        return is_paying and _BILLED.isdisjoint(done)


def rows_asked(question: str, today: date) -> RowsAsked | None:
    """Return what is asked of rows; None where the question asks for something else."""
    plain = whole_words(question.replace("\u2019", "'"))
    is_count = _COUNT.search(plain)
    if not is_count and not (_SUM.search(plain) or MEASURED.search(plain)):
        return None
    spans = find_spans(plain, today)
    if len(spans) > 1:
        return None
    for one in spans:
        plain = f"{plain[: one.start]} {plain[one.end :]}"
    taxed = taxed_said(plain)
    plain = without_tax(plain)
    included = [word for one in INCLUDED.finditer(plain) for word in words_asked(one[0])[0]]
    plain = INCLUDED.sub(" ", plain)
    if _OTHERWISE.search(plain.replace("all together", "")):
        return None
    words, doing = words_asked(plain)
    return RowsAsked(
        "count" if is_count else "sum",
        tuple(words),
        tuple(doing),
        spans[0].span if spans else None,
        bool(_MINE.search(plain)),
        heads_of(plain) if is_count else frozenset(),
        taxed,
        tuple(included),
    )


def taxed_said(text: str) -> bool | None:
    """Return whether a text asks for amounts with tax or without; None: it does not say."""
    tax = _TAX.search(text)
    return None if tax is None else (tax["out"] or tax["net"]) is None


def without_tax(text: str) -> str:
    """Return a text without what it says of tax."""
    return _TAX.sub(" ", text)


def words_asked(text: str) -> tuple[list[str], list[str]]:
    """Return the words of a question that say something of a table, and its verbs."""
    words, doing, asks = list[str](), list[str](), False
    for word in WORD.findall(_SHORTENED.sub(" ", text)):
        plain = word.casefold()
        asks = asks or plain in ("did", "do", "does", "to")
        if plain in DONE or (asks and plain in DO):
            doing.append(word)
        elif plain not in FUNCTION_WORDS and plain not in NOISE:
            words.append(word)
    return words, doing


def heads_of(text: str) -> frozenset[str]:
    """Return the words of what is counted, up to three, before a verb or a preposition.

    What follows a plural is who did it: "vaccinations Kim gave".
    """
    match = re.search(rf"\b{COUNTS} ((?:[\w-]+ ){{0,2}}[\w-]+)", text, re.I)
    if match is None:
        return frozenset()
    nouns = list[str]()
    for word in WORD.findall(match[1]):
        if word.casefold() in FUNCTION_WORDS or word.casefold() in DONE:
            break
        nouns.append(word)
    plural = max((i for i, word in enumerate(nouns) if _PLURAL.search(word)), default=len(nouns))
    return frozenset(nouns[: plural + 1])
