"""The generator's part: the answer, and whether the evidence really states it."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Generator as Steps
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from engine.events import Event, Token
from engine.prompting import render, section, show
from engine.values import Passage
from models.protocols import Generator, Sampling

DOUBT_AT_EVEN_ODDS = 3.0
"""Chosen with the starter generator on mail questions that are not reported: the sum of both
signals tells right answers from answers to unanswerable questions better than either alone
(docs/results.md has the figures and the method for another generator)."""
MAX_TOKENS = 128
"""Tokens of an answer: a sentence or two and their markers; a longer one is marked as cut."""


_INTERROGATIVE = re.compile(r"\b(?:who|whom|whose|what|when|where|which|why|how)\b", re.IGNORECASE)
_RELATIVE_TO_NOW = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|now|next|last|latest|recently|currently|coming"
    r"|upcoming|ago|soon|this (?:morning|afternoon|evening|week|weekend|month|quarter|year))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Written:
    """The generator's reply."""

    text: str
    ended: bool
    """False when a limit cut it."""
    doubt: float
    """Log-probability that the reply had begun with "Not", as in "Not found"."""


def check_answer(
    model: Generator, question: str, passages: Sequence[Passage], written: Written
) -> float:
    """Return how sure the model is that the passages state its answer, 0 to 1.

    It is asked so, Yes against No as the first token; the passages' prefill is shared with
    `write`, so this computes the tokens from the question on only. Its odds are joined with
    those of "Not found" at the beginning of the reply, see `DOUBT_AT_EVEN_ODDS`.
    """
    prompt = render(model, "check", passages=show(passages), question=question, answer=written.text)
    yes, no = model.next_token_logprobs(prompt, ("Yes", "No"))
    return 1 / (1 + math.exp(no - yes + written.doubt + DOUBT_AT_EVEN_ODDS))


def asks_several(question: str) -> bool:
    """Say whether a question asks more than one thing.

    Only then are sentences asked for, one for each. A single question is answered in a few words:
    small models answer it worse when they are told of several.
    """
    return len(_INTERROGATIVE.findall(question)) > 1


def _today(question: str, today: date) -> str:
    """Name the date where the question leans on it; small models else take it for an answer.

    Of several things asked one is often when: the date is named there too.
    """
    if not (_RELATIVE_TO_NOW.search(question) or asks_several(question)):
        return ""
    return section("question", "today", date=today.strftime("%A %Y-%m-%d"))


def write(
    model: Generator,
    question: str,
    passages: Sequence[Passage],
    *,
    today: date,
    deadline: float | None,
) -> Steps[Event, None, Written]:
    """Yield the answer's tokens; return it.

    It stops early at `MAX_TOKENS` and at `deadline` (`time.monotonic`).
    """
    prompt = render(
        model,
        "question",
        passages=show(passages),
        question=question,
        today=_today(question, today),
        how=section("question", "several" if asks_several(question) else "one"),
    )
    text, ended, doubt = "", False, 0.0
    pieces = model.sample(
        prompt, max_tokens=MAX_TOKENS, sampling=Sampling(), stop=("\n\n",), watch=("Not",)
    )
    for piece in pieces:
        if piece.watched:
            doubt = piece.watched[0]
        text += piece.text
        ended = piece.finished == "stop"
        if piece.text:
            yield Token(piece.text)
        if deadline is not None and time.monotonic() > deadline and not piece.finished:
            break
    return Written(text.strip(), ended, doubt)
