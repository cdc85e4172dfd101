"""Stages of a question: their events, and the seconds they take."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from engine.errors import TimeSpent
from engine.events import Event, Provisional, Stage, StageName, Steps, Token

P = ParamSpec("P")
T = TypeVar("T")


@dataclass
class Timings:
    """Seconds by stage, in the order the stages began."""

    began: float = field(default_factory=time.monotonic)
    seconds: dict[str, float] = field(default_factory=dict)

    def lend(self, name: str, seconds: float) -> None:
        """Count seconds that another strategy spent on samples which this one takes over."""
        self.add(name, seconds)
        self.began -= seconds

    def add(self, name: str, seconds: float) -> None:
        """Add to a stage."""
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds

    def forget(self, name: str) -> None:
        """Drop a stage, such as a first token that nobody was shown."""
        self.seconds.pop(name, None)

    def elapsed(self) -> float:
        """Return seconds since the question was asked."""
        return time.monotonic() - self.began


def staged(name: StageName, timings: Timings, body: Steps[T]) -> Steps[T]:
    """Run a step between its `Stage` events and time it."""
    yield Stage(name, "started")
    began = time.monotonic()
    result = yield from body
    seconds = time.monotonic() - began
    timings.add(name, seconds)
    yield Stage(name, "done", seconds)
    return result


class Timed(Protocol):
    """What keeps the seconds of a question."""

    @property
    def timings(self) -> Timings:
        """Seconds by stage."""
        ...


Of = TypeVar("Of", bound=Timed)


def stage(
    name: StageName,
) -> Callable[
    [Callable[Concatenate[Of, P], Steps[T]]],
    Callable[Concatenate[Of, P], Steps[T]],
]:
    """Make a step a stage, timed by its first argument; it then runs as `staged` runs a body."""

    def decorate(
        step: Callable[Concatenate[Of, P], Steps[T]],
    ) -> Callable[Concatenate[Of, P], Steps[T]]:
        @wraps(step)
        def run(of: Of, /, *args: P.args, **kwargs: P.kwargs) -> Steps[T]:
            return staged(name, of.timings, step(of, *args, **kwargs))

        return run

    return decorate


def passed(body: Steps[T], lets: Callable[[Event], bool]) -> Steps[T]:
    """Pass on the events that `lets` lets through, and return what the step returns."""
    while True:
        try:
            event = next(body)
        except StopIteration as stop:
            result: T = stop.value
            return result
        if lets(event):
            yield event


def unseen(body: Steps[T]) -> Steps[T]:
    """Pass all events on but tokens: text written on the way is not the answer."""
    return passed(body, lambda event: not isinstance(event, Token))


def untold(timings: Timings, body: Steps[T]) -> Steps[T]:
    """Pass all events on but tokens and provisional answers: what may be taken back is not shown.

    No token of it is timed as the first one.
    """
    result = yield from passed(body, lambda event: not isinstance(event, Token | Provisional))
    timings.forget("first_token")
    return result


def first_token_timed(timings: Timings, body: Steps[T]) -> Steps[T]:
    """Pass all events on, and time the first token of the answer from the question on."""

    def note(event: Event) -> bool:
        if isinstance(event, Token) and "first_token" not in timings.seconds:
            timings.add("first_token", timings.elapsed())
        return True

    return passed(body, note)


def is_past(due: float | None) -> bool:
    """Say whether a moment by `time.monotonic` is past; None never comes."""
    return due is not None and time.monotonic() > due


def time_spent(timings: Timings) -> TimeSpent:
    """Return the error that says how long it took and what to do."""
    return TimeSpent(
        f"The time budget was spent after {timings.elapsed():.0f} s, before an answer was written.",
        remedy="Give a longer --time-budget, or use --effort quick.",
    )
