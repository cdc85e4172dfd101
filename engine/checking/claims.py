"""Says which numbers, dates, times and names of a sentence the passages cited for it do not state.

A sentence may have most of its words from a passage and still get the one thing wrong that was
asked for: "the lease ends on 30 June 2028". Names are compared without accents, so that Jurgen
Muller is Jürgen Müller.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from engine.checking.facts import facts
from engine.checking.meanings import Day, Fact, Meaning, Weekday, borne_out
from engine.checking.words import MONTHS, SHORT_WEEKDAYS, UNITS, WEEKDAYS
from engine.language.languages import language_of
from engine.language.tokens import FUNCTION_WORDS, words
from engine.prompts.templates import describe
from engine.values import Passage
from ingest.text.accents import unaccented

_NAME = re.compile(r"(?<![\w'\u2019-])[^\W\d_][\w'\u2019-]*[^\W\d_]\w*")
_SENTENCE_START = re.compile(r"^\W*\w+")
_NO_NAMES = frozenset(
    [
        *(*MONTHS, *WEEKDAYS, *SHORT_WEEKDAYS, *UNITS),
        *("mr", "mrs", "ms", "dr", "prof", "yes", "no", "not", "am", "pm", "i'm"),
    ]
)
_NOUN_FOLLOWS = re.compile(
    r"\b(?:d(?:er|ie|as|en|em|es)|(?:k|m|d|s)?ein\w{0,2}|ihr\w{0,2}|unser\w{0,2}|"
    r"im|am|zum|zur|vom|beim|ins|ans)(?: [a-zäöüß]+){0,2} $",
    re.IGNORECASE,
)
"""German writes all its nouns with capitals; what follows an article is most likely no name."""
_LEAST_INFLECTED = 4
_ENDINGS = ("s", "es", "n", "en", "ens")
"""What makes another form of a name with more letters than that: Jordans; Martina is another."""
_INFLECTED = re.compile("[\u0370-\u052f]")
"""Greek and Cyrillic, whose names have many endings: only the last two letters may differ."""


@dataclass(frozen=True)
class SourceFacts:
    """What passages or a question state: read once, compared with each sentence."""

    text: str

    @cached_property
    def meanings(self) -> frozenset[Meaning]:
        """All that its dates, times and numbers may mean, those over the end of a line too."""
        texts = dict.fromkeys((self.text, self.text.replace("\n", " ")))
        return frozenset(
            meaning
            for text in texts
            for fact in facts(text, source=True)
            for meaning in fact.meanings
        )

    @cached_property
    def names(self) -> frozenset[str]:
        """Its words as names are compared, with the parts of words that a mark joins."""
        alone = [] if self.text.isascii() else _NAME.findall(self.text)
        return frozenset(folded_names(" ".join([self.text, *alone])))

    @cached_property
    def full_names(self) -> dict[str, set[str]]:
        """By each capitalised word, the capitalised words directly before it."""
        found: dict[str, set[str]] = {}
        for first, last in _pairs(self.text):
            found.setdefault(last, set()).add(first)
        return found


@dataclass(frozen=True)
class Claims:
    """What a sentence names: read once, compared with each source."""

    sentence: str

    @cached_property
    def facts(self) -> list[Fact]:
        """Its dates, times, numbers and codes."""
        return [fact for fact in facts(self.sentence) if fact.claimed]

    @cached_property
    def rest(self) -> str:
        """The sentence with blanks for its facts."""
        text = self.sentence
        for fact in self.facts:
            text = text[: fact.start] + " " * (fact.end - fact.start) + text[fact.end :]
        return text

    @cached_property
    def names(self) -> list[tuple[int, str]]:
        """Its names, and where they begin; what is written onto a number is a part of that."""
        return [
            (start, name)
            for start, name in _names(self.rest)
            if not self.sentence[:start][-1:].isalnum()
            and not self.sentence[start + len(name) :][:1].isalnum()
        ]

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of its facts and names, and its first, which may be one."""
        written = [self.sentence[fact.start : fact.end] for fact in self.facts]
        first = _SENTENCE_START.match(self.rest)
        names = [*(name for _, name in self.names), *([first[0]] if first else [])]
        return frozenset(words(" ".join([*written, *names])))


@dataclass(slots=True)
class ClaimComparison:
    """The result of comparing a sentence with passages."""

    lacking: tuple[str, ...] = ()
    """What neither the passages nor the question state, as written, in order."""
    held: set[str] = field(default_factory=set)
    """Words of the sentence that the passages state: "15" and "percent" for 15%."""
    facts: int = 0
    """How many dates, times, numbers and codes the passages state and the question does not."""
    names: int = 0
    """How many names the passages state and the question does not."""


def source_of(passage: Passage) -> SourceFacts:
    """Return what a passage states, with the heading that models were shown."""
    return SourceFacts(f"{describe(passage.item)}\n{passage.text}")


def unstated(sentence: str, passages: Sequence[Passage], question: str = "") -> tuple[str, ...]:
    """Return what the sentence names and neither the passages nor the question state, in order."""
    sources = [source_of(one) for one in passages]
    return compared(Claims(sentence), sources, SourceFacts(question)).lacking


