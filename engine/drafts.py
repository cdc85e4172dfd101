"""What a strategy hands to citation checking."""

from __future__ import annotations

from dataclasses import dataclass

from engine.values import Agreement, Citation, Passage, TableShown


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
    others: tuple[Draft, ...] = ()
    """Other answers, no two the same, that the generator is sure enough of and that are cited."""
    citations: tuple[Citation, ...] = ()
    """Of a computed text, the places it was computed from: its markers are theirs."""
    table: TableShown | None = None
    """How the text was computed."""
