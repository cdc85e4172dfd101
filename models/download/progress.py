"""How far a pull is: bytes, rate and time left, as events."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from typing import Literal, TypeVar

Stage = Literal["download", "verify", "done"]
Result = TypeVar("Result")
SETTLED = 1.0
"""Seconds of download before a rate means something."""


@dataclass(frozen=True, slots=True)
class PullProgress:
    """How far a pull is."""

    model: str
    done_bytes: int
    """Bytes of this stage; never falls within it. An estimate while a wheel is under way."""
    total_bytes: int
    stage: Stage
    part: int
    """The wheel or file under way, counted from 1."""
    of: int
    """Wheels or files in all."""
    bytes_per_second: float | None = None
    """Bytes a second of this pull; bytes of earlier ones do not count."""
    seconds_left: float | None = None
    """Seconds until the download ends, at this rate."""
    note: str = ""
    """Why nothing moves, or why the download began again."""


class Meter:
    """Turns counted bytes into progress."""

    def __init__(
        self, model: str, total: int, of: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Count up to `total` bytes in `of` parts."""
        self.total = total
        self.of = of
        self._model = model
        self._clock = clock
        self._most: dict[Stage, int] = {}
        self._began: tuple[float, int] | None = None

    def at(self, stage: Stage, done: int, part: int, note: str = "") -> PullProgress:
        """Return the progress at `done` bytes of the stage."""
        # A wheel may be a little larger than its part: its headers, or nothing to compress.
        most = self._most[stage] = max(self._most.get(stage, 0), min(done, self.total))
        rate = self._rate(most) if stage == "download" else None
        left = (self.total - most) / rate if rate else None
        return PullProgress(self._model, most, self.total, stage, part, self.of, rate, left, note)

    def begin_again(self) -> None:
        """Let the download's count fall, since the server sent the start again."""
        self._most.pop("download", None)
        self._began = None

    def shown(
        self, steps: Generator[int, None, Result], stage: Stage, part: int, base: int = 0
    ) -> Generator[PullProgress, None, Result]:
        """Turn the bytes that `steps` counts, above `base`, into progress; return its result."""
        with closing(steps):
            while True:
                try:
                    done = next(steps)
                except StopIteration as end:
                    result: Result = end.value
                    return result
                yield self.at(stage, base + done, part)

    def _rate(self, done: int) -> float | None:
        if self._began is None:
            self._began = (self._clock(), done)
        seconds = self._clock() - self._began[0]
        fetched = done - self._began[1]
        return fetched / seconds if seconds >= SETTLED and fetched > 0 else None
