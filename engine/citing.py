"""Checks a draft against its evidence, sentence by sentence.

A marker survives only if its passage was in the prompt and supports its sentence; a sentence
without a good marker is attributed to the passage that supports it best, and marked so.
Support is measured on the words a sentence adds to the question: repeating the question
proves nothing. Of its numbers, dates, times and names none may be lacking (`engine.stated`).
Quotes are cut from the item's text, so they occur in it literally.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.stated import unstated
from engine.tokens import FUNCTION_WORDS, content_words, words
from engine.values import Citation, Grounded, Passage, Unsupported

SUPPORTED = 0.6
"""Share of a sentence's new content words that a passage must hold."""
QUOTE_CHARACTERS = 240

MARKER = re.compile(r"\s*[\[(](\d{1,3}(?:\s*,\s*\d{1,3})*)[\])]")
_SENTENCE_END = re.compile(r"(?<=[.!?])((?:\s*\[\d+(?:\s*,\s*\d+)*\])*)\s+(?=[A-Z0-9\"'“(])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|No|vs|Inc|Co|Ltd|e\.g|i\.e))\.$"
)
_SPAN = re.compile(r"[^\n]+")


@dataclass(slots=True)
class Checked:
    """A draft after checking."""

    text: str
    grounded: Grounded
    citations: list[Citation] = field(default_factory=list)
    unsupported: list[Unsupported] = field(default_factory=list)
    """Its sentences that carry no citation, in order."""


@dataclass(frozen=True, slots=True)
class _Support:
    share: float
    start: int
    end: int


def check(
    text: str, evidence: Sequence[Passage], question: str, after: Sequence[Citation] = ()
) -> Checked:
    """Return the text with verified markers only, its citations and how grounded it is.

    Its citations are numbered on from those of `after`, and follow them.
    """
    lines: list[str] = []
    citations = list(after)
    unsupported: list[Unsupported] = []
    cited = False
    for line in text.splitlines():
        sentences = []
        for sentence in split_sentences(line, evidence):
            bare, named = _strip_markers(sentence)
            if not words(bare):
                continue
            found, lacking = _cite(bare, named, evidence, question)
            ids = [_number(citation, citations) for citation in found]
            if not ids:
                unsupported.append(Unsupported(bare, lacking))
            cited = cited or bool(ids)
            sentences.append(_with_markers(bare, ids))
        lines.append(" ".join(sentences))
    grounded: Grounded = "grounded" if not unsupported else "partial"
    if not cited:
        grounded = "none"
    return Checked("\n".join(line for line in lines if line), grounded, citations, unsupported)


def split_sentences(text: str, evidence: Sequence[Passage] = ()) -> list[str]:
    """Cut a line into sentences; markers that follow a full stop stay with their sentence.

    Where a passage has the words around the full stop just so, they stay together: "Weekly
    Conf. Update" is one title, and two sentences copied together have one source.
    """
    sentences: list[str] = []
    begin = 0
    for match in _SENTENCE_END.finditer(text):
        if _ABBREVIATION.search(text[begin : match.start()]):
            continue
        around = text[max(begin, match.start() - 12) : match.end() + 6]
        if any(around in passage.searched for passage in evidence):
            continue
        sentences.append(text[begin : match.end(1)].strip())
        begin = match.end()
    sentences.append(text[begin:].strip())
    return [sentence for sentence in sentences if sentence]


def _strip_markers(sentence: str) -> tuple[str, list[int]]:
    numbers = [int(n) for match in MARKER.finditer(sentence) for n in match[1].split(",")]
    return MARKER.sub("", sentence).strip(), numbers


def _cite(
    sentence: str, named: Sequence[int], evidence: Sequence[Passage], question: str
) -> tuple[list[Citation], tuple[str, ...]]:
    """Return the citations of one sentence, not yet numbered (id 0), or what they would lack.

    What the model named is taken together; else one passage must hold all of it.
    """
    asked = set(words(question))
    wanted = _evidence_terms(sentence, asked)
    if not wanted:
        return [], ()
    supports = [_support(wanted, asked, passage) for passage in evidence]
    able = [i for i, support in enumerate(supports) if support.share >= SUPPORTED]
    chosen = [n - 1 for n in dict.fromkeys(named) if n - 1 in able]
    if chosen and not unstated(sentence, [evidence[i] for i in chosen], question):
        return [_citation(evidence[i], supports[i], by_model=True) for i in chosen], ()
    able.sort(key=lambda i: -supports[i].share)
    for i in able:
        if not unstated(sentence, [evidence[i]], question):
            return [_citation(evidence[i], supports[i], by_model=False)], ()
    return [], unstated(sentence, [evidence[able[0]]], question) if able else ()


def _citation(passage: Passage, support: _Support, *, by_model: bool) -> Citation:
    how = "model" if by_model else "matched"
    return Citation(0, passage, support.start, support.end, how, True)  # type: ignore[arg-type]


def _evidence_terms(sentence: str, asked: set[str]) -> set[str]:
    """Return what the sentence claims: its content words beyond the question's, else all."""
    content = set(content_words(sentence))
    return (content - asked) or content


def _support(wanted: set[str], asked: set[str], passage: Passage) -> _Support:
    """Return the share of `wanted` terms in the passage, and the line that shows most."""
    held = set(words(passage.searched))
    share = len(wanted & held) / len(wanted)
    start, end = _best_line(passage, wanted, asked - FUNCTION_WORDS)
    return _Support(share, start, end)


def _best_line(passage: Passage, wanted: set[str], asked: set[str]) -> tuple[int, int]:
    """Return the offsets of the line with most wanted terms, then most of the question's."""
    best, best_key = (passage.start, passage.start), (-1, -1)
    for line in _SPAN.finditer(passage.text):
        held = set(words(line[0]))
        key = (len(held & wanted), len(held & asked))
        if key > best_key:
            best_key, best = key, _around(passage, line, wanted)
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
    start = passage.place(begin)  # a line never spans a gap
    return start, start + end - begin


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


def _with_markers(sentence: str, ids: Sequence[int]) -> str:
    markers = "".join(f"[{number}]" for number in dict.fromkeys(ids))
    if not markers:
        return sentence
    return f"{sentence} {markers}"


def nearest(evidence: Sequence[Passage], limit: int = 3) -> list[Citation]:
    """Return the best passages of an abstention: shown, and marked as no support."""
    found = []
    for number, passage in enumerate(evidence[:limit], start=1):
        end = min(passage.end, passage.start + QUOTE_CHARACTERS)
        found.append(Citation(number, passage, passage.start, end, "matched", False))
    return found
