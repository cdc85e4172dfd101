"""Where the sentences of a text end among its tokens: by EASY, and exactly.

EASY (YOURA, algorithm 1) guesses from lengths and corrects by decoding; it works where a
tokenizer gives no offsets, and may miss. `exact` needs the offsets. The two are measured side by
side, and neither is reported as the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.attention.reaction import tokens_of
from engine.language.sentences import Span
from models.decoding.columns import spans

TOLERANCE = 30
"""`tol`: how far from its first guess a boundary may be moved."""


@dataclass(frozen=True)
class Encoding:
    """A text as a tokenizer encodes it, whatever kind it is."""

    pieces: Sequence[bytes]
    """What each token decodes to, blanks included; together the text."""
    count: Callable[[str], int]
    """Length(Encode(·)) of any text."""

    def decode(self, first: int, last: int) -> str:
        """Return Decode(seq[first:last]). A character cut in two gives replacement characters."""
        return b"".join(self.pieces[first:last]).decode("utf-8", "replace")


def targets(text: str, sentences: Sequence[Span]) -> list[str]:
    """Return the sentences with what stands between them, so that they join to the text."""
    begins = [0, *(begin for begin, _ in sentences[1:]), len(text)]
    return [text[a:b] for a, b in pairwise(begins)] if sentences else []


def easy(encoding: Encoding, sentences: Sequence[str], tolerance: int = TOLERANCE) -> list[int]:
    """Return the token index at which each target sentence ends (algorithm 1, line by line).

    Blanks around a sentence do not count when it is compared: a tokenizer that joins a blank with
    the word behind it could match no sentence otherwise. Time grows with the square of the text,
    as in the paper: each guess encodes all that stands before.
    """
    boundaries: list[int] = []
    processed, confirmed = "", 0
    for target in sentences:
        processed += target
        candidate = saved = encoding.count(processed)
        visited: set[int] = set()
        while True:
            beyond = candidate > len(encoding.pieces) or abs(candidate - saved) > tolerance
            if candidate in visited or beyond:
                candidate = saved
                break
            visited.add(candidate)
            decoded = encoding.decode(confirmed, candidate).strip()
            if decoded == target.strip():
                break
            candidate += 1 if decoded in target.strip() else -1
        boundaries.append(candidate)
        confirmed = candidate
    return boundaries


def between(encoding: Encoding, boundaries: Sequence[int]) -> list[str]:
    """Return what stands between boundaries as `easy` gives them, without blanks around it."""
    return [encoding.decode(a, max(a, b)).strip() for a, b in pairwise([0, *boundaries])]


def exact(encoding: Encoding, text: str, sentences: Sequence[Span]) -> list[str]:
    """Return what each sentence's tokens decode to, found by offsets.

    A token across two sentences belongs to both, and each takes its own letters of it.
    """
    if not sentences:
        return []
    places = spans(encoding.pieces, text)
    blanks = max(0, sum(map(len, encoding.pieces)) - len(text.encode("utf-8", "replace")))
    found = []
    for (begin, end), (first, last) in zip(sentences, tokens_of(places, sentences), strict=True):
        before = begin - int(places[first, 0]) if first < last else 0
        before += 0 if first else blanks  # SentencePiece puts one before the text
        found.append(encoding.decode(first, last)[before:][: end - begin])
    return found


@dataclass(frozen=True, slots=True)
class SentenceFit:
    """How well boundaries give the sentences back (tables 4 and 5)."""

    sentences: int
    matched: int
    """Sentences that their tokens decode to, blanks around them aside."""
    distance: int
    """Letters to insert, remove or replace over all sentences together (Levenshtein)."""

    @property
    def match_rate(self) -> float:
        """Share of sentences given back exactly; of none it is 1."""
        return self.matched / self.sentences if self.sentences else 1.0

    @property
    def mean_distance(self) -> float:
        """Edits a sentence."""
        return self.distance / self.sentences if self.sentences else 0.0

    @property
    def mean_distance_unmatched(self) -> float:
        """Edits a sentence that is not given back exactly (table 5, "NZ")."""
        missed = self.sentences - self.matched
        return self.distance / missed if missed else 0.0

    def __add__(self, other: SentenceFit) -> SentenceFit:
        """Return both together."""
        return SentenceFit(
            self.sentences + other.sentences,
            self.matched + other.matched,
            self.distance + other.distance,
        )


def fit(given: Sequence[str], sentences: Sequence[str]) -> SentenceFit:
    """Return how well what an alignment gives are these sentences, blanks around them aside."""
    pairs = zip(given, sentences, strict=True)
    distances = [levenshtein(one, target.strip()) for one, target in pairs]
    return SentenceFit(len(sentences), distances.count(0), sum(distances))


def levenshtein(one: str, other: str) -> int:
    """Return how many letters must be inserted, removed or replaced to make one the other."""
    if one == other:
        return 0
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, start=1):
        diagonal, row[0] = row[0], number
        for column, wanted in enumerate(other, start=1):
            step = min(row[column] + 1, row[column - 1] + 1, diagonal + (letter != wanted))
            diagonal, row[column] = row[column], step
    return row[-1]
