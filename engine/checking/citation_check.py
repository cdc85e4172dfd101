"""Checks a draft against its evidence, sentence by sentence.

A marker survives only if its passage was in the prompt and supports its sentence; a sentence
without a good marker is attributed to the passage that supports it best, and marked so.
Support is measured on the words a sentence adds to the question: repeating the question
proves nothing. Of its numbers, dates, times and names none may be lacking (`stated`), and none of
its clauses may deny what the passage says (`negation`); and what fits may not be said by somebody
of themselves where another was asked about (`speakers`). A sentence in another language than its
passage shares no words with it: there its numbers and names are all there is.
Quotes are cut from the item's text, so they occur in it literally.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from engine.checking.calculation import operands
from engine.checking.claims import Claims, SourceFacts, compared, source_of
from engine.checking.draft_sentences import (
    MONTH,
    YES_OR_NO,
    split_sentences,
    with_markers,
    without_markers,
)
from engine.checking.negation import Statement, contradicts
from engine.checking.speakers import SpeakerTurns
from engine.language.languages import language_of
from engine.language.sentences import sentence_spans
from engine.language.stemming import stem
from engine.language.tokens import FUNCTION_WORDS, content_words, words
from engine.values import Citation, Grounded, Passage, Unsupported

SUPPORTED = 0.6
"""Share of a sentence's new content words that a passage must hold."""
NAMES_OF_A_TRANSLATION = 2
"""Names that a sentence in another language must share with its passage where it has no number. One
would not do: every mail has a name in its heading."""
QUOTE_CHARACTERS = 240

_PARTICLE = re.compile(rf"^\W*{YES_OR_NO}", re.IGNORECASE)
_LIST_NUMBER = re.compile(rf"^\W*\d{{1,2}}[.)]\s+(?!{MONTH.pattern})", re.IGNORECASE)
_SPAN = re.compile(r"[^\n]+")
_NAME = re.compile(r"[^\W\d_][^\s\d]*(?:\s[^\s\d]+){0,5}")
"""Up to six words without a digit."""
_BETWEEN_NAMES = re.compile(r",?\s+(?:and|und|et|y|e|en)\s+|,\s+")
_LAST_NAME = re.compile(r"\s(?:and|und|et|y|e|en)\s+[^\W\d_a-z]\S*(?:\s\S+){0,5}$")
"""The end of a list of names: an "and" before a capital letter."""


@dataclass(slots=True)
class Checked:
    """A draft after checking."""

    text: str
    grounded: Grounded
    citations: list[Citation] = field(default_factory=list)
    unsupported: list[Unsupported] = field(default_factory=list)
    """Its sentences that carry no citation, in order."""


@dataclass(frozen=True)
class _Read:
    """A passage, read once for all sentences."""

    passage: Passage

    @cached_property
    def words(self) -> set[str]:
        return set(words(self.passage.searched))

    @cached_property
    def source(self) -> SourceFacts:
        return source_of(self.passage)

    @cached_property
    def statement(self) -> Statement:
        return Statement(self.passage.text)

    @cached_property
    def turns(self) -> SpeakerTurns:
        return SpeakerTurns(self.passage.item.text)


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence, and the claims that need support."""

    statement: Statement
    claims: Claims
    question: SourceFacts
    asked: set[str]
    wanted: set[str]
    """Its content words that are no form of the question's; all of them where there are none."""

    @classmethod
    def of(cls, sentence: str, question: SourceFacts) -> _Said:
        sentence = _LIST_NUMBER.sub("", sentence)
        asked = set(words(question.text))
        stems = {_stem(word) for word in asked}
        content = set(content_words(_PARTICLE.sub("", sentence)))
        new = {word for word in content if _stem(word) not in stems}
        return cls(Statement(sentence), Claims(sentence), question, asked, new or content)


