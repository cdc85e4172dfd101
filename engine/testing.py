"""For tests of strategies: what every strategy keeps to.

A test file makes a subclass of `StrategyContract` with a name that pytest collects and a fixture
`strategy`. The models are fakes; a test of what makes the strategy special comes beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.answer import answer
from engine.events import Answered, Event
from engine.retrieval.corpus import corpus_of
from engine.retrieval.passages import split
from engine.settings import Budget, Settings
from engine.strategies import registry
from engine.strategies.registry import Strategy
from engine.values import Answer, Query
from ingest.item import Item, Kind, Locator, People
from models.fake import FakeGenerator, Script
from models.roles import ModelSet

QUESTION = "When does the lease of the boathouse end?"
TEXTS = (
    "The lease of the boathouse ends on 31 May 2027.",
    "The boathouse was painted green in March.",
    "Dana brings the cake for the party at the harbour.",
    "The lease of the old office ended long ago.",
)
FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)
SMALL = Budget(400, 400, samples=2, lookahead_share=0, generator_share=0)


def items(texts: Sequence[str] = TEXTS) -> list[Item]:
    """Return a document of each text, the last one the newest."""
    return [
        Item(
            Kind.DOCUMENT,
            f"note {number}",
            FIRST_DAY + timedelta(days=number),
            People(),
            text,
            Locator(Path(f"/notes/{number}.txt")),
        )
        for number, text in enumerate(texts)
    ]


def asked(
    strategy: str,
    texts: Sequence[str] = TEXTS,
    generator: Script = ("It ends on 31 May 2027 [1].",),
    lookahead: Script = ("The lease ends. Answer: 31 May 2027",),
    budget: Budget = SMALL,
) -> tuple[list[Event], FakeGenerator, FakeGenerator]:
    """Ask the question over the texts; return events, generator and look-ahead model.

    `strategy` is what `--strategy` takes. Raises what the strategy raises.
    """
    fakes = {"large": FakeGenerator("large", generator), "small": FakeGenerator("small", lookahead)}
    events = answer(
        Query(QUESTION),
        corpus_of(split(items(texts))),
        ModelSet("small", "large", fakes.__getitem__),
        Settings(strategy=strategy, budget=budget),
    )
    return list(events), fakes["large"], fakes["small"]


def answer_of(events: Sequence[Event]) -> Answer:
    """Return the answer, which the last event holds."""
    last = events[-1]
    assert isinstance(last, Answered)
    return last.answer


class StrategyContract:
    """What every strategy keeps to. It is found by its name, as a person finds it."""

    def test_it_is_frozen_named_and_told_in_a_line(self, strategy: Strategy) -> None:
        assert is_dataclass(strategy)
        assert type(strategy).__dataclass_params__.frozen  # type: ignore[attr-defined]
        assert strategy.name.isidentifier()
        assert strategy.summary
        assert "\n" not in strategy.summary

    def test_it_is_found_by_its_name(self, strategy: Strategy) -> None:
        assert strategy.name in registry.names()
        assert registry.get(strategy.name) == strategy

    def test_its_parameters_are_read_back_as_they_are_shown(self, strategy: Strategy) -> None:
        for field in fields(strategy):
            value = getattr(strategy, field.name)
            if isinstance(value, int):
                changed = replace(strategy, **{field.name: value + 1})
                assert registry.get(registry.described(changed)) == changed

    def test_it_ends_with_an_answer(self, strategy: Strategy) -> None:
        events, _, _ = asked(strategy.name)
        assert answer_of(events).strategy.startswith(strategy.name)
        assert answer_of(events).text

    def test_the_same_comes_twice(self, strategy: Strategy) -> None:
        first, second = (answer_of(asked(strategy.name)[0]) for _ in range(2))
        assert (first.text, first.citations) == (second.text, second.citations)

    def test_it_keeps_within_the_budget(self, strategy: Strategy) -> None:
        many = [f"{text} Number {number}." for number in range(60) for text in TEXTS]
        _, generator, _ = asked(strategy.name, many)
        room = 600  # what instructions and a conversation take beside the passages
        assert all(generator.count(p) <= SMALL.generator_tokens + room for p in generator.prompts)

    def test_nothing_to_read_is_no_answer(self, strategy: Strategy) -> None:
        assert answer_of(asked(strategy.name, ())[0]).grounded == "none"

    def test_closing_it_early_leaves_nothing_behind(self, strategy: Strategy) -> None:
        models = ModelSet("small", "large", FakeGenerator)
        corpus = corpus_of(split(items()))
        settings = Settings(strategy=strategy.name, budget=SMALL)
        events = answer(Query(QUESTION), corpus, models, settings)
        assert next(iter(events)) is not None
        events.close()  # type: ignore[attr-defined]
        with pytest.raises(StopIteration):
            next(iter(events))
