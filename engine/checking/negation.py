"""Says whether a sentence denies what its source says, or says what its source denies.

Each clause of the sentence is compared with the source's clauses that share most words with it. A
"not" counts only where the other clause has the denied word too: so "extra, not included" does not
contradict "costs 20 euros".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from engine.language.tokens import FUNCTION_WORDS, words

_CLAUSE_END = re.compile(
    r"[.!?](?=\s|$)|[;:\n\u2013\u2014()\u3001\u3002\uff01\uff1b\uff1f]|,(?!\d)"
    r"|\b(?:but|because|although|aber|sondern|weil|mais|pero|porque|maar|но)\b"
)
_NOT = re.compile(
    r"\b(?:not|cannot|never|nobody|nothing|neither|nor|without|no longer|no one|non|"
    r"nicht|nie|niemals|niemand|nichts|kein\w{0,2}|ohne|weder|"
    r"pas|jamais|aucune?|sans|ningún|ninguna?|nunca|sin|senza|nessun[oa]?|não|nem|"
    r"niet|nooit|geen|zonder|inte|не|нет|никогда|без)\b"
    r"|n['\u2019]t\b|\bno\b(?!\.)|不|没|未",
    re.IGNORECASE,
)
_NO_DENIAL = re.compile(
    r"\b(?:not|nicht|niet|pas|non|no) (?:only|just|nur|alleen|seulement|s[oó]lo)\b"
    r"|(?:\b(?:not|cannot|never)|n['\u2019]t) (?:\w+ ){0,4}(?:exceed\w*\b"
    r"|(?:later|more|less|fewer|earlier|longer|larger|bigger|higher) than\b"
    r"|(?:above|over|below|under|beyond|past)(?= \W?\d))"
    r"|\bno (?:later|more|less|fewer|earlier|longer|larger|bigger|higher) than\b"
    r"|\bnicht (?:\w+ ){0,4}[uü]berschreit\w+\b"
    r"|\bwhether or not\b|\bno\.? ?\d"
    r"|(?:\bnot|n['\u2019]t|\bnever|\bnicht) (?:\w+ ){0,4}(?:until|till|before|vor)\b"
    r"|(?:\bnot|n['\u2019]t|\bnever) (?:forget|hesitate|miss|worry)\b|\boubliez? pas\b"
    r"|\bcan(?:not|['\u2019]t) wait to\b|\bnothing (?:beats|better than|nicer than)\b"
    r"|\b(?:no|without|without a) doubt\b|\bno wonder\b"
    r"|\bcould(?: not|n['\u2019]t) (?:be|agree) (?:more|better|happier)\b"
    r"|\bnicht vergessen\b|\bvergiss nicht\b|\bno olvides?\b|\bwhy (?:not|don['\u2019]t)\b"
    r"|^\W*(?:if|wenn|falls|si)\b(?:\s+\w+){0,3}?(?:\s+(?:not|nicht|no|pas)\b|n['\u2019]t\b)",
    re.IGNORECASE,
)
"""Phrases with a "not" that deny nothing; the last is a condition."""
_LITTLE = "yes no ja nein oui non si sí nee da да нет not nicht pas never nie does did doch"
_PARTICLES = frozenset(_LITTLE.split())
_ASCII_WORD = re.compile("[a-z0-9_]+")
_STEM = 4
"""Letters that two forms of a verb share at least: sign and signed."""


@dataclass(frozen=True)
class Clause:
    """A part of a sentence with what it denies."""

    text: str

    @cached_property
    def stems(self) -> frozenset[str]:
        """Its content words, cut to what their forms share."""
        return frozenset(_stems(self.text))

    @cached_property
    def is_denied(self) -> bool:
        """Say whether it has a "not"."""
        return bool(_NOT.search(_NO_DENIAL.sub(" ", self.text)))

    @cached_property
    def denied(self) -> frozenset[str]:
        """The stems that a "not" denies: the two words behind it, else the last one before it."""
        found: set[str] = set()
        text = _NO_DENIAL.sub(" ", self.text)
        for match in _NOT.finditer(text):
            after = _stems(text[match.end() :])[:2]
            found.update(after or _stems(text[: match.start()])[-1:])
        return frozenset(found)


@dataclass(frozen=True)
class Statement:
    """A sentence or a source, read once for all comparisons."""

    text: str

    @cached_property
    def has_denial(self) -> bool:
        """Say whether it has a "not" at all."""
        return bool(_NOT.search(self.text))

    @cached_property
    def clauses(self) -> list[Clause]:
        """Its clauses that have content words."""
        parts = (Clause(part) for part in _CLAUSE_END.split(self.text))
        return [part for part in parts if part.stems]


def contradicts(said: Statement, sources: Sequence[Statement], *, translated: bool = False) -> bool:
    """Say whether a clause of the sentence is denied and the source's is not, or the reverse.

    Of a translated sentence no word need be the same: then one "not" more is enough.
    """
    if not any(one.has_denial for one in (said, *sources)):
        return False
    there = [clause for source in sources for clause in source.clauses]
    return any(_is_against(clause, there, translated) for clause in said.clauses)


def _is_against(clause: Clause, source: Sequence[Clause], translated: bool) -> bool:
    shared = [len(clause.stems & other.stems) for other in source]
    most = max(shared, default=0)
    if not most:
        return False
    nearest = [other for other, count in zip(source, shared, strict=True) if count == most]
    return all(_differ(clause, other, translated) for other in nearest)


def _differ(one: Clause, other: Clause, translated: bool) -> bool:
    if one.is_denied == other.is_denied:
        return False
    return translated or bool(one.denied & other.stems or other.denied & one.stems)


def _stems(text: str) -> list[str]:
    return [
        word[: max(_STEM, len(word) - 3)]
        for word in (_ASCII_WORD.findall(text.lower()) if text.isascii() else words(text))
        if word not in FUNCTION_WORDS and word not in _PARTICLES and not _NOT.fullmatch(word)
    ]
