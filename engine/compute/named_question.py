"""Finds what a question names, and puts a tag in its place: `when did <name0> write <quote0>`.

What is in quotation marks is looked up among the titles, threads and places that were read;
so are titles and calendars without marks. Nothing is taken for a name that nobody has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TypeVar

from engine.compute import diary
from engine.compute.fields import PREFIX, folded
from engine.compute.lexicon import ASKING, NEUTRAL, NOUNS, VERBS
from engine.compute.vocabulary import (
    LEAST_TITLE,
    Called,
    QuestionVocabulary,
    joined,
    spans_of_words,
)
from engine.language.dates import find_spans, parse_span
from engine.language.days import Direction, Span
from engine.language.tokens import FUNCTION_WORDS
from engine.question.acquaintances import Names, name_at
from engine.question.analysis import HIDDEN, Analysis, Role
from ingest.item import Kind

T = TypeVar("T")

# "2001"; not "2001-05"
_YEAR = re.compile(r"(?<![\w-])((?:19|20)\d\d)(?![\w-])")
# "when did "
_BEFORE_AGENT = re.compile(r"\b(?:did|from|by|has|had|does) $", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quoted:
    """Words in quotation marks or of a title, and what they are the name of."""

    text: str
    is_thread: bool = False
    """Whether mail has this subject."""
    is_subject: bool = False
    """Whether it is a mail's subject to the letter."""
    is_event: bool = False
    """Whether an event, a task or another item has this title."""
    is_place: bool = False
    in_title: bool = False
    """Whether it is a part of some title."""
    kind: Kind | None = None
    """The kind of the item whose title it is a part of, if it was not in quotation marks."""


@dataclass(frozen=True, slots=True)
class NamedQuestion:
    """A question whose names are tags, and what the tags mean."""

    text: str
    """Its tagged text in small letters, "e-mail" as "email", without punctuation."""
    quotes: Mapping[str, Quoted] = field(default_factory=dict)
    calendars: Mapping[str, tuple[Called, ...]] = field(default_factory=dict)
    dates: Mapping[str, Span] = field(default_factory=dict)
    people: Mapping[str, str] = field(default_factory=dict)
    kinds: frozenset[Kind] = frozenset()
    """What kinds of items there are: "messages" are those of chats where there is no mail."""


def named(question: str, vocabulary: QuestionVocabulary, today: date) -> NamedQuestion:
    """Return the question with tags for what it names.

    Earlier passes take their words from later ones: a title may hold a date, or a person's name.
    """
    found = _Passes(Analysis(question, today, vocabulary.known), vocabulary)
    found.quoted()
    if not found.quotes:
        found.bare_title()
    found.read = found.read.with_names(_address_end)
    if not diary.MAIL.search(found.read.hidden):
        found.in_calendars()
    if not found.quotes:
        found.part_of_a_title()
    found.dated()
    names = {**vocabulary.known.recipients, **vocabulary.known.senders}
    found.read = found.read.with_names(lambda text, position: _person_end(text, position, names))
    return found.named()


@dataclass
class _Passes:
    """The mentions found so far, and what those of each role mean, in their order."""

    read: Analysis
    vocabulary: QuestionVocabulary
    quotes: list[Quoted] = field(default_factory=list)
    calendars: list[tuple[Called, ...]] = field(default_factory=list)
    dates: list[Span] = field(default_factory=list)

    def named(self) -> NamedQuestion:
        """Return the tagged question with what its tags mean."""
        text = re.sub(r"\be-mail", "email", self.read.tagged.casefold())
        text = re.sub(r"[^\w<>'@. -]+|\.(?=\s|$)", " ", text)
        return NamedQuestion(
            " ".join(text.split()),
            self._of("quote", self.quotes),
            self._of("calendar", self.calendars),
            self._of("date", self.dates),
            self._of("name", [one.words for one in self.read.mentions if one.role == "name"]),
            self.vocabulary.kinds,
        )

    def _of(self, role: Role, meanings: Sequence[T]) -> dict[str, T]:
        tags = (tag for tag, one in self.read.by_tag.items() if one.role == role)
        return dict(zip(tags, meanings, strict=True))

    def quoted(self) -> None:
        """Tag what is in quotation marks, which may themselves be a part of a title."""

        def is_known(words: str) -> bool:
            meaning = _meaning(words, self.vocabulary)
            return meaning.is_thread or meaning.is_event or meaning.is_place

        self.read = self.read.with_quotes(is_known)
        self.quotes = [_meaning(one.words, self.vocabulary) for one in self.read.mentions]

    def bare_title(self) -> None:
        """Tag the longest title that is in the question without quotation marks."""
        text = self.read.hidden
        for start, end in spans_of_words(text):
            words = text[start:end]
            several = len(words.split()) >= LEAST_TITLE
            if several and words[0].isupper() and folded(words) in self.vocabulary.titles:
                self.quotes.append(_meaning(words, self.vocabulary))
                self.read = self.read.naming("quote", start, end)
                return

    def part_of_a_title(self) -> None:
        """Tag an event or a task that is named by a part of its title."""
        if part := diary.titled(self.read.hidden, self.vocabulary):
            start, end, words, kind = part
            self.quotes.append(Quoted(words, in_title=True, kind=kind))
            self.read = self.read.naming("quote", start, end)

    def in_calendars(self) -> None:
        """Tag calendars, the longest names first."""
        while found := _calendar_in(self.read.hidden, self.vocabulary.calendars):
            start, end, called = found
            self.calendars.append(called)
            self.read = self.read.naming("calendar", start, end)

    def dated(self) -> None:
        """Tag dates, then years without a preposition: "the 2002 holidays"."""
        today, direction = self.read.today, diary.direction(self.read.tagged)
        if alternatives := _alternatives(self.read.hidden, today, direction):
            self._date(*alternatives)
        for one in reversed(find_spans(self.read.hidden, today, direction)):
            self._date(one.start, one.end, one.span)
        while year := _YEAR.search(self.read.hidden):
            whole = parse_span(year[1], today)
            if whole is None:
                return
            self._date(*year.span(), whole)

    def _date(self, start: int, end: int, span: Span) -> None:
        self.dates.append(span)
        self.read = self.read.naming("date", start, end)


