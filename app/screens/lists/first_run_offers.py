"""What the first steps have to offer, and what each of their rows means."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from app.sources.first_steps import PairOffer, pair_offers
from app.sources.known_places import Place, PlaceSize, known_places, size_of

FAR = "mbsync brings a copy here, and Google Takeout another: askance help server-mail."
MEANINGS = {
    "find": "Asks the ports of llama-server, Ollama, LM Studio and vLLM here, once, now.",
    "far": FAR,
    "name": "Any folder, mailbox, calendar, document.",
    "sample": "Sample files ship with Askance; nothing of yours is read.",
    "next": "Sources: {sources}. Models: {models}. These steps again: {first_run}.",
    "ask": "Your files are read when you ask, and nothing is kept of them on disk.",
}
"""By the key of a row."""


@dataclass(frozen=True, slots=True)
class Offers:
    """What there is to choose from."""

    places: list[Place]
    sizes: dict[Path, PlaceSize]
    pairs: list[PairOffer]

    @property
    def has_mail(self) -> bool:
        """Whether a place of mail was found."""
        return any("mail" in place.name.lower() for place in self.places)

    def detail_of(self, key: str) -> str:
        """Say what the row with this key means."""
        if key.startswith("try "):
            return "It is computed from what your files say, without a model. Enter asks it."
        if key.startswith("pair "):
            return self.pairs[int(key.split()[1])].about()
        if size := self.sizes.get(Path(key)):
            return f"{key}: {size.text}\nSpace marks it. It is remembered, and read when you ask."
        return MEANINGS.get(key, f"{key}\nEnter marks it. It is remembered, and read when you ask.")


def offers() -> Offers:
    """Look at what is here; it takes a moment where folders are large."""
    places = known_places(os.environ)
    return Offers(places, {one.path: size_of(one.path) for one in places}, pair_offers())
