"""What happens while a question is answered. Screens and command line draw from this alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engine.values import Answer, Passage, Query, SearchResult

StageName = Literal["understand", "read", "recall", "lookahead", "select", "vote", "write", "cite"]


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage began or ended."""

    name: StageName
    state: Literal["started", "done"]
    seconds: float = 0.0
    """Wall seconds of the stage; 0 when it starts."""


@dataclass(frozen=True, slots=True)
class Understood:
    """The question with its filters."""

    query: Query


@dataclass(frozen=True, slots=True)
class Reading:
    """Progress of reading, at most ten a second."""

    done: int
    """Files read or skipped."""
    total: int
    """Files found so far."""
    bytes: int
    total_bytes: int
    skipped: int
    seconds: float = 0.0
    """Since reading began: with the two sizes, how long it will take."""
    best: Passage | None = None
    """The best passage so far, for reading that takes more than a second: more may outdo it."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A stage put passages in order."""

    stage: StageName
    passages: Sequence[Passage]
    """Best first."""
    scores: Sequence[float]


@dataclass(frozen=True, slots=True)
class Sampled:
    """One look-ahead sample is complete."""

    index: int
    rationale: str
    answer: str


@dataclass(frozen=True, slots=True)
class Voted:
    """Readings of the evidence were compared."""

    votes: int
    of: int
    matrix: Sequence[Sequence[float]]
    """Similarity of answer i and answer j, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Token:
    """Text of the answer as the generator writes it, before its citations are checked."""

    text: str


@dataclass(frozen=True, slots=True)
class Answered:
    """Always the last event of `answer`."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class Found:
    """Always the last event of `search`."""

    result: SearchResult


Event = Stage | Understood | Reading | Ranked | Sampled | Voted | Token | Answered | Found
