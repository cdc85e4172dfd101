"""Finds who speaks a line, and whether the question is about somebody else.

In chats and transcripts a line begins with who speaks. "Ann: I am learning to swim" is about Ann:
asked what Bob is learning, a model answers with it all the same, and all its words are supported.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from engine.language.tokens import FUNCTION_WORDS
from engine.question.acquaintances import WORD, name_at

_NAME = r"[^\W\d_][\w.'\u2019-]*(?: [^\W\d_][\w.'\u2019-]*){0,3}"
_TURN = re.compile(
    rf"^(?:\[[^\]\n]{{1,40}}\] ?|\d[\d/.,:\u202f -]{{7,24}}(?:[AaPp]\.?[Mm]\.?)? - )?({_NAME}): ",
    re.MULTILINE,
)
"""A line with its speaker; chat programs write the time before the name."""
_HEADINGS = frozenset({"bcc", "cc", "date", "note", "notes", "sent", "subject"} | FUNCTION_WORDS)
"""Words before a colon that name nobody: forwarded mails have From, To and Subject."""
_LEAST_TURNS = 2
"""Fewest lines of a speaker; headings such as "Date:" occur once."""
_LEAST_SHORT_NAME = 3
"""Letters of a capitalised word that may be short for a speaker's name: Mel for Melanie."""

_FIRST_PERSON = re.compile(
    r"\b(?:I|i['\u2019](?:m|ve|ll|d)|(?i:me|my|mine|myself|we|us|our|ours|ich|mich|mir|mein\w{0,2}|"
    r"wir|uns|unser\w{0,2}|moi|nous|notre|nos|yo|nosotr[oa]s|ik|mij|mijn))\b"
)
_SECOND_PERSON = re.compile(
    r"\b(?:Sie|Ihnen|Ihr\w{0,2}|(?i:you|your|yours|yourself|du|dich|dir|dein\w{0,2}|euch|euer|"
    r"je|tu|toi|vous|votre|vos|usted|ustedes|jij|jou|jouw))\b"
)
_THIRD_PERSON = re.compile(
    r"\b(?i:he|him|his|she|hers?|they|them|their|er|ihn|ihm|seine?\w?|sie|ihr\w{0,2}|"
    r"elle|lui|leur|hij|hem|zijn|haar)\b"
)


class SpeakerTurns:
    """Who speaks where in a text; read once, asked for each sentence."""

    def __init__(self, text: str) -> None:
        """Find the turns: lines of speakers who have several. A text without them has none."""
        self._text = text

    @cached_property
    def _turns(self) -> list[re.Match[str]]:
        found = [turn for turn in _TURN.finditer(self._text) if turn[1].casefold() not in _HEADINGS]
        often = Counter(turn[1] for turn in found)
        return [turn for turn in found if often[turn[1]] >= _LEAST_TURNS]

    @cached_property
    def _starts(self) -> list[int]:
        return [turn.start() for turn in self._turns]

    @cached_property
    def _speakers(self) -> dict[str, frozenset[str]]:
        """From what a speaker may be called, case-folded, to those who may be meant."""
        labels = {turn[1] for turn in self._turns}
        called = {name for one in labels for name in _called(one)}
        return {name: frozenset(one for one in labels if name in _called(one)) for name in called}

    def elses(self, start: int, end: int, question: str) -> str | None:
        """Return who says a stretch of the text of themselves where another one was asked about.

        None unless the question names speakers of this text and not this one, and the stretch is
        in the first person and cannot mean those: it does not name them, addresses nobody and,
        among more than two, speaks of no "him" or "her".
        """
        said = self._text[start:end]
        if not _FIRST_PERSON.search(said) or _SECOND_PERSON.search(said):
            return None
        number = bisect_right(self._starts, start) - 1
        asked = self._named(question) if number >= 0 else set()
        if not asked:
            return None
        turn = self._turns[number]
        if turn[1] in asked or _is_short_for(turn[1], question):
            return None
        said = said[max(0, turn.end() - start) :]
        if any(word[0].casefold().removesuffix("'s") in self._speakers for word in _names(said)):
            return None
        of_two = len({label for found in self._speakers.values() for label in found}) <= 2
        return turn[1] if of_two or not _THIRD_PERSON.search(said) else None

    def _named(self, question: str) -> set[str]:
        """Return the speakers whom a question names."""
        found = set[str]()
        for word in _names(question):
            name = name_at(question, word.start(), self._speakers)
            found |= self._speakers.get(name.name.casefold(), frozenset()) if name else set()
        return found


def _called(label: str) -> tuple[str, str]:
    """Return a speaker's whole name and the first word of it, case-folded."""
    return label.casefold(), label.casefold().split()[0]


def _names(text: str) -> Iterator[re.Match[str]]:
    """Yield the words with a capital."""
    return (word for word in WORD.finditer(text) if word[0][0].isupper())


def _is_short_for(label: str, text: str) -> bool:
    """Say whether a word with a capital begins a speaker's name."""
    return any(
        len(word[0]) >= _LEAST_SHORT_NAME and label.casefold().startswith(word[0].casefold())
        for word in _names(text)
    )
