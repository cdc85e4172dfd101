"""What a question asks of the rows of a table: to count them, or to add one of their columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

from engine.language.dates import find_spans
from engine.language.days import Span
from engine.language.tokens import FUNCTION_WORDS
from engine.sheets.rows import WORD, stems_of

_DOING_WORDS = """
    spend spent pay paid cost costs raise raised donate donated earn earned charge charged collect
    collected receive received claim claimed take took taken bring brought make made drive drove
    driven work worked use used log logged book booked buy bought order ordered sell sold give gave
    given belong stand run ran hold held need keep kept join joined sign signed register registered
    attend attended borrow borrowed lend lent visit visited play played own contain include included
    sit live rent rented
"""
_NOISE_WORDS = """
    total totals altogether all together sum added add overall whole entire amount money far now
    so up out in down date currently present moment today ever already entry entries row rows
    record records times time many much number count us our we please tell give show there come
    came go went gone have had do did got get put been being be on off as of season list listed
    different separate actual actually finally really exactly end euros euro pounds dollars eur
    gbp usd nok
"""
_DOING, _NOISE = frozenset(stems_of(_DOING_WORDS)), frozenset(stems_of(_NOISE_WORDS))

_COUNT = re.compile(r"\b(?:how many|number of|count of)\b", re.IGNORECASE)
_SUM = re.compile(
    r"\b(?:totals?|altogether|all together|in all|sum of|added up|add up|overall)\b"
    r"|\b(?:how much|what)\b.*\b(?:did|have|has|had|was|were|do|does)\b"
    rf".*\b(?:{'|'.join(_DOING_WORDS.split())}|bill(?:ed)?|invoiced?|come|came|get|got)\b",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    r"\b(?:not|never|no|none|without|except|excluding|besides|unpaid|unused|averages?|mean|median|most"
    r"|least|larg\w+|bigg\w+|high\w+|low\w+|small\w+|cheap\w+|dear\w+|more|less|fewer|over|under|above"
    r"|below|per|each|every|difference|compared|versus|vs|left|remain\w*|percent\w*|share|who|whose"
    r"|whom|which|when|where|why|or|still|yet|other|both|before|after|between|owed?|owing|balance"
    r"|forecast|budgeted|planned|expected|should|would|could|can|may|might|must|will|usually)\b|n't\b|%",
    re.IGNORECASE,
)
"""Asks for more than a count or a sum of what it names, or for less."""
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


def rows_asked(question: str, today: date) -> RowsAsked | None:
    """Return what is asked of rows; None where the question asks for something else."""
    plain = question.replace("\u2019", "'")
    is_count = _COUNT.search(plain)
    if not is_count and not _SUM.search(plain):
        return None
    spans = find_spans(plain, today)
    if len(spans) > 1:
        return None
    for one in spans:
        plain = f"{plain[: one.start]} {plain[one.end :]}"
    if _OTHERWISE.search(plain.replace("all together", "")):
        return None
    said = list(_words(plain))
    return RowsAsked(
        "count" if is_count else "sum",
        tuple(word for word in said if not _DOING.intersection(stems_of(word))),
        tuple(word for word in said if _DOING.intersection(stems_of(word))),
        spans[0].span if spans else None,
        bool(_MINE.search(plain)),
    )


def _words(text: str) -> Iterator[str]:
    """Yield the words of a question that say something of a table."""
    for word in WORD.findall(text.replace("'s ", " ")):
        if word.casefold() not in FUNCTION_WORDS and not _NOISE.intersection(stems_of(word)):
            yield word
