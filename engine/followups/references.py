"""What a follow-up refers to among the sources of the last answer: "[2]", "that mail".

No title and no word of a source enters the question: models obey a question, and what files say is
only data. The reference stays as typed, and the scope says what it means. The comment above a
pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.answer_parts import Cited
from engine.followups.antecedents import AUXILIARY, PREPOSITION, THOSE, things_in
from engine.followups.ellipsis import fragment_of
from engine.followups.listed import Listed, listed_in
from engine.language.numbers import ENGLISH, ORDINALS
from engine.language.tokens import FUNCTION_WORDS, words
from ingest.item import Kind

KINDS = {
    Kind.MAIL: r"(?:e-?)?mails?|messages?",
    Kind.DOCUMENT: r"documents?|files?|pdfs?|notes?|letters?|spreadsheets?|attachments?",
    Kind.EVENT: r"meetings?|events?|appointments?|calls?|invitations?",
    Kind.TASK: r"tasks?|to-?dos?|reminders?",
    Kind.CONTACT: r"contacts?",
    Kind.MESSAGE: r"chats?",
}
# "results"
ANY = r"sources?|results?|citations?|quotes?|passages?|ones?"
_PLACES = {**ORDINALS, "last": -1}

_COUNTS = {word: n for word, n in ENGLISH.items() if 2 <= n <= 5}
_NOUN = "|".join((*KINDS.values(), ANY))
# "second", "last", "3rd"
_ORDINAL_WORD = rf"(?:{'|'.join(ORDINALS)}|last|\d{{1,2}}(?:st|nd|rd|th))"
# "[2]", "source no. 3", "#4"
_MARKER = re.compile(
    r"\[(\d{1,3})\]|(?<![\w#])(?:(?:source|citation|result)\s*(?:number|no\.|nr\.?)?\s*#?|#)(\d{1,3})\b",
    re.IGNORECASE,
)
# "number 2", "the no. 3"
_NUMBER_ALONE = re.compile(r"(?:the )?(?:number|no\.|nr\.?)\s*(\d{1,3})", re.IGNORECASE)
# the first and the last mail, the first two, the second of them
_ORDINAL = (
    rf"\bthe (?P<which>{_ORDINAL_WORD}(?:,? (?:and|or) (?:the )?{_ORDINAL_WORD})*)"
    rf"(?: (?P<count>{'|'.join(_COUNTS)}))?(?: (?P<noun>NOUN))?"
    r"(?P<of> of (?:them|these|those))?\b"
)
# that mail, both of the files, all these results
_POINTING = (
    r"\b(?P<which>that|this|those|these|both|the same|all(?: of)? (?:these|those))(?: \w+)?? "
    r"(?P<noun>NOUN)\b"
)
# "mention"
_SAYS = r"(?:say|mention|contain|include|state|talk)"
# "who sent it", "what does it say", "replied to that"
_SAYING = re.compile(
    r"\b(?:who|when|why|how|where)\b.*\b(?:sent?|wr[io]te|written|forward\w*|received?|got) "
    r"(?P<it>it|that|this)\b"
    rf"|\b(?:does|did|do) (?P<said>it|that|this)(?: \w+)? {_SAYS}\b(?! (?:on|at)\b)"
    r"|\b(?:reply|replied|answer|answered|respond|responded) to (?P<to>it|that|this)\b",
    re.IGNORECASE,
)
# "are they", "do they mention", "them", "those?"
_THEY = re.compile(
    rf"\b(?:are|were|have) (?P<are>they)\b|\b(?:do|did) (?P<do>they) (?:\w+ )?(?:{_SAYS}|have)\b"
    rf"|\b(?P<them>them)\b|\b(?P<those>{THOSE})",
    re.IGNORECASE,
)
# "?", " and", " to me"
_ENDS = re.compile(
    r"\s*(?:[?.!,;:)]|$)|\s+(?:and|or|but|again|please|too|now|today|yesterday"
    r"|(?:to|for|with) (?:me|us|him|her|them|whom))\b",
    re.IGNORECASE,
)
# " from Kim", " that she", " Kim"
_NARROWS = re.compile(
    rf"\s+(?:(?i:{PREPOSITION}\s+\w|(?:that|which|who|whose|where|i|we|you|he|she|they|my|our|the)\b)"
    r"|[A-Z])"
)
# "and is "
_ASKS_WHETHER = re.compile(r"^\W*(?:(?:and|or|but)\W+)?(?:is|was|are|were)\s+$", re.IGNORECASE)
# "when was "
_SUBJECT = re.compile(rf"(?:\b{AUXILIARY}|['’]s)\s+$", re.IGNORECASE)  # noqa: RUF001
# "which of them is "
_ASKS_WHICH = re.compile(r"\b(?:who|which)\b.*\b(?:is|was|are|were)\s+$", re.IGNORECASE)
# "due on "
_OF_TIME = re.compile(
    r"\b(?:on|by|until|till|since|before|after|from|between|due)\s+$", re.IGNORECASE
)
# "its", "that?"
_IT = re.compile(r"\b(?:it|its)\b|\b(?:this|that)\s*(?:[?.!,]|$)", re.IGNORECASE)
MOST_CITED = 20
"""Sources of a list that "they" may mean. A longer list cites only a part of what it is about."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Words of a question, and what they mean."""

    start: int
    """Where they begin in the question."""
    words: str
    scope: tuple[Cited, ...]
    """Empty: the last answer has no such source."""
    numbered: bool = False
    """Whether the words count sources: they mean nothing in another answer."""

    @property
    def named(self) -> str:
        """The words to use instead, none of them from a file."""
        if not self.numbered or not self.scope:
            return self.words
        kinds = {one.kind.value for one in self.scope}
        kind = kinds.pop() if len(kinds) == 1 else "source"
        return f"this {kind}" if len(self.scope) == 1 else f"these {kind}s"


