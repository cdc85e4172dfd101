"""Whether two readings of the evidence say the same, however alike or unlike their words are.

"The rent is 950 euros" and "The rent is 890 euros" share four words of five, and "Berta" and "The
key is with Berta" one of five. A person asks for what is meant. Numbers, dates, times and names are
read as `stated` reads them, denials as `negation`.
"""

from __future__ import annotations

import re
from itertools import product

from engine.checking.claims import Claims, SourceFacts, compared
from engine.checking.draft_sentences import split_sentences
from engine.checking.meanings import Weekday
from engine.checking.negation import Statement
from engine.language.overlap import token_f1
from engine.language.stemming import stem
from engine.language.tokens import FUNCTION_WORDS, folded_words, readable

ALIKE = 0.5
"""Least similarity of two votes for the same answer (ours)."""

_VERDICT = re.compile(r"\W*(yes|no)\b(?!\.? ?\d)", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_JOINED_NOT = re.compile(r"\b\w+n['\u2019]t\b", re.IGNORECASE)
_NUMERO = re.compile(r"\bno\. ?(?=\d)", re.IGNORECASE)
_NOTHING = SourceFacts("")


def same_answer(one: str, other: str, likeness: float, question: str) -> bool:
    """Say whether two readings, without markers, give one answer; `likeness` is from 0 to 1.

    They are similar, or one says all that the other says; and they do not contradict each other.
    """
    if one == other:
        return True
    within = _contains(one, other) or _contains(other, one)
    return (likeness >= ALIKE or within) and not contradict(one, other, question)


def contradict(one: str, other: str, question: str) -> bool:
    """Say whether each reading states something where the other one states something else.

    What only one of them states is no contradiction, but a day of the week beside another: "moved
    from Monday to Thursday". The question says which first words are no names.
    """
    verdicts = {found[1].lower() for text in (one, other) if (found := _VERDICT.match(text))}
    if len(verdicts) > 1 or _denies(one, other) or _denies(other, one):
        return True
    left, right = split_sentences(one), split_sentences(other)
    if len(left) == len(right) == 1:
        pairs = [(one, other)]
        days = [_weekdays(text) for text in (one, other)]
        if all(days) and days[0] != days[1]:
            return True
    else:
        pairs = [pair for pair in product(left, right) if token_f1(*pair) >= ALIKE]
    return any(_only_in(a, other, question) & _only_in(b, one, question) for a, b in pairs)


def _contains(long: str, short: str) -> bool:
    """Say whether a reading has the words of another, and its figures however written."""
    found = compared(Claims(short), [SourceFacts(long)], _NOTHING)
    wanted = _stems(short)
    rest = wanted - {stem(word) for held in found.held for word in folded_words(held)}
    return bool(wanted) and rest <= _stems(long) and not found.lacking


def _stems(text: str) -> set[bytes]:
    return {stem(word) for word in folded_words(text) if readable(word) not in FUNCTION_WORDS}


def _denies(one: str, other: str) -> bool:
    """Say whether one reading denies, in a clause, words that the other one claims."""
    clauses = _statement(other).clauses
    claimed = set().union(*(clause.stems for clause in clauses if not clause.is_denied))
    return any(part.is_denied and part.stems <= claimed for part in _statement(one).clauses)


def _statement(text: str) -> Statement:
    """Return a text for its denials, with stems for words: "approve" and "approved" are one."""
    text = _NUMERO.sub("", _JOINED_NOT.sub("not", text))
    return Statement(_WORD.sub(lambda word: readable(stem(word[0].lower().encode())), text))


def _weekdays(text: str) -> set[Weekday]:
    meanings = (meaning for fact in Claims(text).facts for meaning in fact.meanings)
    return {meaning for meaning in meanings if isinstance(meaning, Weekday)}


def _only_in(sentence: str, text: str, question: str) -> set[type]:
    """Return the types of facts that a sentence states and a text does not; `str` means a name."""
    begins = _WORD.search(sentence)
    if begins and begins[0].lower() not in _WORD.findall(question):
        sentence = f"It {sentence}"  # the first word may be a name too
    claims = Claims(sentence)
    lacking = set(compared(claims, [SourceFacts(text)], _NOTHING).lacking)
    kinds: set[type] = set()
    for fact in claims.facts:
        written = sentence[fact.start : fact.end].strip()
        if written in lacking:
            lacking.discard(written)
            kinds.update(type(meaning) for meaning in fact.meanings)
    return kinds | ({str} if lacking else set())
