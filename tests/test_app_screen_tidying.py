"""Garbage is collected while nobody waits for the screen."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from app.screens import garbage as tidying
from app.screens.garbage import EVERY_SECONDS, IDLE_SECONDS, MOST_ANSWERS, NEVER, Tidying


class Clock:
    """Time as the test says."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(tidying, "time", clock)
    return clock


@pytest.fixture
def collected(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    usual, found = gc.get_threshold(), list[int]()
    monkeypatch.setattr(tidying.gc, "collect", lambda: found.append(1))
    yield found
    assert gc.get_threshold() == usual


def test_nothing_is_collected_while_somebody_types_or_waits(
    clock: Clock, collected: list[int]
) -> None:
    tidy = Tidying()
    tidy.begin()
    assert gc.get_threshold()[2] == NEVER
    clock.now += EVERY_SECONDS + 1
    tidy.touch()
    assert not tidy.tidy(busy=False)
    clock.now += IDLE_SECONDS + 1
    assert not tidy.tidy(busy=True)
    assert tidy.tidy(busy=False)
    clock.now += EVERY_SECONDS + 1
    assert not tidy.tidy(busy=False)  # nobody did anything since
    assert collected == [1]
    tidy.end()


def test_many_answers_without_a_pause_do_not_fill_the_memory(
    clock: Clock, collected: list[int]
) -> None:
    tidy = Tidying()
    tidy.begin()
    for _ in range(2 * MOST_ANSWERS):
        tidy.answered()
    assert collected == [1, 1]
    tidy.end()
