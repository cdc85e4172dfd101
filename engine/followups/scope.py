"""Reads again only what a follow-up is about: "that mail" is one item, not a search for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.answer_parts import Cited
from engine.question.inferred_filters import items_of
from engine.retrieval.corpus import Corpus, only
from ingest.item import Filters, Item


def scoped(filters: Filters | None, scope: Sequence[Cited]) -> Filters | None:
    """Return the filters with the files of the scope added: no others are opened."""
    if not scope:
        return filters
    paths = tuple(dict.fromkeys(cited.locator.path for cited in scope))
    return replace(filters or Filters(), paths=paths)


def within(corpus: Corpus, scope: Sequence[Cited]) -> Corpus:
    """Return the corpus with the items of the scope alone; they are gone where nothing is left."""
    if not scope:
        return corpus
    return only(corpus, [item for item in items_of(corpus) if _meant(item, scope)])


def _meant(item: Item, scope: Sequence[Cited]) -> bool:
    return any(cited.is_of(item) for cited in scope)
