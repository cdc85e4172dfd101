"""What the first steps offer: places that exist, and pairs of models for this machine."""

from __future__ import annotations

import os
from dataclasses import dataclass

from app.local_models.loader import known_models
from app.local_models.recommendation import recommended
from app.output.report import size_text
from models.store.catalogue import ModelRow
from models.store.estimate import CONTEXT, estimate_row
from models.store.store import Store


@dataclass(frozen=True, slots=True)
class PairOffer:
    """Two models that can be fetched together, with what serves any pair."""

    title: str
    """Why it is offered."""
    lookahead: ModelRow
    generator: ModelRow
    store: Store
    beside: tuple[ModelRow, ...] = ()
    """What is fetched with any pair."""

    @property
    def missing(self) -> list[ModelRow]:
        """The models of the pair that are still to be fetched."""
        return [row for row in self.rows if self.store.state(row) != "present"]

    @property
    def rows(self) -> list[ModelRow]:
        """All of them, each once."""
        return list(dict.fromkeys((self.lookahead, self.generator, *self.beside)))

    def about(self) -> str:
        """Say what it is and what it costs."""
        found = [estimate_row(row, self.store, CONTEXT) for row in self.rows]
        needed = sum(one.needed for one in found if one)
        fetch = sum(row.total_size for row in self.missing)
        cost = f"{size_text(fetch)} to fetch" if fetch else "all are here"
        measured = all(row.verified for row in self.rows)
        unseen = "" if measured else "\nTheir answers have not been measured yet."
        return (
            f"{self.generator.title} writes, {self.lookahead.title} reads ahead.\n"
            f"{cost}; they take about {size_text(needed)} of memory.{unseen}"
        )


def pair_offers() -> list[PairOffer]:
    """Return the pairs to choose from: the verified one, and the one for this machine.

    Imports llama.cpp, half a second. Raises as `known_models` does.
    """
    catalogue, store = known_models(os.environ)
    found, _ = recommended(catalogue, store)
    starter = catalogue.default("lookahead"), catalogue.default("generator")
    beside = tuple(row for row in catalogue.starter() if row not in starter)
    offers = [PairOffer("verified and small", *starter, store, beside)]
    best = PairOffer(f"for {found.reason}", found.lookahead, found.generator, store, beside)
    if best.rows != offers[0].rows:
        offers.append(best)
    return offers


@dataclass(frozen=True, slots=True)
class ServerOffer:
    """A model server that answers on this machine."""

    url: str
    text: str
    """What a row says of it."""


def servers_to_use() -> list[ServerOffer]:
    """Look for model servers on this machine, and return those that have a model."""
    from models.server.find import servers_here  # the door to a network: shut until asked

    return [
        ServerOffer(found.address.url, f"Use {found.served.kind} here: {found.served.model}")
        for found in servers_here()
        if found.served is not None
    ]
