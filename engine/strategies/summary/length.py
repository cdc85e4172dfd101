"""How long a summary is to be, and a reply that came out longer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.checking.draft_sentences import MARKER, split_sentences
from engine.generation.draft import Draft
from engine.language.numbers import ENGLISH

LEAST_TOKENS, MOST_TOKENS = 160, 512
"""Limits of a reply: the first where no longer one is asked for."""
TOKENS = {"word": 2, "sentence": 45, "line": 40, "bullet": 45, "paragraph": 160}
"""Most tokens that one of these takes."""
SENTENCES = 4
"""Where no number of them is asked for."""
_NUMBER = r"\d+|one|two|three|four|five|six|seven|eight|nine|ten|single"
LENGTH = re.compile(
    r"\b(?:in|into|of|with|at most|no more than|under|about|to)\s+(?:an?\s+|at most\s+|about\s+)?"
    rf"(?P<length>(?:{_NUMBER})"
    r"(?:\s+or\s+\w+)?[\s-]+(?:words?|sentences?|lines?|bullets?(?:\s+points?)?|paragraphs?))\b"
    rf"|\b(?P<number>{_NUMBER})-(?P<unit>word|sentence|line|paragraph)(?= \w)",
    re.IGNORECASE,
)
FINISHED = re.compile("[.!?…。\uff01\uff1f][\"'”\u2019)\\]]*$")
"""Ends a sentence."""
_HEADING = re.compile(r"^.*</?[0-9a-f]{6}>.*\n?", re.MULTILINE)
"""A passage's heading or fence as the prompt shows it, copied."""
_LEAD_IN = re.compile(r"\A[^\n]*:\s*\n")
""""Here is a summary:", which says nothing."""


@dataclass(frozen=True, slots=True)
class SummaryLength:
    """The length that a question asks for."""

    words: str
    """As the model is told."""
    tokens: int = LEAST_TOKENS
    """Most tokens of the reply."""
    sentences: int = SENTENCES
    """Of a summary that is taken from the text itself."""

    @classmethod
    def of(cls, question: str) -> SummaryLength:
        """Return the length that a question asks for, else a few sentences."""
        words = asked_length(question)
        found = re.search(rf"({_NUMBER})\b.*?({'|'.join(TOKENS)})", words, re.IGNORECASE)
        if found is None or LENGTH.search(question) is None:
            return cls(words)
        said, unit = found[1].casefold(), found[2].casefold()
        count = int(said) if said.isdigit() else ENGLISH.get(said, 1)
        tokens = min(max(count * TOKENS[unit], LEAST_TOKENS), MOST_TOKENS)
        lines = unit in ("sentence", "line", "bullet")
        return cls(words, tokens, min(max(count, 1), 12) if lines else SENTENCES)


def asked_length(question: str) -> str:
    """Return the length that a question asks for, else a few sentences."""
    found = LENGTH.search(question)
    if found is None:
        return "three to six sentences"
    if found["length"]:
        return " ".join(found["length"].split())
    one = found["number"].casefold() in ("1", "one", "single")
    return f"{found['number']} {found['unit']}{'' if one else 's'}"


def trimmed(draft: Draft) -> str:
    """Return a reply without markers, headings, lead-in and what the limit broke off."""
    text = _LEAD_IN.sub("", MARKER.sub("", _HEADING.sub("", draft.text)).strip())
    if draft.ended or FINISHED.search(text):
        return text
    head, _, last = text.rpartition("\n")
    kept = " ".join(split_sentences(last)[:-1])
    return f"{head}\n{kept}".strip() or text
