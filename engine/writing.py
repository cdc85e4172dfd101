"""The generator's part: the answer, and whether the evidence really states it."""

from __future__ import annotations

import math
import time
from collections.abc import Generator as Steps
from collections.abc import Sequence
from datetime import date

from engine.events import Event, Token
from engine.prompting import render, show
from engine.values import Passage
from models.protocols import Generator, Sampling

MAX_TOKENS = 96
"""Tokens of an answer: one sentence and its markers; a longer one is marked as cut."""


def check_answer(model: Generator, question: str, passages: Sequence[Passage], text: str) -> float:
    """Return the model's probability that the passages state the answer, 0 to 1.

    Yes against No as the first token of its reply; the passages' prefill is shared with
    `write`, so this computes the tokens from the question on only.
    """
    prompt = render(model, "check", passages=show(passages), question=question, answer=text)
    yes, no = model.next_token_logprobs(prompt, ("Yes", "No"))
    return 1 / (1 + math.exp(no - yes))


def write(
    model: Generator,
    question: str,
    passages: Sequence[Passage],
    *,
    today: date,
    deadline: float | None,
) -> Steps[Event, None, tuple[str, bool]]:
    """Yield the answer's tokens; return its text and whether it came to its own end.

    It stops early at `MAX_TOKENS` and at `deadline` (`time.monotonic`).
    """
    prompt = render(
        model,
        "question",
        passages=show(passages),
        question=question,
        today=today.strftime("%A %Y-%m-%d"),
    )
    text, ended = "", False
    pieces = model.sample(prompt, max_tokens=MAX_TOKENS, sampling=Sampling(), stop=("\n",))
    for piece in pieces:
        text += piece.text
        ended = piece.finished == "stop"
        if piece.text:
            yield Token(piece.text)
        if deadline is not None and time.monotonic() > deadline and not piece.finished:
            break
    return text.strip(), ended