def _meaning(text: str, vocabulary: QuestionVocabulary) -> Quoted:
    words = folded(text)
    kinds = vocabulary.titles.get(words, frozenset())
    thread = folded(PREFIX.sub("", text))
    return Quoted(
        text.strip(),
        is_thread=thread in vocabulary.threads,
        is_subject=Kind.MAIL in kinds,
        is_event=bool(kinds - {Kind.MAIL}),
        is_place=words in vocabulary.places,
        in_title=bool(words) and vocabulary.has_title_with(words),
    )


def _calendar_in(
    text: str, calendars: Mapping[str, tuple[Called, ...]]
) -> tuple[int, int, tuple[Called, ...]] | None:
    """Return where the longest name of a calendar is, and which calendars it may be."""
    for start, end in spans_of_words(text, longest=5) if calendars else ():
        if HIDDEN in text[start:end] or not _is_named_there(text, start, end):
            continue
        words = re.sub(r"'s$", "", text[start:end])
        plain = words.strip("().:,")
        key, word = joined([plain]), plain.casefold()
        if key in calendars and word not in FUNCTION_WORDS and word not in NOUNS:
            at = start + words.index(plain)
            return at, at + len(plain), calendars[key]
    return None


def _is_named_there(text: str, start: int, end: int) -> bool:
    """Say whether a word may be a calendar there: "work" is a verb, "my work" may be one."""
    words = text[start:end]
    if " " in words or not words.islower():
        return True
    before = re.search(r"\b(?:my|our|the|in|from|of|on|and|both|does|do) $", text[:start])
    after = re.match(r"(?:'s)? (?:calendar|event|meeting|appointment|holiday|and\b)", text[end:])
    return bool(before or after)


def _alternatives(text: str, today: date, direction: Direction) -> tuple[int, int, Span] | None:
    """Return the span of "in August or in September 2002", where the first lacks its year."""
    for match in re.finditer(r"\bin (\w+(?: \d{4})?) or (?:in )?(\w+(?: \d{4})?)", text):
        span = parse_span(f"from {match[1]} to {match[2]}", today, direction)
        if span is not None:
            return match.start(), match.end(), span
    return None


def _address_end(text: str, position: int) -> int | None:
    """Return where the address at a position ends."""
    return _person_end(text, position, {})


def _person_end(text: str, position: int, names: Names) -> int | None:
    """Return where the person named at a position ends.

    A known name has a capital, or is in small letters where one who acts is named.
    """
    if position and (text[position - 1].isalnum() or text[position - 1] in "@."):
        return None
    known = name_at(text, position, names)
    if known is not None:
        word = known.name.casefold()
        common = word in NEUTRAL | FUNCTION_WORDS | ASKING or word in NOUNS or word in VERBS
        # "Per" within a question is a person, where somebody bears that name.
        written_as_name = position > 0 and len(word) > 1 and text[position].isupper()
        return None if common and "@" not in word and not written_as_name else known.end
    if names and (position == 0 or _BEFORE_AGENT.search(text[:position])):
        for end in _word_ends(text, position, 4):
            name = re.sub(r"'s$", "", text[position:end]).strip("?.,:").casefold()
            followed = re.match(r" ?(\w+)", text[position + len(name) :])
            acts = position > 0 or (followed and followed[1] in VERBS)
            if name in names and name not in FUNCTION_WORDS and acts:
                return position + len(name)
    return None


def _word_ends(text: str, position: int, longest: int) -> list[int]:
    """Return where the next words end, the furthest first."""
    ends = [match.end() for match in re.finditer(r"\S+", text[position:])]
    return [position + end for end in reversed(ends[:longest])]


def tags_in(text: str, role: Role) -> Iterator[str]:
    """Yield the tags of one role, in the order of the text."""
    for match in re.finditer(rf"<{role}\d+>", text):
        yield match[0]
