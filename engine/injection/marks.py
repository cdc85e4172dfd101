"""Marks of an order, and the folding of text in which they are looked for."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

SETS_ASIDE = "tells its reader to set instructions aside"
TO_MODEL = "speaks to a model, not to a person"
IMITATES = "imitates the marks of a conversation with a model"
DICTATES = "dictates what to answer"
ADDS = "asks for a link, an address or a secret to be put into an answer"
SOURCES = "speaks of passages, markers or citations"
HIDES = "asks to keep something from the person"
"""What marks say, as the end of "text that …". Marks that say the same are of one kind."""

_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b\u04bb"
    "\u03bf\u03b1\u03b5\u03b9\u03c1\u03bd\u0131\u0261\u2010\u2011\u2019"
    "\u1d00\u0299\u1d04\u1d05\u1d07\ua730\u0262\u029c\u026a\u1d0a\u1d0b\u029f\u1d0d\u0274"
    "\u1d0f\u1d18\u0280\ua731\u1d1b\u1d1c\u1d20\u1d21\u028f\u1d22",
    "aeopcyxijsdqhoaeipvig--'" + "abcdefghijklmnoprstuvwyz",
) | {first + i: ord("a") + i for first in (0x1F150, 0x1F170, 0x1F1E6) for i in range(26)}
"""Cyrillic, Greek and Latin letters that look like letters of ASCII; small capitals; letters in
dark circles and squares, and of flags."""
DIGITS_AS_LETTERS = str.maketrans("0134567@$", "oieasgtas")


@lru_cache(maxsize=4096)
def folded_letter(letter: str) -> str:
    """Return a letter in lower case, without accents, and as ASCII where it looks like ASCII.

    It may become several letters, or none: a combining mark, a character without width.
    """
    parts = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", letter).casefold())
    bare = "".join(part for part in parts if unicodedata.category(part) not in ("Mn", "Cf"))
    return unicodedata.normalize("NFC", bare).translate(_LOOKALIKES)


_GAP = r"[\W_]{1,4}"


def compiled(*patterns: str) -> re.Pattern[str]:
    """Compile alternatives in which a blank matches anything between two words.

    A word before a blank ends where the gap begins: with more than one way to part them, a text
    of underscores would take for ever.
    """
    spelled = _folded("|".join(patterns)).replace(r"\w+ ", r"[^\W_]+ ")
    return re.compile(spelled.replace(" ", _GAP))


def words(*words: str) -> tuple[str, ...]:
    """Return parts of words as folded text writes them."""
    return tuple(map(_folded, words))


def _folded(pattern: str) -> str:
    """Fold what a pattern spells, and none of its ASCII: `\\W` is not `\\w`."""
    return "".join(one if one.isascii() else folded_letter(one) for one in pattern)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule for one mark of an order."""

    says: str
    """What it found, as the end of "text that …"; marks that say the same are of one kind."""
    weight: int
    """2: an order by itself. 1: shown to the person, and an order beside a mark of another kind.
    0: nothing by itself."""
    needs: tuple[str, ...]
    """A match has one of these. Looking for them first makes the search ten times as fast."""
    pattern: re.Pattern[str]
