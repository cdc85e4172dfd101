"""What reads attention in tests: every token gets what the test wrote for its word.

A token is a word with the blanks before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from engine.answer import answer
from engine.events import Answered, Event
from engine.retrieval.corpus import corpus_of
from engine.retrieval.passages import split
from engine.settings import Budget, Settings
from engine.values import Answer, Passage, Query
from ingest.item import Item
from models.errors import ContextExceeded, RuntimeFailed
from models.protocols import (
    AttentionColumns,
    Cancelled,
    Piece,
    Stopped,
    TokenCount,
)
from models.roles import ModelSet
from tests.support.builders import document

LEASE = "The lease is signed. It ends in May. The roof is red. Berta owns the boat."
CLUB = "The club meets on Friday. Tomas has the keys."
QUESTION = "Who has the keys of the club?"
ROOM = Budget(500, 500, 2, 0, 0)
_TOKEN = re.compile(r"\s*\S+|\s+$")

Ask = Callable[..., tuple[list[Event], Answer, Any]]


class FakeReader:
    """An `AttentionReader` whose tokens are words and whose query attends to chosen words."""

    id = "l"
    layers = 4

    def __init__(
        self,
        liked: Mapping[str, float],
        context: int = 1000,
        heard: Mapping[str, float] | None = None,
    ) -> None:
        """`liked`: what the query's two rows together give a word; other words get 0.

        `heard`: what all rows of the context give it.
        """
        self.context = context
        self.usage = TokenCount()
        self.closed = False
        self.contexts: list[str] = []
        self.asked: list[tuple[int, ...]] = []
        self._liked = liked
        self._heard = heard or {}

    def count(self, text: str) -> int:
        return len(_TOKEN.findall(text))

    def read(
        self, context: str, query: str, *, layers: Sequence[int], stopped: Stopped | None = None
    ) -> AttentionColumns:
        tokens = list(_TOKEN.finditer(context))
        if len(tokens) + self.count(query) > self.context:
            raise ContextExceeded("too long", remedy="")
        if stopped is not None and stopped():
            raise Cancelled
        self.contexts.append(context)
        self.asked.append(tuple(layers))
        self.usage.prompt += len(tokens)
        self.usage.calls += 1
        words = [token[0].strip(" .\n") for token in tokens]
        shape = (len(layers), len(tokens))
        return AttentionColumns(
            layers=tuple(layers),
            context_sums=np.broadcast_to([self._heard.get(word, 0.0) for word in words], shape),
            query_sums=np.broadcast_to([self._liked.get(word, 0.0) for word in words], shape),
            query_tokens=2,
            spans=np.array([token.span() for token in tokens], dtype=np.int64),
        )

    def close(self) -> None:
        self.closed = True


def unreadable(model_id: str) -> Any:
    """Load nothing: the model shows no attention."""
    raise RuntimeFailed(f"A server shows no attention of {model_id}.", remedy="")


def items(*texts: str) -> list[Item]:
    """Return documents of these texts."""
    return [document(text, f"club note {i}", path=f"/{i}") for i, text in enumerate(texts)]


def passages_of(*texts: str) -> list[Passage]:
    """Return each text as a passage."""
    return [Passage(item, 0, len(item.text)) for item in items(*texts)]


def only(events: Sequence[Event], kind: type[Any]) -> Any:
    """Return the one event of a kind."""
    found = [event for event in events if isinstance(event, kind)]
    assert len(found) == 1
    return found[0]


def asking(fake_generator: Any) -> Ask:
    """Return what asks `QUESTION` over texts, the lease and the club without any."""

    def run(
        strategy: str,
        load_attention: Callable[[str], Any] | None,
        *texts: str,
        load_attentive: Callable[[str], Any] | None = None,
        reaction_layer: int | None = None,
        encoder: Any = None,
        budget: Budget = ROOM,
        reply: str = "Tomas [1]",
        **settings: Any,
    ) -> tuple[list[Event], Answer, Any]:
        models = {"g": fake_generator("g", [reply]), "l": fake_generator("l", ["Tomas."])}
        chosen = ModelSet(
            *("l", "g", models.__getitem__),
            encoder="e" if encoder else None,
            load_encoder=lambda _: encoder,
            load_attention=load_attention,
            load_attentive=load_attentive,
            reaction_layer=reaction_layer,
        )
        events = list(
            answer(
                Query(QUESTION),
                corpus_of(split(items(*(texts or (LEASE, CLUB))))),
                chosen,
                Settings(strategy=strategy, budget=budget, **settings),
            )
        )
        last = events[-1]
        assert isinstance(last, Answered)
        return events, last.answer, models["g"]

    return run


def attending(fake_generator: Any) -> Callable[[Mapping[str, float]], Any]:
    """Return what makes look-ahead models that show attention to chosen words."""

    class Attentive(fake_generator):  # type: ignore[misc]
        layers = 4
        liked: Mapping[str, float]
        read: list[tuple[str, str, tuple[int, ...]]]

        def sample_and_read(
            self, request: Any, *, until: int, layers: tuple[int, ...]
        ) -> Iterator[Piece]:
            [prompt] = request.prompts
            context, query = prompt[:until], prompt[until:]
            self.read.append((context, query, layers))
            columns = FakeReader(self.liked, 10_000).read(context, query, layers=layers)
            yield Piece(0, "", columns=columns)
            yield from self.sample(request)

    def make(liked: Mapping[str, float]) -> Any:
        model = Attentive("l", ["Rationale. Answer: Tomas"])
        model.liked, model.read = liked, []
        return model

    return make