def check(
    text: str, evidence: Sequence[Passage], question: str, after: Sequence[Citation] = ()
) -> Checked:
    """Return the text with verified markers only, its citations and how grounded it is.

    Citations are numbered after those in `after`, which come first in the result.
    """
    lines: list[str] = []
    citations = list(after)
    unsupported: list[Unsupported] = []
    cited = False
    reads, asked = [_Read(passage) for passage in evidence], SourceFacts(question)
    for line in text.splitlines():
        sentences = []
        for sentence in split_sentences(line, evidence):
            bare, named = without_markers(sentence)
            if not words(bare):
                continue
            found, why = _cite(bare, named, reads, asked)
            found = found or _cite_each(_listed(bare) or operands(bare), reads, asked)
            ids = [_number(citation, citations) for citation in found]
            if not ids:
                unsupported.append(why)
            cited = cited or bool(ids)
            sentences.append(with_markers(bare, ids))
        lines.append(" ".join(sentences))
    grounded: Grounded = "grounded" if not unsupported else "partial"
    if not cited:
        grounded = "none"
    return Checked("\n".join(line for line in lines if line), grounded, citations, unsupported)


def _stem(word: str) -> bytes:
    return stem(word.encode("utf-8", "surrogatepass"))


def _cite(
    sentence: str, named: Sequence[int], evidence: Sequence[_Read], question: SourceFacts
) -> tuple[list[Citation], Unsupported]:
    """Return the citations of one sentence, not yet numbered (id 0), or why there is none.

    Passages that the model named support the sentence together, except those in which somebody else
    speaks of themselves. A passage that the model did not name must support it alone.
    """
    said, why = _Said.of(sentence, question), Unsupported(sentence)
    if not said.wanted:
        return [], why
    by_model = [evidence[n - 1] for n in dict.fromkeys(named) if 0 < n <= len(evidence)]
    able = [one for one in by_model if _share(said, one) >= SUPPORTED and not _said_by(said, one)]
    if able and not _objections(said, able):
        return [_citation(said, one, by_model=True) for one in able], why
    shares = [(_share(said, one), one) for one in evidence]
    fit = [one for share, one in sorted(shares, key=lambda s: -s[0]) if share >= SUPPORTED]
    for one in fit:
        if not _said_by(said, one) and not _objections(said, [one]):
            return [_citation(said, one, by_model=False)], why
    told = [one for one in by_model if _translates(said, one)]
    if fit and not told:
        lacking = compared(said.claims, [fit[0].source], question).lacking
        why = replace(why, lacking=lacking, said_by=_said_by(said, fit[0]) or "")
    return [_citation(said, one, by_model=True) for one in told], why


def _listed(sentence: str) -> list[str]:
    """Return the names that a sentence lists and has nothing beside; empty for any other one.

    A number is no name: a day and an hour from two places would make an appointment.
    """
    names = _BETWEEN_NAMES.split(sentence.rstrip(". ")) if _LAST_NAME.search(sentence) else []
    return names if all(_NAME.fullmatch(name) for name in names) else []


def _cite_each(
    listed: Sequence[str], evidence: Sequence[_Read], question: SourceFacts
) -> list[Citation]:
    """Return the citations of names or amounts from several places; none where one has none."""
    found = [_cite(one, (), evidence, question)[0] for one in listed]
    return [citation for own in found for citation in own] if all(found) else []


def _share(said: _Said, read: _Read) -> float:
    """Return the share of the wanted words that a passage holds, also in another spelling."""
    held = said.wanted & read.words
    at_most = held | (said.wanted & said.claims.words)
    if len(held) < len(at_most) and len(at_most) >= SUPPORTED * len(said.wanted):
        held |= said.wanted & compared(said.claims, [read.source], said.question).held
    return len(held) / len(said.wanted)


def _objections(said: _Said, reads: Sequence[_Read]) -> bool:
    """Say whether passages lack what the sentence names, or say the contrary."""
    if compared(said.claims, [read.source for read in reads], said.question).lacking:
        return True
    return contradicts(said.statement, [read.statement for read in reads])


