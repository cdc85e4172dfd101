"""A corpus so small that scores can be worked out by hand, and a question over it.

All passages have four terms (title included), so a term that occurs once weighs
idf / (1 + 1.5) = 0.4 idf, with idf = ln(1 + (N - n + 0.5) / (n + 0.5)) and N = 4:
n = 1: 0.481589, n = 2: 0.277259, n = 3: 0.142670.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.answer import answer
from engine.events import Answered, Event
from engine.retrieval.corpus import corpus_of
from engine.retrieval.passages import split
from engine.settings import Budget, Settings
from engine.values import Answer, Query
from models.encoder import Encoded
from models.protocols import TokenCount
from models.roles import ModelSet
from tests.support.builders import documents

TEXTS = ("alder birch cedar", "alder birch dogwood", "alder elm fir", "ginkgo hazel ivy")
QUESTION = "fir elm alder birch"
"""Scores 2: 2 * 0.481589 + 0.142670; 0 and 1: 0.142670 + 0.277259; 3: nothing."""
TWO_PASSAGES = 60
"""A passage costs its three words and 24 tokens of heading."""
BUDGET = Budget(TWO_PASSAGES, TWO_PASSAGES, samples=2, lookahead_share=0, generator_share=0)

Replies = Sequence[str] | Callable[[str, int], str]


class FakeEncoder:
    """A `models.encoder.Encoder` with two dimensions: liking the question, and not."""

    id = "e"
    context = 512
    dimensions = 2
    closed = False

    def __init__(self, alone: dict[str, float], conditioned: dict[str, float]) -> None:
        """Keep the cosine of each text and the question, 1 for the question itself."""
        self.usage = TokenCount()
        self.calls: list[str] = []
        self._alone = alone
        self._conditioned = conditioned

    def count(self, text: str) -> int:
        return len(text.split())

    def _encoded(self, texts: Sequence[str], liked: dict[str, float]) -> Encoded:
        self.usage.prompt += sum(map(self.count, texts))
        known = {QUESTION: 1.0} | liked
        cosines = np.array(
            [next((c for part, c in known.items() if part in text), 1.0) for text in texts]
        )
        vectors = np.stack([cosines, np.sqrt(1 - cosines**2)], axis=1).astype(np.float32)
        return Encoded(vectors, np.zeros(len(texts), np.int64))

    def encode(self, texts: Sequence[str], **_: Any) -> Encoded:
        self.calls.append("encode")
        return self._encoded(texts, self._alone)

    def encode_conditioned(self, pairs: Sequence[tuple[str, str]], **_: Any) -> Encoded:
        self.calls.append("encode_conditioned")
        assert not pairs[0][0]
        assert all(prefix == pairs[0][1] for prefix, _ in pairs[1:])
        return self._encoded([text for _, text in pairs], self._conditioned)

    def close(self) -> None:
        """Nothing is held."""


@dataclass
class Run:
    """What came of a question."""

    events: list[Event]
    generator: Any
    lookahead: Any
    answer: Answer = field(init=False)

    def __post_init__(self) -> None:
        last = self.events[-1]
        assert isinstance(last, Answered)
        self.answer = last.answer

    def all(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    def prompt(self, number: int = -1) -> list[str]:
        """Return which texts a prompt of the generator holds, in its order."""
        prompt = self.generator.prompts[number]
        return sorted((text for text in TEXTS if text in prompt), key=prompt.index)


def asking(fake_generator: Any) -> Callable[..., Run]:
    """Return what asks the question with a strategy and the models' replies."""

    def ask(
        strategy: str,
        generator: Replies = ("Ann Lee",),
        lookahead: Replies = ("",),
        budget: Budget = BUDGET,
        task: str = "multihop",
        encoder: FakeEncoder | None = None,
        texts: Sequence[str] = TEXTS,
        **settings: Any,
    ) -> Run:
        items = documents(texts, "tree")
        models = {"g": fake_generator("g", generator), "l": fake_generator("l", lookahead)}
        events = answer(
            Query(QUESTION, task=task),
            corpus_of(split(items)),
            ModelSet(
                "l",
                "g",
                models.__getitem__,
                encoder="e" if encoder else None,
                load_encoder=lambda _: encoder,  # type: ignore[arg-type, return-value]
            ),
            Settings(strategy=strategy, budget=budget, **settings),
        )
        return Run(list(events), models["g"], models["l"])

    return ask


def texts(passages: Sequence[Any]) -> list[str]:
    return [passage.text for passage in passages]
