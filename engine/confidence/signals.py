"""What speaks for a reply and against it, as numbers.

They cost no call of a model: the probabilities of the reply's tokens, how alike the words of the
question, the reply and the evidence are, and how far the best passage is ahead of the next.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.checking.draft_sentences import MARKER, split_sentences
from engine.language.sentences import sentence_spans
from engine.language.stemming import stem
from engine.language.tokens import FUNCTION_WORDS, folded_words, readable
from engine.retrieval.recall import Scores
from engine.values import Passage

TOLD = 0.6
"""Share of a reply's new words that a sentence must hold to be where the reply comes from."""
FAR_AHEAD = 1.5
"""Largest margin; that of a passage that is alone."""


@dataclass(frozen=True, slots=True)
class Signals:
    """Signals of one reading. None: this generator does not say."""

    likely: float | None = None
    """Geometric mean of the probabilities of the reply's tokens."""
    least_likely: float | None = None
    """Probability of its least likely token."""
    near: float = 0.0
    """Share of the question's content words in the sentence that the reply comes from, the one
    before it, and the title; of several such sentences the largest. Words of the reply aside."""
    held: float = 0.0
    """Largest share of the reply's new content words that one passage holds."""
    echoed: float = 0.0
    """1 where the reply adds no content word to the question."""
    margin: float = 0.0
    """Logarithm of the best passage's score over the next one's, 0 to 1.5."""
    agreed: float = 0.0
    """1 where other readings of the question give the same answer, -1 where they give others, 0
    without one."""
    adapted: float = 0.0
    """1 where the generator read with its adapter, and so denied what it would have guessed."""
    denied: float | None = None
    """Probability that the reply would have begun as a denial that a passage states an answer; None
    without an adapter, which is trained to say so."""
    compared: float = 0.0
    """1 where the program compared days that sources state of each option; 0.5 where it compared
    amounts, as an offer may name two of them."""


def of_words(question: str, reply: str, evidence: Sequence[Passage]) -> Signals:
    """Return the signals that lie in the words; of several sentences the mean."""
    asked = _content(question)
    sentences = split_sentences(" ".join(MARKER.sub("", reply).split()), evidence)
    said = [content for one in sentences if (content := _content(one))]
    if not said:
        return Signals(echoed=1.0)
    found = [_of_sentence(asked, one - asked or one, evidence) for one in said]
    return Signals(
        near=sum(near for near, _ in found) / len(found),
        held=sum(held for _, held in found) / len(found),
        echoed=float(not set().union(*said) - asked),
    )


def _of_sentence(
    asked: set[bytes], new: set[bytes], evidence: Sequence[Passage]
) -> tuple[float, float]:
    """Return how near a sentence with these new words is to the question, and how far held."""
    held = max((len(new & _stems(one.searched)) for one in evidence), default=0) / len(new)
    wanted = asked - new
    told = (len(wanted & known) for one in evidence for known in _told(one, new))
    return max(told, default=0) / max(1, len(wanted)), held


def margin_of(scores: Scores) -> float:
    """Return how far the best passage is ahead, from the scores of all; 0 without a hit."""
    best = sorted((float(one) for one in scores if one > 0), reverse=True)[:2]
    if len(best) < 2:
        return FAR_AHEAD if best else 0.0
    return min(FAR_AHEAD, math.log(best[0] / best[1]))


def _told(passage: Passage, new: set[bytes]) -> Iterator[set[bytes]]:
    """Yield the words around each sentence that a reply with these words may come from."""
    before: set[bytes] = set()
    for begin, end in sentence_spans(passage.text):
        own = _stems(passage.text[begin:end])
        if len(new & own) >= TOLD * len(new):
            yield own | before | _stems(passage.item.title)
        before = own


def _stems(text: str) -> set[bytes]:
    return {stem(word) for word in folded_words(text)}


def _content(text: str) -> set[bytes]:
    words = (word for word in folded_words(text) if readable(word) not in FUNCTION_WORDS)
    return {stem(word) for word in words}
