"""What is typed in haste: contractions without their apostrophe, "whens", and "this yr"."""

from __future__ import annotations

import re

# "whats", "whens"; not "its", "lets", "wed", "ill", "were", "shell", which are words
_IS = re.compile(r"\b(what|when|where|who|how|that|there)s\b", re.IGNORECASE)
# "havent", "cant"; not "dont", which is a word of French
_NOT = re.compile(
    r"\b(are|ca|could|did|does|had|has|have|is|must|need|should|was|were|wo|would)nt\b",
    re.IGNORECASE,
)
# "youre", "weve"; not "ive" and "im", which are a name and a word of German
_AM = re.compile(r"\b(you|they)(re|ve)\b|\b(we)(ve)\b", re.IGNORECASE)


# "this yr", "next wk", "3 mths", "yrs"
_UNIT = re.compile(r"\b(yr|wk|mth)(s?)\b", re.IGNORECASE)
_UNITS = {"yr": "year", "wk": "week", "mth": "month"}
_QUOTED = re.compile(r"(\"[^\"]*\"|\u201c[^\u201d]*\u201d)")


def written_out(text: str) -> str:
    """Return a question with what it shortens written out; quotes stay as they are.

    >>> written_out("whens the dinner, and who hasnt paid this yr?")
    "when's the dinner, and who hasn't paid this year?"
    """
    parts = _QUOTED.split(text)
    return "".join(part if number % 2 else _told(part) for number, part in enumerate(parts))


def _told(text: str) -> str:
    text = _NOT.sub(r"\1n't", _IS.sub(r"\1's", text))
    text = _UNIT.sub(lambda one: _UNITS[one[1].casefold()] + one[2], text)
    return _AM.sub(lambda one: "'".join(part for part in one.groups() if part), text)
