"""How fast a loaded model reads and writes here, by a short measurement on text of our own."""

from __future__ import annotations

import time
from dataclasses import dataclass

from models.protocols import GenerationRequest, Generator

PROBE = "The quick brown fox jumps over the lazy dog beside the river in the evening sun. " * 2
"""About 40 tokens: half a second for 1.5 billion parameters on two cores. What is this short is
read somewhat slower a token than a long prompt, so a first estimate errs on the long side."""
WRITTEN = 4
"""Tokens that are generated for it."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Tokens a second."""

    reading: float
    """Of a prompt, what the cache does not hold."""
    writing: float
    """Of one sequence."""

    def seconds(self, read: float, written: float) -> float:
        """Return what so many tokens take."""
        return read / self.reading + written / self.writing


def measured(model: Generator) -> Speed:
    """Return a model's speed. It forgets its earlier prompts, and this one too."""
    model.forget()
    computed, generated = model.usage.computed, model.usage.generated
    began = time.monotonic()
    model.next_token_logprobs(PROBE, ("a",))
    read = time.monotonic()
    computed = model.usage.computed - computed
    for _ in model.sample(GenerationRequest((PROBE,), max_tokens=WRITTEN)):
        pass
    ended = time.monotonic()
    model.forget()
    return Speed(
        max(computed, 1) / max(read - began, 1e-6),
        max(model.usage.generated - generated, 1) / max(ended - read, 1e-6),
    )
