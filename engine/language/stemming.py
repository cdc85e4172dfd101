"""English stems of folded terms (Porter2), and where to look for the words that have one."""

from __future__ import annotations

from functools import cache, lru_cache

from Stemmer import Stemmer

_ENDINGS = (
    (b"e", b"i"),  # hope, hoping
    (b"i", b"y"),  # studi, study
    (b"bl", b"bil"),  # nobl, nobility
    (b"ie", b"ying"),  # die, dying
    (b"sky", b"skies"),
)
"""Ends of stems, and what their words may have there instead."""
_LONE = (b"ed", b"ing")
"""Endings of longer words whose stem is one letter."""


@lru_cache(maxsize=1 << 16)
def stem(term: bytes) -> bytes:
    """Return the stem of a folded word of English letters; any other term is its own."""
    if not _is_english(term):
        return term
    found: str = _porter().stemWord(term.decode())
    return found.encode()


def stem_of(word: str) -> str:
    """Return the stem of a word in small letters."""
    return stem(word.encode()).decode(errors="replace")


def prefixes_of(stem: bytes) -> list[bytes]:
    """Return prefixes of which every other word with this stem has one.

    Porter2 cuts endings, and sometimes changes the end of what is left.
    """
    if not _is_english(stem):
        return []
    if len(stem) == 1:
        return [stem + ending for ending in _LONE]
    changed = [stem.removesuffix(end) + other for end, other in _ENDINGS if stem.endswith(end)]
    return [stem, *changed]


def _is_english(term: bytes) -> bool:
    return term.isalpha() and term.isascii()


@cache
def _porter() -> Stemmer:
    return Stemmer("english")
