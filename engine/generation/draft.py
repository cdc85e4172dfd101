"""What a model or a computation answers, before its citations are checked."""

from __future__ import annotations

from dataclasses import dataclass

from engine.confidence.signals import Signals
from engine.values import Agreement, Argument, Citation, Passage, TableShown


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
    logprobs: tuple[float, ...] = ()
    """Log-probabilities of its tokens; empty where the generator does not say."""
    denied: float | None = None
    """Probability with which the generator would have begun to say that no passage answers; None
    where it did not read with an adapter."""
    signals: Signals | None = None
    """What speaks for it and against it; None where it was not judged."""
    confidence: float | None = None
    """The probability that it is right, 0 to 1; None where it was not judged, or denies that there
    is an answer."""
    agreement: Agreement | None = None
    others: tuple[Draft, ...] = ()
    """Other answers, no two the same, that the generator is sure enough of and that are cited."""
    citations: tuple[Citation, ...] = ()
    """Of a text that was computed or compared, the places that it is from: its markers are
    theirs."""
    reasons: tuple[Argument, ...] = ()
    """What speaks for it and against it beside its signals."""
    lacking: tuple[str, ...] = ()
    """What the model said of options that a question compares, and no passage states."""
    table: TableShown | None = None
    """How the text was computed."""
