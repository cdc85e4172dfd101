"""A second opinion on citations: the look-ahead model says whether a source states a sentence.

Words, numbers and names can all be there and the sentence still be wrong: who did it to whom,
"not". A small model sees some of that, and doubts right sentences too; its precision is in
`docs/privacy.md`. So it takes no citation away, it only says what it doubts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.checking.draft_sentences import MARKER, split_sentences
from engine.language.addresses import with_short_addresses
from engine.prompts.templates import render, show
from engine.values import Answer, Passage, Unsupported
from models.protocols import Generator

LEAST = 0.5
"""Probability of Yes below which a sentence is doubted."""


def likely(model: Generator, sentence: str, passages: Sequence[Passage]) -> float:
    """Return how likely the model takes the passages to state the sentence, 0 to 1."""
    prompt = render(
        model, "entail", passages=show(passages), statement=with_short_addresses(sentence)
    )
    yes, no = model.next_token_logprobs(prompt, ("Yes", "No"))
    return 1 / (1 + math.exp(no - yes))


def with_doubts(model: Generator, answer: Answer) -> Answer:
    """Return the answer with the cited sentences that the model doubts; then it is "partial"."""
    doubted = [
        Unsupported(sentence, is_doubted=True)
        for sentence, passages in _cited(answer)
        if likely(model, sentence, passages) < LEAST
    ]
    if not doubted:
        return answer
    grounded = "partial" if answer.grounded == "grounded" else answer.grounded
    return replace(answer, grounded=grounded, unsupported=(*answer.unsupported, *doubted))


def _cited(answer: Answer) -> Iterator[tuple[str, list[Passage]]]:
    """Yield each cited sentence without its markers, and the passages it is cited from."""
    passages = {citation.id: citation.passage for citation in answer.citations}
    for line in answer.text.splitlines():
        for sentence in split_sentences(line, list(passages.values())):
            ids = [int(n) for match in MARKER.finditer(sentence) for n in match[1].split(",")]
            if sources := [passages[n] for n in dict.fromkeys(ids) if n in passages]:
                yield MARKER.sub("", sentence).strip(), sources
