"""What a strategy hands to citation checking."""

from __future__ import annotations

from dataclasses import dataclass

from engine.values import Agreement, Citation, Passage, TableShown


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer that stands beside the draft's, from other evidence or another draw."""

    text: str
    evidence: tuple[Passage, ...]
    """Passages of its prompt, in prompt order: its marker [1] is the first."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What a strategy hands to citation checking."""

    text: str
    """The generator's words; empty when it was not asked."""
    evidence: tuple[Passage, ...]
    """Passages of its prompt, in prompt order: marker [1] is the first."""
    ended: bool = True
    """False when the text was cut by a limit."""
    confidence: float | None = None
    agreement: Agreement | None = None
    others: tuple[Reading, ...] = ()
    """Answers that contradict this one, and that the generator is sure enough of."""
    citations: tuple[Citation, ...] = ()
    """Of a computed text, the places it was computed from: its markers are theirs."""
    table: TableShown | None = None
    """How the text was computed."""