def compared(
    claims: Claims, sources: Sequence[SourceFacts], question: SourceFacts
) -> ClaimComparison:
    """Compare what a sentence names with what its sources and the question state."""
    found = ClaimComparison()
    there = frozenset[Meaning]().union(*(source.meanings for source in sources))
    known = frozenset[str]().union(*(source.names for source in sources))
    lacking = list[tuple[int, str]]()
    for fact in claims.facts:
        written = claims.sentence[fact.start : fact.end]
        is_there = _is_stated(fact, there) or _is_written(fact, written, known)
        if is_there or _follows(fact, claims.facts, there):
            found.held.update(words(written))
            found.facts += not _is_stated(fact, question.meanings)
        elif not _is_stated(fact, question.meanings):
            lacking.append((fact.start, written.strip()))
    for start, name in claims.names:
        if _has_name(name, known):
            found.held.update(words(name))
            found.names += not _has_name(name, question.names)
        elif not _has_name(name, known | question.names):
            lacking.append((start, name))
    found.held.update(word for word in claims.words if known.issuperset(folded_names(word)))
    lacking += _other_first_names(claims.rest, known | question.names, sources)
    found.lacking = tuple(dict.fromkeys(written for _, written in sorted(lacking)))
    return found


def _is_stated(fact: Fact, there: frozenset[Meaning]) -> bool:
    if any(meaning in there for meaning in fact.meanings):
        return True
    return any(borne_out(meaning, other) for meaning in fact.meanings for other in there)


def _is_written(fact: Fact, written: str, known: frozenset[str]) -> bool:
    """Say whether a weekday is among the words of a source: "fri" says it without a capital."""
    is_weekday = any(isinstance(one, Weekday) for one in fact.meanings)
    return is_weekday and known.issuperset(folded_names(written))


def _follows(fact: Fact, named: Sequence[Fact], there: frozenset[Meaning]) -> bool:
    """Say whether a weekday is that of a date which the sentence names and a source states."""
    weekdays = {one.number for one in fact.meanings if isinstance(one, Weekday)}
    if not weekdays:
        return False
    said = [one for other in named for one in other.meanings if isinstance(one, Day)]
    return any(
        _weekday(other) in weekdays
        for other in there
        if isinstance(other, Day) and any(one.day and one.borne_out(other) for one in said)
    )


def _weekday(day: Day) -> int | None:
    if day.year is None or day.month is None or day.day is None:
        return None
    try:
        return date(day.year, day.month, day.day).weekday()
    except ValueError:  # 30 February
        return None


def _names(sentence: str) -> Iterator[tuple[int, str]]:
    """Yield capitalised words within a sentence, and where; its first may be no name."""
    starts = _SENTENCE_START.match(sentence)
    german = language_of([sentence]) == "German"
    for match in _NAME.finditer(sentence):
        if not match[0][0].isupper() or (starts and match.start() < starts.end()):
            continue
        if not (
            german and _NOUN_FOLLOWS.search(sentence, max(0, match.start() - 60), match.start())
        ):
            yield match.start(), match[0]


def folded_names(text: str) -> list[str]:
    """Return the words of a text as names are compared: no accents, Mueller as Müller."""
    return words(re.sub("(?<=[aou])e", "", unaccented(text)))


def _has_name(name: str, there: frozenset[str]) -> bool:
    return all(
        part in there or part in _NO_NAMES or part in FUNCTION_WORDS or _has_form(part, there)
        for part in folded_names(name)
    )


def _has_form(name: str, there: frozenset[str]) -> bool:
    if len(name) <= _LEAST_INFLECTED:
        return False
    if _INFLECTED.match(name):
        return any(word.startswith(name[: max(_LEAST_INFLECTED, len(name) - 2)]) for word in there)
    longer = (name + ending for ending in _ENDINGS)
    shorter = (name.removesuffix(ending) for ending in _ENDINGS if name.endswith(ending))
    return any(form in there for form in (*longer, *shorter))


def _other_first_names(
    sentence: str, known: frozenset[str], sources: Sequence[SourceFacts]
) -> Iterator[tuple[int, str]]:
    """Yield a first word directly before a name for which the sources have other first names."""
    match = re.match(r"\W*(\S+) \S", sentence)
    if match is None:
        return
    for first, last in _pairs(sentence[: match.end() + 40])[:1]:
        others = set[str]().union(*(source.full_names.get(last, set()) for source in sources))
        is_first = folded_names(match[1])[:1] == [first]
        if is_first and others and first not in known | _NO_NAMES | FUNCTION_WORDS:
            yield match.start(1), match[1]


def _pairs(text: str) -> list[tuple[str, str]]:
    """Return words with capitals that follow each other with one blank between, folded."""
    found = re.findall(
        r"(?<![\w'\u2019-])(?=([^\W\d_][\w'\u2019-]+) ([^\W\d_][\w'\u2019-]+))", text
    )
    return [
        (folded_names(first)[0], folded_names(last)[0])
        for first, last in found
        if first[0].isupper() and last[0].isupper()
    ]
