"""What speaks for a reply and against it, as numbers.

All come from one prefill of the passages: the reply's own log-probabilities, one question put to
the generator behind the same passages, and a comparison of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.checking.citation_check import MARKER
from engine.confidence.asked import asked_kind, fits
from engine.language.tokens import content_words, words
from engine.values import Passage


@dataclass(frozen=True, slots=True)
class Signals:
    """Signals of one reply. None: this generator does not say."""

    answerable: float | None = None
    """Log odds of Yes: the passages answer the question. The reply is not shown."""
    first: float | None = None
    """Log-probability of the reply's first token."""
    mean: float | None = None
    """Mean log-probability of its tokens."""
    least: float | None = None
    """Log-probability of its least likely token."""
    words: float = 0.0
    """Words of the reply."""
    literal: float = 0.0
    """1 where a passage holds the reply word for word."""
    held: float = 0.0
    """Largest share of the reply's new content words that one passage holds."""
    covered: float = 0.0
    """Share of the question's content words that the passage holds which holds the reply."""
    fitting: float = 0.0
    """1 where the reply is of the kind that is asked for, -1 where it is not, 0 where unknown."""
    echoed: float = 0.0
    """1 where the reply adds no content word to the question."""
    agreed: float = 0.0
    """1 where a reading of other passages gives the same answer, -1 where it gives another, 0
    without one."""


def of_words(question: str, reply: str, evidence: Sequence[Passage]) -> Signals:
    """Return the signals that need no model."""
    said = MARKER.sub("", reply).strip(" .\"'")
    asked = set(content_words(question))
    content = set(content_words(said))
    new = content - asked or content or set(words(said))
    run = f" {' '.join(words(said))} "
    literal, held, covered = 0.0, 0.0, 0.0
    for passage in evidence:
        read = words(passage.searched)
        known = set(read)
        share = len(new & known) / len(new) if new else 0.0
        there = float(bool(said) and run in f" {' '.join(read)} ")
        about = len(asked & known) / len(asked) if asked else 0.0
        literal = max(literal, there)
        if (share, about) > (held, covered):
            held, covered = share, about
    return Signals(
        words=float(len(words(said))),
        literal=literal,
        held=held,
        covered=covered,
        fitting=fits(asked_kind(question), said),
        echoed=float(not content - asked),
    )
