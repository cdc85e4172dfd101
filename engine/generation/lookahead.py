"""Draws K samples of rationale and answer from the small model (FB-RAG section 2.2, stage II)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.events import Sampled, Steps
from engine.prompts.tasks import REASONING_TOKENS, Task
from engine.stages import is_past
from engine.values import Passage
from models.protocols import GenerationRequest, Generator, Piece, Sampling

Form = Literal["reasoning", "thought", "explanation", "answers"]
"""What a sample consists of: an answer after reasoning (the paper's), after a thought process,
before an explanation, or alone (FB-RAG, table 8). Each is a section of the task's prompts."""
TEMPERATURE = 0.7
"""The paper gives none."""
STOP = ("\n\n\n", "\nQuestion:")
"""Not a blank line: models often put one between rationale and answer."""

_ANSWER = re.compile(r"\bAnswer\s*:\s*", re.IGNORECASE)
_EXPLANATION = re.compile(r"\bExplanation\s*:\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample. A reply without the asked form is all rationale."""

    rationale: str
    answer: str

    @property
    def text(self) -> str:
        """The text from which the forward score is computed."""
        return f"{self.rationale} {self.answer}".strip()


@dataclass(frozen=True, slots=True)
class Drawing:
    """How samples are drawn."""

    samples: int
    """K."""
    seed: int
    form: Form = "reasoning"
    temperature: float = TEMPERATURE


def parse(reply: str, form: Form = "reasoning") -> Sample:
    """Split a reply at its first `Answer:`. A reply without one still counts as text."""
    if form in ("explanation", "answers"):
        answer, *rest = _EXPLANATION.split(reply, maxsplit=1)
        return Sample(rest[0].strip() if rest else "", answer.strip())
    rationale, *rest = _ANSWER.split(reply, maxsplit=1)
    return Sample(rationale.strip(), rest[0].strip() if rest else "")


def look_ahead(
    model: Generator,
    task: Task,
    question: str,
    passages: Sequence[Passage],
    drawing: Drawing,
    *,
    deadline: float | None = None,
    draw: Callable[[GenerationRequest], Iterator[Piece]] | None = None,
) -> Steps[list[Sample]]:
    """Yield each sample when it is complete; return all, in sequence order.

    The prompt is prefilled once and shared by all samples. At `deadline` (`time.monotonic`) the
    samples are used as far as they were written. `draw` is used instead of the model's `sample`.
    """
    prompt = task.prompt(model, drawing.form, question, passages)
    replies = [""] * drawing.samples
    request = GenerationRequest(
        (prompt,),
        max_tokens=task.sample_tokens + (0 if drawing.form == "answers" else REASONING_TOKENS),
        sampling=Sampling(drawing.temperature, top_p=0.9, top_k=50, seed=drawing.seed),
        n=drawing.samples,
        stop=STOP,
    )
    pieces = (draw or model.sample)(request)
    for piece in pieces:
        replies[piece.index] += piece.text
        if piece.finished:
            sample = parse(replies[piece.index], drawing.form)
            yield Sampled(piece.index, sample.rationale, sample.answer)
        if is_past(deadline):
            break
    return [parse(reply, drawing.form) for reply in replies]
