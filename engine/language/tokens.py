"""What a term is. Recall, its oracles in the tests, and citation checks all use this.

A word is a run of letters, marks, digits and underscores; Chinese, Japanese and Korean runs are
cut into bigrams, as they are written without spaces. Words that single connectors join make one
more term, the whole beside its parts: e-mail addresses, dates, UUIDs, "don't", "AT&T", "10:30".
Case, compatibility forms, accents of Latin and Greek letters, and typographic apostrophes and
hyphens are folded first: "lucia" finds "Lucía".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ingest.text.accents import bare

WORD_BYTE = 0x30
"""In folded text, bytes from here on are parts of words, smaller ones are not."""
JOINS_WORDS = b".-'@+&"
"""Connectors of any two words; folded to 1, 2, …"""
JOINS_DIGITS = b"/:,"
"""Connectors of digits only ("20/04/2001", "10:30", "1,000"); folded to the next numbers."""
FIRST_DIGIT_JOIN = len(JOINS_WORDS) + 1
LAST_JOIN = len(JOINS_WORDS + JOINS_DIGITS)


_JOIN_NAMES = bytes.maketrans(bytes(range(1, LAST_JOIN + 1)), JOINS_WORDS + JOINS_DIGITS)
BETWEEN = b"\xff"
"""Between texts that are folded together: no text encoded as UTF-8 holds it."""
_MARKS = (b"\xcc", b"\xcd")
"""First bytes of combining accents, which join the letter before them."""
_CJK = re.compile("[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
                  "\U00020000-\U0003ffff]+")  # fmt: skip
_LETTERS = frozenset("LMN")
"""First letters of the Unicode categories that words are made of: letters, marks, numbers."""
_SAME = {"\u2019": "'", "\u02bc": "'", "\u2010": "-", "\u2011": "-"}


def _table() -> bytes:
    table = bytearray(256)
    for byte in range(256):
        if byte >= 0x80 or chr(byte).isalnum() or byte == ord("_"):
            table[byte] = ord(chr(byte).lower()) if byte < 0x80 else byte
    table[BETWEEN[0]] = 0
    for number, byte in enumerate(JOINS_WORDS + JOINS_DIGITS, start=1):
        table[byte] = number
    return bytes(table)


ASCII = _table()
"""How each byte of ASCII is folded; `bytes.translate` leaves the others as they are."""

_WORD = re.compile(rb"[\x30-\xff]+")
_WHOLE = re.compile(
    rb"(?<![\x30-\xff])[\x30-\xff]++"  # never from within a word, never back: linear in time
    rb"(?:(?:[\x01-\x06]|(?<=[0-9])[\x07-\x09](?=[0-9]))[\x30-\xff]++)+"
)


def fold(text: str) -> bytes:
    """Return text as the scan sees it: lower case, connectors as 1 to 9, other separators as 0."""
    return fold_all([text])[0]


def fold_all(texts: Sequence[str]) -> tuple[bytes, npt.NDArray[np.int64]]:
    """Fold texts side by side, a separator between them: all at once costs least.

    Returns the bytes, and where each text begins and, one behind its separator, the last one
    would end; shape (texts + 1,).
    """
    encoded = [composed(text, text.encode("utf-8", "surrogatepass")) for text in texts]
    joined = _fold_runs(BETWEEN.join(encoded))
    between = np.flatnonzero(np.frombuffer(joined, np.uint8) == BETWEEN[0])
    bounds = np.concatenate([[0], between + 1, [len(joined) + 1]])
    return joined.translate(ASCII), bounds


def composed(text: str, encoded: bytes) -> bytes:
    """Return `encoded`, which is `text`, with accents joined to their letters."""
    if _MARKS[0] not in encoded and _MARKS[1] not in encoded:
        return encoded
    return unicodedata.normalize("NFC", text).encode("utf-8", "surrogatepass")


def _fold_runs(text: bytes) -> bytes:
    """Fold the runs of bytes beyond ASCII; `re` would need six times as long to find them."""
    data = np.frombuffer(b"\0" + text + b"\0", np.uint8)
    beyond = (data >= 0x80) & (data != BETWEEN[0])
    bounds = np.flatnonzero(beyond[1:] != beyond[:-1]).tolist()
    if not bounds:
        return text
    pieces: list[bytes] = []
    done = 0
    for begin, end in zip(bounds[0::2], bounds[1::2], strict=True):
        pieces += (text[done:begin], fold_run(text[begin:end]))
        done = end
    pieces.append(text[done:])
    return b"".join(pieces)


@lru_cache(maxsize=4096)
def fold_run(run: bytes) -> bytes:
    """Keep letters, cut Chinese, Japanese and Korean into bigrams, blank the rest.

    `run` is text beyond ASCII; what becomes ASCII is still to be folded as such.
    """
    plain = unicodedata.normalize("NFKC", run.decode("utf-8", "surrogatepass"))
    kept = "".join(map(_folded, unicodedata.normalize("NFKC", plain.casefold())))
    return _CJK.sub(lambda found: _bigrams(found[0]), kept).encode("utf-8", "surrogatepass")


def _folded(char: str) -> str:
    if char in _SAME:
        return _SAME[char]
    return bare(char) if unicodedata.category(char)[0] in _LETTERS else " "


def _bigrams(run: str) -> str:
    pairs = [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    return f" {' '.join(pairs)} "


def folded_words(text: str) -> list[bytes]:
    """Return the words of `text`, folded, in order; no wholes."""
    return _WORD.findall(fold(text))


def folded_terms(text: str) -> list[bytes]:
    """Return the words of `text` and then its joined wholes, folded."""
    folded = fold(text)
    return _WORD.findall(folded) + _WHOLE.findall(folded)


def words(text: str) -> list[str]:
    """Return the words of `text` in order, without joined wholes."""
    return [word.decode("utf-8", "surrogatepass") for word in folded_words(text)]


def terms(text: str) -> list[str]:
    """Return the terms of `text`: its words in order, then what connectors join."""
    return [readable(term) for term in folded_terms(text)]


def readable(term: bytes) -> str:
    """Return a folded term as text."""
    return term.translate(_JOIN_NAMES).decode("utf-8", "surrogatepass")


_FUNCTION_WORDS = """
    a about above after again all also am an and any are as at be because been before being
    below between both but by can cannot could did do does doing down during each few for from
    further had has have having he her here hers him his how i if in into is it its itself just
    me more most my no nor not now of off on once only or other our out over own s same she should
    so some such t than that the their them then there these they this those through to too under
    until up very was we were what when where which while who whom why will with would you your
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Words that carry no evidence: a sentence is not supported because "the" occurs."""


def content_words(text: str) -> list[str]:
    """Return the words of `text` that are not function words, in order."""
    return [word for word in words(text) if word not in FUNCTION_WORDS]
