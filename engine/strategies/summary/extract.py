"""What of a model's summary may be shown; and a summary of the sources' own sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.attention.compression import sentences_of
from engine.checking import abstention
from engine.checking.citation_check import check
from engine.checking.draft_sentences import MARKER, split_sentences
from engine.generation.draft import Draft
from engine.language.tokens import content_words, words
from engine.strategies.summary.length import FINISHED
from engine.strategies.summary.parts import Spread, spread_out
from engine.values import Citation, Passage

MOST_PASSAGES = 150
"""Most passages whose sentences are compared."""
LEAST_WORDS = 5
LEAST_CHARACTERS, MOST_CHARACTERS = 40, 300
"""What is shorter or longer is rather a heading, a row of a table, or a list."""
LETTERS = 0.7
"""Least share of letters and blanks in a sentence of prose."""


def supported(text: str, evidence: Sequence[Passage], question: str) -> str:
    """Return a summary without what is said twice, and without what it says is not there.

    A denial would make an abstention of the whole. Return "" if nothing is supported.
    """
    seen: set[str] = set()
    lines = []
    for line in text.splitlines():
        sentences = []
        for sentence in split_sentences(line, evidence):
            said = " ".join(words(sentence))
            if said not in seen and not abstention.denies(sentence, evidence):
                sentences.append(sentence)
            seen.add(said)
        lines.append(" ".join(sentences))
    left = "\n".join(line for line in lines if line)
    if abstention.denies(left, evidence):
        return ""
    return left if check(left, evidence, question).citations else ""


def extracted(evidence: Sequence[Passage], count: int, topic: str = "") -> Draft:
    """Return the most central sentences, in order and literally, each cited; of any text some."""
    passages = list(spread_out(dict(enumerate(evidence)), MOST_PASSAGES).values())
    sentences = sentences_of(passages)
    finished = [one for one in sentences if _is_sentence(one.place.text)]
    kept = [one for one in finished if _is_prose(one.place.text)] or finished or sentences
    if not kept:
        return Draft("", tuple(evidence))
    places = [one.place for one in kept]
    spread = Spread([one.text for one in places], [one.item for one in places], topic)
    left = np.ones(len(places), dtype=bool)
    for _ in range(min(count, len(places))):
        number = int(np.argmax(np.where(left, spread.scores, -1.0)))
        left[number] = False
        spread.choose(number, 1.0)
    chosen = [kept[number] for number in np.flatnonzero(~left)]
    citations = [
        Citation(at, passages[one.number], one.place.start, one.place.end, "matched", True)
        for at, one in enumerate(chosen, start=1)
    ]
    lines = [f"{_shown(one.quote)} [{one.id}]" for one in citations]
    return Draft("\n".join(lines), tuple(evidence), citations=tuple(citations))


def _is_sentence(text: str) -> bool:
    """Say whether it ends like one; one with a reference like "[3]" would mislead."""
    return FINISHED.search(text) is not None and MARKER.search(text) is None


def _is_prose(text: str) -> bool:
    """Say whether a sentence can be read alone."""
    letters = sum(char.isalpha() or char.isspace() for char in text)
    return (
        LEAST_CHARACTERS <= len(text) <= MOST_CHARACTERS
        and letters >= LETTERS * len(text)
        and len(content_words(text)) >= LEAST_WORDS
    )


def _shown(quote: str) -> str:
    """Return a sentence on one line; what looks like a citation of ours is left out."""
    return " ".join(MARKER.sub("", quote).split()) or " ".join(quote.split())
