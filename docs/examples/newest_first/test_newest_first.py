"""The strategy keeps to what all strategies keep to, and sorts by date."""

from __future__ import annotations

import pytest
from askance_newest_first import NEWEST_FIRST

from engine.strategies.registry import Strategy
from engine.testing import TEXTS, StrategyContract, asked


class TestNewestFirst(StrategyContract):
    @pytest.fixture
    def strategy(self) -> Strategy:
        return NEWEST_FIRST

    def test_the_newest_comes_first(self) -> None:
        _, generator, _ = asked("newest_first")
        prompt = generator.prompts[0]
        assert prompt.index(TEXTS[3]) < prompt.index(TEXTS[0])
        _, generator, _ = asked("newest_first:passages=1")
        assert sum(text in generator.prompts[0] for text in TEXTS) == 1
