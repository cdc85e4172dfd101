"""What a search of kept conversations compares, and what it shows of what it found.

Words are those of `engine.language.tokens`, as in the search within one conversation: typed or
kept, "ß" is "ss", "ﬁ" is "fi", and what is written without blanks is cut into pairs.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime

from engine.conversation import Turn
from engine.language.tokens import words

AROUND = 60
"""Characters shown on both sides of what was found."""


@dataclass(frozen=True, slots=True)
class FoundTurn:
    """A turn that a search found."""

    conversation: str
    title: str
    turn: int
    asked: str
    snippet: str
    """Words around what was found."""
    when: datetime


def as_words(text: str) -> str:
    """Return the words of a text as the index holds them; it is always valid UTF-8."""
    return " ".join(words(text))


def match_of(typed: str) -> str:
    """Return the expression of SQLite that finds all these words, empty where there are none."""
    return " ".join(f'"{word}"' for word in words(typed))


def quotes_of(turn: Turn) -> str:
    """Return what is searched of the citations of a turn."""
    return "\n".join(f"{cited.title}\n{cited.quote}" for cited in turn.cited)


def snippet_of(turn: Turn, typed: str) -> str:
    """Return one line around the first of these words, as the turn writes it."""
    wanted = set(map(_bare, words(typed)))
    for text in (turn.asked, turn.question, turn.answer, quotes_of(turn)):
        for line in text.splitlines():
            if (place := _place(line, wanted)) is not None:
                begin, end = max(0, place - AROUND), place + AROUND
                cut = " ".join(line[begin:end].split())
                return f"{'…' if begin else ''}{cut}{'…' if end < len(line) else ''}"
    return " ".join(turn.asked.split())


def _place(line: str, wanted: set[str]) -> int | None:
    """Return where the first of these words begins in a line."""
    if not _held(line, wanted):
        return None
    for chunk in re.finditer(r"\S+", line):
        if held := _held(chunk[0], wanted):
            within = (chunk[0].casefold().find(word) for word in held)
            return chunk.start() + max(0, min(within))
    return None


def _held(text: str, wanted: set[str]) -> list[str]:
    return [word for word in words(text) if _bare(word) in wanted]


def _bare(word: str) -> str:
    """Return a word without accents; the index knows none either."""
    apart = unicodedata.normalize("NFD", word)
    return "".join(char for char in apart if not unicodedata.combining(char))
