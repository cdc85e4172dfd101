"""Contractions that are typed without their apostrophe: "whens", "havent"."""

from __future__ import annotations

import re

# "whats", "whens"; not "its", "lets", "wed", "ill", "were", "shell", which are words
_IS = re.compile(r"\b(what|when|where|who|how|that|there)s\b", re.IGNORECASE)
# "havent", "cant"
_NOT = re.compile(
    r"\b(are|ca|could|did|do|does|had|has|have|is|must|need|should|was|were|wo|would)nt\b",
    re.IGNORECASE,
)
# "ive", "im", "youre", "weve"
_AM = re.compile(r"\b(i)(m|ve)\b|\b(you|they)(re|ve)\b|\b(we)(ve)\b", re.IGNORECASE)


_QUOTED = re.compile(r"(\"[^\"]*\"|\u201c[^\u201d]*\u201d)")


def with_apostrophes(text: str) -> str:
    """Return a question with the apostrophes that its contractions lack; quotes stay as they are.

    >>> with_apostrophes("whens the dinner, and who hasnt paid?")
    "when's the dinner, and who hasn't paid?"
    """
    parts = _QUOTED.split(text)
    return "".join(part if number % 2 else _told(part) for number, part in enumerate(parts))


def _told(text: str) -> str:
    text = _NOT.sub(r"\1n't", _IS.sub(r"\1's", text))
    return _AM.sub(lambda one: "'".join(part for part in one.groups() if part), text)
