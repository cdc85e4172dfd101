"""How fast a loaded model reads and writes here, measured on a short text of our own."""

from __future__ import annotations

import time
from dataclasses import dataclass

from models.protocols import GenerationRequest, Generator

PROBE = "The quick brown fox jumps over the lazy dog beside the river in the evening sun. " * 2
"""About 40 tokens: half a second for 1.5 billion parameters on two cores. A token of so short a
prompt takes somewhat longer than one of a long prompt, so a first estimate is too long."""
WRITTEN = 4
"""Tokens that the measurement generates."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Tokens a second."""

    reading: float
    """Prompt tokens that the cache does not hold."""
    writing: float
    """Generated tokens of one sequence."""

    def seconds(self, read: float, written: float) -> float:
        """Return the seconds that so many tokens take."""
        return read / self.reading + written / self.writing


def measured(model: Generator) -> Speed:
    """Measure a model's speed. The model then forgets all prompts, the measured one included."""
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
