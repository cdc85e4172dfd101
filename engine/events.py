"""What happens while a question is answered. Screens and command line draw from this alone."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeVar

from engine.conversation import Standalone
from engine.values import Answer, Coverage, Passage, Query

StageName = Literal[
    "follow_up",
    "understand",
    "read",
    "recall",
    "lookahead",
    "select",
    "ask",
    "vote",
    "write",
    "cite",
]

Choice = Literal[
    "route",
    "expand",
    "follow titles",
    "weigh words",
    "embed",
    "look ahead",
    "compress",
    "vote",
    "read on",
    "rewrite",
    "sub-questions",
    "say no",
    "say that nothing is found",
    "compare",
    "subtract",
    "read about",
    "read later",
]
"""What `auto` decides on. Not all of these are stages."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One row of a search."""

    passage: Passage
    score: float
    """BM25, comparable within one reply only; always above 0."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of `search`."""

    query: str
    """As typed."""
    hits: tuple[Hit, ...]
    coverage: Coverage
    timings: dict[str, float]
    understood: Query
    """With the filters in effect."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage began or ended."""

    name: StageName
    state: Literal["started", "done"]
    seconds: float = 0.0
    """Wall seconds of the stage; 0 when it starts."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A follow-up was made a question of its own; a person may correct it before it is asked."""

    asked: str
    """As typed."""
    standalone: Standalone


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The filters of the reading that follows; sent again when reading starts over."""

    query: Query
    """As understood before anything was read."""


@dataclass(frozen=True, slots=True)
class Understood:
    """The question with its final filters; sent once a question."""

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
    scans: int = 0
    """Files with scanned pages that are recognised last; of them `scans_done`."""
    scans_done: int = 0
    best: Passage | None = None
    """The best passage so far, once reading takes more than a second. A later one may be better."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A stage put passages in order."""

    stage: StageName
    passages: Sequence[Passage]
    """Best first."""
    scores: Sequence[float]
    parts: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """What the scores consist of, by name ("backward", "forward"), before weighting."""


@dataclass(frozen=True, slots=True)
class Selected:
    """A stage kept some passages for what follows and dropped the others."""

    stage: StageName
    kept: Sequence[Passage]
    """In the order of the prompt."""
    of: int
    """Passages it chose from."""


@dataclass(frozen=True, slots=True)
class Compressed:
    """Passages were cut to some of their sentences."""

    by: str
    """What scored the sentences: "reaction", "query" or "bm25"."""
    sentences: Sequence[Passage]
    """All of them, in the order of the passages."""
    scores: Sequence[float]
    kept: Sequence[bool]


@dataclass(frozen=True, slots=True)
class Sampled:
    """One look-ahead sample is complete."""

    index: int
    rationale: str
    answer: str


@dataclass(frozen=True, slots=True)
class Drafted:
    """One of several readings of the evidence is complete, or cut after enough to compare."""

    index: int
    passages: Sequence[Passage]
    """What was read for it."""
    text: str


@dataclass(frozen=True, slots=True)
class Voted:
    """Readings of the evidence were compared."""

    votes: int
    of: int
    matrix: Sequence[Sequence[float]]
    """Similarity of answer i and answer j, 0 to 1."""
    winner: int = 0
    """The reading with the highest agreement."""
    tokens_saved: int | None = None
    """Tokens that whole answers would have taken more; None where the readings were whole."""


@dataclass(frozen=True, slots=True)
class FollowedUp:
    """A sub-question that a strategy asked, or the question in other words."""

    index: int
    question: str
    answer: str
    """Empty where the question only served to find more passages."""


@dataclass(frozen=True, slots=True)
class Decided:
    """Whether a stage runs for this question."""

    stage: Choice
    taken: bool
    why: str
    """Words that people read, without a capital and without a full stop."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The work left before the answer; sent again as more is known."""

    tokens: int
    """About the input tokens that both language models will read."""
    seconds: float | None
    """None where no model's speed is known."""
    budget: int
    """Input tokens that the whole answer may take."""


@dataclass(frozen=True, slots=True)
class Noted:
    """Something that a strategy did or left out, in words that people read."""

    text: str


@dataclass(frozen=True, slots=True)
class Token:
    """Text of the answer as the generator writes it, before its citations are checked."""

    text: str


@dataclass(frozen=True, slots=True)
class Provisional:
    """A reading is complete, and further evidence is looked for.

    Its answer is shown until `Answered` confirms or replaces it. The tokens after this event are
    those of another reading.
    """

    text: str
    confidence: float | None
    """The probability that it is right, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Answered:
    """Always the last event of `answer`."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class Found:
    """Always the last event of `search`."""

    result: SearchResult


Event = (
    Stage
    | Rewritten
    | Narrowed
    | Understood
    | Reading
    | Ranked
    | Selected
    | Compressed
    | Sampled
    | Drafted
    | Voted
    | FollowedUp
    | Decided
    | Expected
    | Noted
    | Token
    | Provisional
    | Answered
    | Found
)

T = TypeVar("T")
Steps: TypeAlias = Generator[Event, None, T]
"""A part of the path: yields what happens, and returns what comes of it."""
