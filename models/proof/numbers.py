"""What the tiny model answers, computed once in numpy without llama.cpp's rounding.

`tests/test_models_tiny.py` computes them again, from the file, with another reader of GGUF files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

TOLERANCE = 0.75
"""Of log-probabilities. llama.cpp rounds factors to 8 bits, differently on each processor: that
makes differences of 0.07 on average. Where it computes one kind of matrix wrongly, the largest is
above 2."""
ATTENTION_TOLERANCE = 0.25
"""The tolerance for sums of attention."""
CHOICES = "aeinost?"
"""Tokens whose log-probabilities are compared."""


@dataclass(frozen=True, slots=True)
class KnownLogprobs:
    """A prompt and what follows it."""

    text: str
    """Each character is a token."""
    logprobs: tuple[float, ...]
    """Log-probabilities of `CHOICES`, right after the prompt."""
    reply: tuple[float, ...] = ()
    """Log-probabilities of the reply's tokens. Each is by far the likeliest."""


CONTEXT = (
    "The-quick-brown-fox-jumps-over-the-lazy-dog,reads-what-stands-there:1234567890,"
    "then-runs-home-and-sleeps-until-noon."
)
QUERY = "Who-sleeps-m."
PROMPTS = (
    KnownLogprobs(
        CONTEXT + QUERY,
        (-16.64, -11.99, -11.11, -11.43, -13.53, -9.82, -11.02, -20.36),
        (-0.25, -0.21, -0.09),
    ),
    KnownLogprobs(
        f"{CONTEXT}Who-sleeps-e!",
        (-7.21, -17.86, -8.13, -5.40, -10.29, -7.43, -5.13, -24.17),
        (-0.82, -0.60, -1.05),
    ),
    KnownLogprobs(
        f"{CONTEXT}Who-q?",
        (-13.43, -10.79, -15.29, -7.38, -13.39, -10.40, -12.78, -17.90),
        (-0.75, -0.91, -0.64),
    ),
)
"""Prompts that begin alike and have different lengths."""
PROMPT = PROMPTS[0]
MORE = KnownLogprobs("A", (-9.87, -16.29, -8.03, -9.16, -10.71, -6.01, -10.62, -8.15))
"""What is added to the first prompt."""
READ_LAYERS = (0, 1)
COLUMNS = (0, 7, 31, 64, 99)
"""The tokens whose attention is compared."""
ATTENTION = (
    (8.15, 3.35, 1.44, 0.36, 0.09, 0.16, 0.11, 0.06, 0.04, 0.07),
    (5.53, 4.34, 2.87, 0.45, 0.09, 0.03, 0.56, 0.17, 0.06, 0.08),
)
"""By layer: what they received from the context, then what from the query."""


class Wrong(Exception):
    """llama.cpp computed other numbers."""


def compare(
    where: str,
    found: Sequence[float],
    wanted: Sequence[float],
    tolerance: float = TOLERANCE,
) -> None:
    """Raise `Wrong` where a number is missing, is NaN, or is beyond the tolerance."""
    if len(found) != len(wanted):
        raise Wrong(f"{len(found)} numbers {where} instead of {len(wanted)}")
    for one, other in zip(found, wanted, strict=True):
        if not abs(one - other) <= tolerance:  # written so that NaN is wrong too
            raise Wrong(f"{one:.2f} {where} instead of {other:.2f}")
