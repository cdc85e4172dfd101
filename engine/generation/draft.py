"""What a model or a computation answers, before its citations are checked."""

from __future__ import annotations

from dataclasses import dataclass

from engine.values import Agreement, Citation, Passage, TableShown


@dataclass(frozen=True, slots=True)
class Draft:
    """A reply of the generator, or what a strategy hands to the check of citations."""

    text: str
    """The generator's words; empty when it was not asked."""
    evidence: tuple[Passage, ...] = ()
    """Passages of its prompt, in prompt order: marker [1] is the first. A reply on the way has
    none."""
    ended: bool = True
    """False when a limit cut the text."""
    confidence: float | None = None
    """How sure the generator is that the passages state this, 0 to 1; None when it was not asked,
    or denies it."""
    agreement: Agreement | None = None
    others: tuple[Draft, ...] = ()
    """Other answers, no two the same, that the generator is sure enough of and that are cited."""
    citations: tuple[Citation, ...] = ()
    """Of a computed text, the places it was computed from: its markers are theirs."""
    table: TableShown | None = None
    """How the text was computed."""
    doubt: float = 0.0
    """Log-probability that the reply had begun with "Not", as in "Not found"."""
