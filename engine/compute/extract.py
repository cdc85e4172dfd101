"""Amounts that texts state, which the look-ahead model chooses among those in the text.

It can only choose: every value is literally in its item. An item without a number is not asked.
Of each item one passage is read and so many amounts are offered; which hold more is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.compute.table import Extracted, ItemValue
from engine.compute.units import FoundAmount, amounts
from engine.language.tokens import content_words, words
from engine.plan import Sought
from engine.prompts.templates import render, show
from engine.retrieval.passages import split_item
from engine.values import Passage
from ingest.item import Item
from models.protocols import Choices, GenerationRequest, Generator

Readable = Callable[[Passage], Passage | None]

NONE = "none"
CANDIDATES = 24
VALUE_TOKENS = 24


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An amount and its place in an item."""

    text: str
    found: FoundAmount
    start: int


def extracted(
    model: Generator, items: Sequence[Item], sought: Sought, readable: Readable
) -> Extracted:
    """Return the amount that each item states, for those that state one.

    `readable` returns what the model may read of a passage, or None.
    """
    values: list[ItemValue] = []
    in_part: list[Item] = []
    for item in items:
        passages = (one for one in split_item(item) if any(amounts(one.text)))
        left = (one for one in map(readable, passages) if one is not None)
        stating = [one for one in left if any(amounts(one.text))]
        if not stating:
            continue
        passage = _likeliest(stating, sought)
        candidates = _candidates(passage)
        if len(stating) > 1 or len(candidates) > CANDIDATES:
            in_part.append(item)
        chosen = _chosen(model, passage, candidates[:CANDIDATES], sought)
        if chosen is not None:
            end = chosen.start + len(chosen.text)
            values.append(ItemValue(item, chosen.found.quantity, chosen.text, chosen.start, end))
    return Extracted(tuple(values), tuple(in_part))


def _likeliest(stating: Sequence[Passage], sought: Sought) -> Passage:
    """Return the passage that shares most words with what is sought."""
    wanted = set(content_words(sought.words))

    def key(passage: Passage) -> tuple[int, int]:
        units = sum(bool(one.quantity.unit) for one in amounts(passage.text))
        return len(wanted & set(words(passage.text))), units

    return max(stating, key=key)


def _candidates(passage: Passage) -> list[_Candidate]:
    """Return the amounts of a passage, those with a unit first, none twice."""
    found: dict[str, _Candidate] = {}
    for one in sorted(amounts(passage.text), key=lambda one: not one.quantity.unit):
        text = passage.text[one.start : one.end]
        found.setdefault(text, _Candidate(text, one, passage.place(one.start)))
    return list(found.values())


def _chosen(
    model: Generator, passage: Passage, candidates: Sequence[_Candidate], sought: Sought
) -> _Candidate | None:
    texts = [one.text for one in candidates]
    prompt = render(
        model,
        "extract",
        passages=show([passage]),
        sought=sought.words,
        candidates="\n".join([*texts, NONE]),
    )
    pieces = model.sample(
        GenerationRequest((prompt,), max_tokens=VALUE_TOKENS, constraint=Choices((*texts, NONE)))
    )
    reply = "".join(piece.text for piece in pieces).strip()
    return next((one for one in candidates if one.text == reply), None)