def references(
    question: str, before: str, cited: Sequence[Cited], earlier: Sequence[Sequence[Cited]] = ()
) -> list[Reference]:
    """Return what a question refers to among the sources of the last answer, in its order.

    Where the question `before` names a thing, "who wrote it?" is about that. "The second one" may
    count the sources of an `earlier` answer, latest first, when the last has no second; so may
    "that mail" mean one of them when the last has no sources.
    """
    lists = [_distinct(sources) for sources in (cited, *earlier)]
    listed = listed_in(before)
    nouns = _nouns(listed)
    finders: tuple[Callable[[], list[Reference]], ...] = (
        lambda: _by_marker(question, cited),
        lambda: _by_ordinal(question, lists, nouns),
        lambda: _by_pointing(question, next(filter(None, lists), []), nouns),
        lambda: _by_saying(question, lists[0], bool(things_in(before))),
        lambda: _by_they(question, lists[0], listed),
    )
    return next((found for finder in finders if (found := finder())), [])


def points(text: str) -> bool:
    """Say whether a question points at a source without saying which: "that mail", "it"."""
    return any(map(_agrees, _pattern(_POINTING, _NOUN).finditer(text))) or bool(_IT.search(text))


def _nouns(listed: Listed | None) -> str:
    """Return what sources may be called: invoices too, if the last question asked for them."""
    return f"{_NOUN}|{re.escape(listed.noun.removesuffix('s'))}s?" if listed else _NOUN


@lru_cache(64)
def _pattern(pattern: str, nouns: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("NOUN", nouns), re.IGNORECASE)


def _distinct(cited: Sequence[Cited]) -> list[Cited]:
    """Return one citation of each item."""
    first: dict[object, Cited] = {}
    for one in cited:
        first.setdefault(one.identity, one)
    return list(first.values())


def _by_marker(question: str, cited: Sequence[Cited]) -> list[Reference]:
    """ "[2]" and "source 2" always, "number 2" where nothing else is asked: it may be a house."""
    alone = _NUMBER_ALONE.fullmatch(fragment_of(question) or "")
    if alone and (scope := _numbered(int(alone[1]), cited)):
        return [Reference(question.find(alone[0]), alone[0], scope, True)]
    return [
        Reference(match.start(), match[0], _numbered(int(match[1] or match[2]), cited), True)
        for match in _MARKER.finditer(question)
        if match[1] or not _follows_noun(question[: match.start()])
    ]


def _numbered(number: int, cited: Sequence[Cited]) -> tuple[Cited, ...]:
    return tuple(one for one in cited if one.id == number)[:1]


def _follows_noun(before: str) -> bool:
    """Say whether the last word before is one of a phrase: "open source 2", "ticket #2"."""
    said = words(before)
    return bool(said) and before[-1:].isspace() and said[-1] not in FUNCTION_WORDS


