"""What a follow-up refers to among the sources of the last answer: "[2]", "that mail".

No title and no word of a source is put into the question: a question is what the models obey, and
what files say is only data. The reference stays as it was typed, and the scope says what it means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.conversation import Cited
from ingest.item import Kind

KINDS = {
    Kind.MAIL: r"(?:e-?)?mails?|messages?",
    Kind.DOCUMENT: r"documents?|files?|pdfs?|pages?|notes?|letters?|spreadsheets?|attachments?",
    Kind.EVENT: r"meetings?|events?|appointments?|calls?|invitations?",
    Kind.TASK: r"tasks?|to-?dos?|reminders?",
    Kind.CONTACT: r"contacts?",
}
ANY = r"sources?|results?|citations?|quotes?|passages?|ones?"
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
NUMBERS = {word: place for place, word in enumerate(ORDINALS, 1)} | {"last": -1}

_NOUN = "|".join((*KINDS.values(), ANY))
_MARKER = re.compile(r"\[(\d{1,3})\]|\b(?:source|citation|number|no\.|nr\.?)\s*#?(\d{1,3})\b", re.I)
_ORDINAL = re.compile(
    rf"\bthe (?P<which>{'|'.join(ORDINALS)}|last|\d{{1,2}}(?:st|nd|rd|th))"
    rf" (?P<noun>{_NOUN})(?P<of> of (?:them|these|those))?\b(?P<more> (?:from|to|by|about|of|that|"
    r"which|with|on|in|at|sent|for)\b)?",
    re.IGNORECASE,
)
_POINTING = re.compile(
    rf"\b(?:that|this|those|these|both|the same|all(?: of)? (?:these|those))(?: \w+)?? "
    rf"(?P<noun>{_NOUN})\b",
    re.IGNORECASE,
)
_SAYING = re.compile(
    r"\b(?:who|when|why|how|where)\b.*\b(?:sent?|wr[io]te|written|forward\w*|received?|got) "
    r"(?P<it>it|that|this|them)\b"
    r"|\b(?:does|did|do) (?P<said>it|that|this|they)(?: \w+)? (?:say|mention|contain|include|state)"
    r"|\b(?:reply|replied|answer|answered|respond|responded) to (?P<to>it|that|this|them)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Reference:
    """Words of a question, and what they mean."""

    words: str
    scope: tuple[Cited, ...]
    """Empty: the last answer has no such source."""
    numbered: bool = False
    """Whether the words count sources: they mean nothing in another answer."""

    @property
    def named(self) -> str:
        """The words to use instead, none of them from a file."""
        return f"this {self.scope[0].kind.value}" if self.numbered and self.scope else self.words


def references(question: str, cited: Sequence[Cited], things: int = 0) -> list[Reference]:
    """Return what a question refers to among the sources of the last answer, in its order.

    With `things` in the last question, "who wrote it?" is about one of them.
    """
    sources = _distinct(cited)
    finders: tuple[Callable[[str, list[Cited]], list[Reference]], ...] = (
        lambda text, _: [_by_marker(match, cited) for match in _MARKER.finditer(text)],
        _by_ordinal,
        _by_pointing,
        lambda text, sources: _by_saying(text, sources, things),
    )
    for finder in finders:
        if found := finder(question, sources):
            return found
    return []


def _distinct(cited: Sequence[Cited]) -> list[Cited]:
    """Return one citation of each item."""
    first: dict[object, Cited] = {}
    for one in cited:
        first.setdefault(one.identity, one)
    return list(first.values())


def _by_marker(match: re.Match[str], cited: Sequence[Cited]) -> Reference:
    number = int(match[1] or match[2])
    return Reference(match[0], tuple(one for one in cited if one.id == number)[:1], True)


def _by_ordinal(question: str, sources: list[Cited]) -> list[Reference]:
    """ "the second one" counts the sources; "the last mail from Kim" is another mail."""
    found = []
    for match in _ORDINAL.finditer(question):
        noun, of_them = match["noun"].lower(), bool(match["of"])
        meant = of_noun(noun, sources)
        place = NUMBERS.get(match["which"].lower()) or int(match["which"][:-2])
        names_items = of_them or noun in ("one", "source", "result", "citation")
        if match["more"] or (place == -1 and not names_items) or len(meant) < 2:
            continue
        one = meant[place - 1 if place > 0 else -1 :][:1] if place <= len(meant) else []
        found.append(Reference(match[0].strip(), tuple(one), True))
    return found


def _by_pointing(question: str, sources: list[Cited]) -> list[Reference]:
    found = []
    for match in _POINTING.finditer(question):
        meant = of_noun(match["noun"].lower(), sources)
        if meant:
            found.append(Reference(match[0], tuple(meant)))
    return found


def _by_saying(question: str, sources: list[Cited], things: int) -> list[Reference]:
    """ "Who sent it?" is about the one source there is, "what does it say?" always."""
    match = _SAYING.search(question)
    if match is None or len(sources) != 1 or (things and not match["said"]):
        return []
    return [Reference(match["it"] or match["said"] or match["to"], tuple(sources))]


def of_noun(noun: str, sources: Sequence[Cited]) -> list[Cited]:
    """Return the sources that such a noun can mean: those of its kind, or all."""
    for kind, words in KINDS.items():
        if re.fullmatch(words, noun, re.IGNORECASE):
            # A letter is as often a file as what is attached to a mail, or its text.
            return [one for one in sources if one.kind is kind]
    return list(sources)
