"""Finds replies which say that the evidence holds no answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.checking.draft_sentences import MARKER, split_sentences
from engine.language.tokens import words
from engine.values import Passage

ABSTENTION = "I found nothing in what was read that answers this."
"""The whole answer when nothing is grounded."""

_STATED = r"(?:mention|specif|provid|stat|indicat|discuss|address|disclos|reveal|sa[iy])\w*"
_HELD = rf"(?:{_STATED}|(?:contain|includ|describ|list|identif|giv|tell|hold|have|has)\w*)"
_SOURCES = (
    r"(?:passages?|sources?|documents?|text|context|evidence|e-?mails?|messages?|files?|excerpts?"
    r"|articles?|notes?|materials?|information|conversations?|threads?)"
)
_NOT = r"(?:\bnot\b|\bcannot\b|n['\u2019]t\b|\bnever\b|\bno\b|\bnothing\b|\bneither\b)"
_DENIALS = (
    r"^\W*(?:answer: )?(?:not (?:found|stated|mentioned|specified|provided|given)|unanswerable)\b",
    r"^\W*(?:answer: |(?:it|that|this|the answer) is )?unknown\W*$",
    rf"\b{_SOURCES}\b[^.,;]{{0,40}}{_NOT}[^.,;]{{0,20}}\b{_HELD}",
    rf"\b{_SOURCES}\b[^.,;]{{0,40}}\b{_HELD} (?:nothing|no)\b",
    rf"\bno(?:ne of the)? {_SOURCES}\b[^.,;]{{0,40}}\b{_HELD}",
    rf"\b(?:it|they|this|that)\b(?: \w+)?{_NOT}(?: \w+ly)? {_STATED}",
    rf"\b(?:is|are|was|were|been)(?: not|n['\u2019]t)(?: \w+ly)? {_STATED}",
    rf"\bnot (?:\w+ )?(?:in|by|among) (?:any|the|these|this|your)\b[^.]{{0,20}}\b{_SOURCES}\b",
    r"\bthere(?: is|['\u2019]s| are) (?:no|not any|not enough|insufficient) (?:\w+ ){0,2}"
    r"(?:information|mentions?|answers?|indications?|details?|evidence|attachments?)\b",
    r"\bno (?:information|answer|indication|mention|evidence) (?:is|about|on|regarding|given)\b",
    r"\bI (?:cannot|can['\u2019]t|could(?: no|n['\u2019])t|do(?: no|n['\u2019])t|am unable to)"
    r" (?:find|answer|determine|know|locate)\b",
    r"\bcannot be (?:answered|determined|found)\b|\bunanswerable\b",
)
_DENIAL = re.compile("|".join(_DENIALS), re.IGNORECASE)
"""How models say that they do not know, when they leave the asked form: the passages, or "it", do
not state something. That the rent does not include heating is an answer."""
LEAST_SAID = 4
"""Words of a denial that a passage must hold for it to be the passage's own."""


def denies(text: str, evidence: Sequence[Passage] = ()) -> bool:
    """Say whether a reply says that the passages hold no answer.

    Its first sentence says so: one that answers a part of the question, and then says what is
    lacking, is an answer. Nor is one that quotes the evidence word for word: a report may say "The
    cause is not stated".
    """
    said = MARKER.sub("", text).strip()
    if not said:
        return not text.strip()
    first = next(iter(split_sentences(said.splitlines()[0])), said)
    return bool(_DENIAL.search(first)) and not _is_quoted(said, evidence)


def _is_quoted(text: str, evidence: Sequence[Passage]) -> bool:
    said = words(text)
    run = f" {' '.join(said)} "
    return len(said) >= LEAST_SAID and any(
        run in f" {' '.join(words(passage.searched))} " for passage in evidence
    )
