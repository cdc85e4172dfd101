"""Letters as a keyboard without accents writes them: names are typed so, and found so."""

from __future__ import annotations

import unicodedata

_OTHER = "æœøłđħ\u0131ðþё"
_FORMS = ("ae", "oe", "o", "l", "d", "h", "i", "d", "th", "\u0435")
_SAME = dict(zip(_OTHER, _FORMS, strict=True))
"""Letters that are no other letter with an accent, and the e of Russian."""
_LAST = "\u1fff"
"""The last Greek letter with accents. Chinese and Japanese lie behind it, and are many."""
_LOOSE = range(0x300, 0x370)
"""Accents that are joined to no letter once a text is composed."""


def bare(char: str) -> str:
    """Return a small letter without its accent, where it is Latin or Greek."""
    if char > _LAST:
        return char
    if char in _SAME:
        return _SAME[char]
    if ord(char) in _LOOSE:
        return ""
    first = unicodedata.normalize("NFD", char)[0]
    return first if first.isascii() or "\u03b1" <= first <= "\u03c9" else char


def unaccented(text: str) -> str:
    """Return a text in small letters, Latin and Greek ones without accents."""
    if text.isascii():
        return text.lower()
    return "".join(map(bare, unicodedata.normalize("NFC", text.casefold())))
