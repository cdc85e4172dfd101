"""What a search finds, without a model."""

from __future__ import annotations

from dataclasses import dataclass

from engine.values import Coverage, Passage, Query


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
