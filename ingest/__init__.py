"""Reads a person's files, read-only, when asked. Knows formats, not questions."""

from ingest.item import Filters, Item, Kind, Locator, People, Person, Reason, Skipped, Tally
from ingest.read import Reading, read

__all__ = [
    "Filters",
    "Item",
    "Kind",
    "Locator",
    "People",
    "Person",
    "Reading",
    "Reason",
    "Skipped",
    "Tally",
    "read",
]
