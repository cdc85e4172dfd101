"""What a term is. Recall, its oracles in the tests, and citation checks all use this."""

from __future__ import annotations

import re

WORD = re.compile(r"\w+")
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


def terms(text: str) -> list[str]:
    """Return the case-folded words of `text`, e-mail addresses whole as well as in parts."""
    folded = text.casefold()
    found = WORD.findall(folded)
    if "@" in folded:
        found += ADDRESS.findall(folded)
    return found


_FUNCTION_WORDS = """
    a about above after again all also am an and any are as at be because been before being
    below between both but by can could did do does doing down during each few for from further
    had has have having he her here hers him his how i if in into is it its itself just me more
    most my no nor not now of off on once only or other our out over own s same she should so
    some such t than that the their them then there these they this those through to too under
    until up very was we were what when where which while who whom why will with would you your
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Words that carry no evidence: a sentence is not supported because "the" occurs."""


def content_terms(text: str) -> list[str]:
    """Return the terms of `text` that are not function words, in order."""
    return [term for term in terms(text) if term not in FUNCTION_WORDS]