def _said_by(said: _Said, read: _Read) -> str | None:
    """Return who says what fits of themselves, where the question is about another speaker.

    "Hi Bob! I am learning to swim" is not about Bob; nor is "I am learning to swim. It is fun".
    """
    line, question = _best_line(said, read), said.question.text
    own = read.turns.elses(*_sentence_of(line, said, read), question)
    return own or read.turns.elses(*line, question)


def _sentence_of(place: tuple[int, int], said: _Said, read: _Read) -> tuple[int, int]:
    """Return the offsets of the sentence of a line that has all wanted terms of it.

    Those of the line, where they are from several.
    """
    start, end = place
    line = read.passage.item.text[start:end]
    wanted, asked = said.wanted & set(words(line)), said.asked - FUNCTION_WORDS
    best, best_key = (start, end), -1
    for begin, close in sentence_spans(line):
        held = set(words(line[begin:close]))
        if wanted and wanted <= held and len(held & asked) > best_key:
            best_key, best = len(held & asked), (start + begin, start + close)
    return best


def _translates(said: _Said, read: _Read) -> bool:
    """Say whether a sentence can be what a passage says in another language.

    All that can be compared is: a number, date or two names that were not asked with, none that
    is lacking, and a "not" on both sides or on neither.
    """
    languages = language_of([said.claims.sentence]), language_of([read.passage.text])
    if None in languages or languages[0] == languages[1]:
        return False
    found = compared(said.claims, [read.source], said.question)
    if found.lacking or not (found.facts or found.names >= NAMES_OF_A_TRANSLATION):
        return False
    return not contradicts(said.statement, [read.statement], translated=True)


def _citation(said: _Said, read: _Read, *, by_model: bool) -> Citation:
    how = "model" if by_model else "matched"
    start, end = _best_line(said, read)
    return Citation(0, read.passage.undated, start, end, how, True)  # type: ignore[arg-type]


def _best_line(said: _Said, read: _Read) -> tuple[int, int]:
    """Return the offsets of the line with most wanted terms, then most of the question's."""
    passage, asked = read.passage, said.asked - FUNCTION_WORDS
    otherwise = bool(said.wanted - read.words)
    best, best_key = (passage.start, passage.start), (-1, -1)
    for line in _SPAN.finditer(passage.text):
        held = set(words(line[0]))
        if otherwise:
            held |= compared(said.claims, [SourceFacts(line[0])], said.question).held
        key = (len(held & said.wanted), len(held & asked))
        if key > best_key:
            best_key, best = key, _around(passage, line, said.wanted)
    return best


def _around(passage: Passage, line: re.Match[str], wanted: set[str]) -> tuple[int, int]:
    """Return offsets into the item of a line, or of the part of a long one that matters."""
    begin, end = line.span()
    if end - begin > QUOTE_CHARACTERS:
        folded = line[0].casefold()
        hits = [at for term in wanted if (at := folded.find(term)) >= 0]
        middle = min(hits, default=0)
        begin += max(0, min(middle - QUOTE_CHARACTERS // 4, end - begin - QUOTE_CHARACTERS))
        end = min(end, begin + QUOTE_CHARACTERS)
    return passage.place(begin), passage.place(end)  # a line never spans a gap


def _number(citation: Citation, citations: list[Citation]) -> int:
    """Give a citation its id: that of the same passage and quote, or the next."""
    for known in citations:
        if known.passage is citation.passage and known.start == citation.start:
            return known.id
    number = len(citations) + 1
    citations.append(
        Citation(
            number, citation.passage, citation.start, citation.end, citation.how, citation.support
        )
    )
    return number


def nearest(evidence: Sequence[Passage], limit: int = 3) -> list[Citation]:
    """Return the passages that an abstention shows, marked as no support."""
    found = []
    for number, passage in enumerate(evidence[:limit], start=1):
        end = min(passage.end, passage.start + QUOTE_CHARACTERS)
        found.append(Citation(number, passage.undated, passage.start, end, "matched", False))
    return found
