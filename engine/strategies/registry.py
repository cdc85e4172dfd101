"""Every strategy that is built, one row each."""

from __future__ import annotations

from collections.abc import Generator as Steps
from typing import Protocol

from engine.errors import StrategyUnknown
from engine.events import Event
from engine.steps import Draft, Toolbox
from engine.strategies.baselines import OrderPreserving, Vanilla
from engine.strategies.fb_rag import FBRag


class Strategy(Protocol):
    """A way from a question and a corpus to a draft. `run` reads like its paper."""

    @property
    def name(self) -> str:
        """What `--strategy` calls it."""

    @property
    def summary(self) -> str:
        """One line for people."""

    def run(self, tools: Toolbox) -> Steps[Event, None, Draft]:
        """Yield events; return the draft."""


STRATEGIES: tuple[Strategy, ...] = (FBRag(), Vanilla(), OrderPreserving())

AUTO = "fb_rag"
"""What `auto` stands for until it composes strategies itself."""


def names() -> tuple[str, ...]:
    """Return every name `--strategy` takes."""
    return ("auto", *(strategy.name for strategy in STRATEGIES))


def get(name: str) -> Strategy:
    """Return a strategy. Raises `StrategyUnknown` with the list of those that are built."""
    wanted = AUTO if name == "auto" else name
    for strategy in STRATEGIES:
        if strategy.name == wanted:
            return strategy
    raise StrategyUnknown(
        f"There is no strategy {name!r}.", remedy=f"Built so far: {', '.join(names())}."
    )
