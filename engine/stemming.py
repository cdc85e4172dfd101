"""English stems of folded terms (Porter2), and where to look for the words that have one."""

from __future__ import annotations

from functools import cache, lru_cache

from snowballstemmer import stemmer

_IRREGULAR = {b"die": b"dying", b"lie": b"lying", b"tie": b"tying"}
"""Stems of words that they share only their first letter with."""


@lru_cache(maxsize=1 << 16)
def stem(term: bytes) -> bytes:
    """Return the stem of a folded word of English letters; any other term is its own."""
    if not (term.isalpha() and term.isascii()):
        return term
    found: str = _porter().stemWord(term.decode())
    return found.encode()


def prefix_of(stem: bytes) -> list[bytes]:
    """Return prefixes of which every word with this stem has one.

    Porter2 cuts endings, or changes the last letter of what is left: "study" and "studies"
    become "studi". Three stems are irregular.
    """
    prefixes = [stem[:-1] or stem]
    return [*prefixes, _IRREGULAR[stem]] if stem in _IRREGULAR else prefixes


@cache
def _porter() -> stemmer:
    return stemmer("english")
