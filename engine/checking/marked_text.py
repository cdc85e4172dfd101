"""A text with the places where a date, time or number can begin: its digits and the words for them.

A regular expression that may begin with any of a hundred names of months takes milliseconds to
search a passage; tried at these places only it takes a tenth.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from engine.checking.meanings import Fact
from engine.checking.words import CLOCK_WORDS, MONTHS, ORDINALS, WEEKDAYS
from engine.language.numbers import NUMBERS

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")
_DIGITS = re.compile(r"\d+")
_KNOWN = frozenset([*MONTHS, *WEEKDAYS, *NUMBERS, *ORDINALS, *CLOCK_WORDS, "a", "an"])


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text in which bars replace what was already read."""

    text: str
    digits: tuple[int, ...]
    """Where runs of digits begin."""
    words: tuple[tuple[int, str], ...]
    """Where the words of `words` begin, and which, in small letters."""

    @classmethod
    def of(cls, text: str) -> MarkedText:
        """Mark a text; full-width and other digits become plain ones, as long as before."""
        if not text.isascii():
            text = "".join(_plain(char) for char in text)
        digits = tuple(match.start() for match in _DIGITS.finditer(text))
        words: list[tuple[int, str]] = []
        for match in _WORD.finditer(_lower(text)):
            word = match[0]
            if word in _KNOWN:
                words.append((match.start(), word))
            elif "-" in word:
                words += _parts(match.start(), word)
        return cls(text, digits, tuple(words))

    def at_digits(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Yield the matches that begin with digits, none overlapping another."""
        return _matches(pattern, self.text, self.digits)

    def at_words(self, pattern: re.Pattern[str], of: Container[str]) -> Iterator[re.Match[str]]:
        """Yield the matches that begin with one of these words, none overlapping another."""
        return _matches(pattern, self.text, (start for start, word in self.words if word in of))

    def these(self, of: Container[str]) -> Iterator[tuple[int, int, str]]:
        """Yield begin, end and word for each of these words that no bars replace."""
        for start, word in self.words:
            if word in of and self.text[start] != "|":
                yield start, start + len(word), word

    def without(self, read: Iterable[Fact]) -> MarkedText:
        """Return the text with bars in place of these facts, so that nothing is read twice."""
        parts, done = [], 0
        for fact in sorted(read, key=lambda fact: fact.start):
            if fact.start >= done:
                parts += [self.text[done : fact.start], "|" * (fact.end - fact.start)]
                done = fact.end
        if not parts:
            return self
        return MarkedText("".join(parts) + self.text[done:], self.digits, self.words)


def _plain(char: str) -> str:
    digit = unicodedata.decimal(char, -1)
    return char if digit < 0 else str(digit)


def _lower(text: str) -> str:
    """Return the text in lower case, except for letters that would become two."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := char.lower()) == 1 else char for char in text)


def _parts(start: int, word: str) -> Iterator[tuple[int, str]]:
    """Yield the known parts of a word that a hyphen joins."""
    first, _, last = word.partition("-")
    parts = ((start, first), (start + len(first) + 1, last))
    yield from (part for part in parts if part[1] in _KNOWN)


def _matches(pattern: re.Pattern[str], text: str, starts: Iterable[int]) -> Iterator[re.Match[str]]:
    done = 0
    for start in starts:
        if start >= done and (match := pattern.match(text, start)):
            yield match
            done = match.end()
