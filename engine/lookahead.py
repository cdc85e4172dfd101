"""Draws K samples of rationale and answer from the small model (FB-RAG section 3, stage II)."""

from __future__ import annotations

import re
import time
from collections.abc import Generator as Steps
from collections.abc import Sequence
from dataclasses import dataclass

from engine.events import Event, Sampled
from engine.prompting import render, show
from engine.values import Passage
from models.protocols import Generator, Sampling

MAX_TOKENS = 96
"""32 for a short answer (LongBench's limit) plus 64 for its rationale."""
TEMPERATURE = 0.7

_ANSWER = re.compile(r"\bAnswer\s*:\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample; without the asked form the whole of it is the rationale."""

    rationale: str
    answer: str

    @property
    def text(self) -> str:
        """The words the forward score is computed from."""
        return f"{self.rationale} {self.answer}".strip()


def parse(reply: str) -> Sample:
    """Split a reply at its first `Answer:`. A reply without one still counts as text."""
    rationale, *rest = _ANSWER.split(reply, maxsplit=1)
    return Sample(rationale.strip(), rest[0].strip() if rest else "")


def look_ahead(
    model: Generator,
    question: str,
    passages: Sequence[Passage],
    *,
    samples: int,
    seed: int,
    deadline: float | None = None,
) -> Steps[Event, None, list[Sample]]:
    """Yield each sample when it is complete; return all, in sequence order.

    The prompt is prefilled once and shared by all samples. At `deadline` (`time.monotonic`)
    they are used as far as they have come.
    """
    prompt = render(model, "lookahead", passages=show(passages), question=question)
    sampling = Sampling(temperature=TEMPERATURE, top_p=0.9, top_k=50, seed=seed)
    replies = [""] * samples
    pieces = model.sample(
        prompt, n=samples, max_tokens=MAX_TOKENS, sampling=sampling, stop=("\n\n\n", "\nQuestion:")
    )
    for piece in pieces:
        replies[piece.index] += piece.text
        if piece.finished:
            sample = parse(replies[piece.index])
            yield Sampled(piece.index, sample.rationale, sample.answer)
        if deadline is not None and time.monotonic() > deadline:
            break
    return [parse(reply) for reply in replies]
