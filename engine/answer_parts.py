"""Parts of an answer that hold no text of a file: its citations, its models and their tokens.

They are what a conversation keeps, and what a follow-up is about.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ingest.item import Item, Kind, Locator


@dataclass(frozen=True, slots=True)
class Cited:
    """What is left of a citation when the texts that were read are gone."""

    id: int
    """The integer of the marker `[id]`."""
    kind: Kind
    title: str
    locator: Locator
    """Of the quote: page and line are those on which it begins."""
    start: int
    """Code point offset of the quote in the item's text."""
    end: int
    when: datetime | None
    people: tuple[str, ...]
    """Names, else addresses, of who wrote it and whom it addresses, the writers first."""
    quote: str
    how: str
    """"model" or "matched", as in `engine.values.Citation`."""
    support: bool

    @property
    def identity(self) -> tuple[object, ...]:
        """What tells its item from others."""
        return _identity(self.locator)

    def is_of(self, item: Item) -> bool:
        """Say whether this item, read now, is the one that was cited, as far as that is known."""
        pairs = zip(self.identity, _identity(item.locator), strict=True)
        return item.kind is self.kind and all(then in (None, now) for then, now in pairs)


def _identity(place: Locator) -> tuple[object, ...]:
    """Return what tells an item from others; a mail that moved within its file is the same."""
    ids = (place.message_id, place.part, place.uid, place.occurrence, place.member, place.sheet)
    return (place.path, *ids)


@dataclass(frozen=True, slots=True)
class ModelTokens:
    """Tokens one model handled for this answer."""

    prompt: int = 0
    """Input tokens over all calls, cached or not (effective context length)."""
    computed: int = 0
    generated: int = 0
    calls: int = 0
    """Prompts, of batches each one."""

    def __add__(self, other: ModelTokens) -> ModelTokens:
        """Return both together."""
        return ModelTokens(
            self.prompt + other.prompt,
            self.computed + other.computed,
            self.generated + other.generated,
            self.calls + other.calls,
        )


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens by role."""

    lookahead: ModelTokens = ModelTokens()
    generator: ModelTokens = ModelTokens()
    encoder: ModelTokens = ModelTokens()
    sparse_encoder: ModelTokens = ModelTokens()

    @property
    def effective_context(self) -> int:
        """Input tokens of both language models over all calls (Inference scaling section 3.1)."""
        return self.lookahead.prompt + self.generator.prompt


@dataclass(frozen=True, slots=True)
class ModelIds:
    """Catalogue ids of the models that took part; None where a role was not used."""

    lookahead: str | None = None
    generator: str | None = None
    encoder: str | None = None
    sparse_encoder: str | None = None
