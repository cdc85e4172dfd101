"""A citation without its text: what a conversation keeps, and what a follow-up is about."""

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