def _by_ordinal(question: str, lists: Sequence[Sequence[Cited]], nouns: str) -> list[Reference]:
    """ "the second one" counts the sources; "the last mail from Kim" is another mail."""
    found = []
    for match in _pattern(_ORDINAL, nouns).finditer(question):
        noun = (match["noun"] or "one").lower()
        several = [some for each in lists if len(some := of_noun(noun, each)) > 1]
        meant = next((some for some in several if _at(match, some)), several[0] if several else [])
        names_items = match["of"] or noun in ("one", "ones", "source", "result", "citation")
        last_of_all = match["which"].lower() == "last" and not names_items
        if meant and not last_of_all and _counts(match):
            found.append(Reference(match.start(), match[0], tuple(_at(match, meant)), True))
    return found


def _counts(match: re.Match[str]) -> bool:
    """Say whether an ordinal counts what was listed, and nothing of its own question."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    if not (match["noun"] or match["of"]):
        following = re.match(rf"\s+({_SAYS}|\w+)\b", after, re.IGNORECASE)
        word = following[1].lower() if following else ""
        noun_follows = word == "of" or (
            word and word not in FUNCTION_WORDS and not re.fullmatch(_SAYS, word)
        )
        # "on the second" is a day.
        if noun_follows or (_OF_TIME.search(before) and not match["count"]):
            return False
    if not after.strip(" ?.!") and _ASKS_WHICH.search(before):
        return False
    return _is_whole(match)


def _at(match: re.Match[str], meant: Sequence[Cited]) -> list[Cited]:
    """Return those of the list that "the first", "the first and the last", "the first two" mean."""
    if match["count"]:
        many = _COUNTS[match["count"].lower()]
        return list(meant[-many:] if match["which"].lower() == "last" else meant[:many])
    ordinals = re.findall(_ORDINAL_WORD, match["which"], re.IGNORECASE)
    places = [_PLACES.get(word.lower()) or int(word[:-2]) for word in ordinals]
    if any(place > len(meant) for place in places):
        return []
    return [meant[place - 1 if place > 0 else -1] for place in places]


def _is_whole(match: re.Match[str]) -> bool:
    """Say whether a phrase ends there: "the second mail from Kim" goes on to say which is meant.

    What follows a whole subject says something of it: "when was the second one sent?".
    """
    before, after = match.string[: match.start()], match.string[match.end() :]
    if _ENDS.match(after) or _ASKS_WHETHER.search(before):
        return True
    return bool(_SUBJECT.search(before)) and not _NARROWS.match(after)


def _by_pointing(question: str, sources: Sequence[Cited], nouns: str) -> list[Reference]:
    found = []
    for match in _pattern(_POINTING, nouns).finditer(question):
        meant = of_noun(match["noun"], sources)
        if meant and _agrees(match) and _is_whole(match):
            found.append(Reference(match.start(), match[0], tuple(meant)))
    return found


def _agrees(match: re.Match[str]) -> bool:
    """Say whether "that" and its noun are of one number; "that mails" begins a clause."""
    one = match["which"].lower() in ("that", "this")
    return match["which"].lower() == "the same" or one != match["noun"].lower().endswith("s")


def _by_saying(question: str, sources: list[Cited], other_things: bool) -> list[Reference]:
    """ "Who sent it?" is about the one source there is, "what does it say?" always."""
    match = _SAYING.search(question)
    if match is None or len(sources) != 1 or (other_things and not match["said"]):
        return []
    group = match.lastgroup or ""
    if group != "said" and not _ENDS.match(question[match.end(group) :]):
        return []
    return [Reference(match.start(group), match[group], tuple(sources))]


def _by_they(question: str, sources: list[Cited], listed: Listed | None) -> list[Reference]:
    """ "Which of them" are the sources, if the last question asked for all mails or the like."""
    match = _THEY.search(question)
    if match is None or listed is None or listed.counted or not _is_kind(listed.noun):
        return []
    meant = of_noun(listed.noun, sources)
    if not 1 < len(meant) < MOST_CITED or things_in(question[: match.start()]):
        return []
    group = match.lastgroup or ""
    return [Reference(match.start(group), match[group], tuple(meant), True)]


def _is_kind(noun: str) -> bool:
    return any(re.fullmatch(kind, noun, re.IGNORECASE) for kind in KINDS.values())


def of_noun(noun: str, sources: Sequence[Cited]) -> list[Cited]:
    """Return the sources that such a noun can mean: those of its kind, or all."""
    for kind, nouns in KINDS.items():
        if re.fullmatch(nouns, noun, re.IGNORECASE):
            # A letter is as often a file as what is attached to a mail, or its text.
            return [one for one in sources if one.kind is kind]
    return list(sources)
