"""When to say that the evidence does not hold the answer."""

from __future__ import annotations

import re

ABSTENTION = "I found nothing in what was read that answers this."
"""The whole answer when nothing is grounded."""

_DENIAL = re.compile(
    r"^\W*not found\b"
    r"|\b(?:not|n't|never|nor|no)\b[^.]{0,40}"
    r"\b(?:mention|specif|provid|stat|giv|found|contain|say|includ|identif|describ|list|indicat)\w*"
    r"|\bno (?:information|answer|indication|details?|evidence|attachments?)\b"
    r"|\bunknown\b|\bunanswerable\b|\bnone of the passages\b",
    re.IGNORECASE,
)
"""How models say that they do not know, when they leave the asked form."""


def denies(text: str) -> bool:
    """Say whether a reply says that the passages hold no answer."""
    return not text.strip() or bool(_DENIAL.search(text))
