"""Collects garbage while nobody waits for the screen.

A full collection goes through every object there is: 70 ms with the modules, 190 ms with 50,000
sources listed. Python starts one whenever it likes, often between two keys. Here it comes when
nothing was pressed for a while and no question is being answered; the small ones, of what was made
just now, go on by themselves.
"""

from __future__ import annotations

import gc
import time

IDLE_SECONDS = 2.0
EVERY_SECONDS = 30.0
"""Between two collections, however idle the person is."""
MOST_ANSWERS = 10
"""After so many there is a collection even where somebody asks without a pause."""
NEVER = 1 << 30


class Tidying:
    """What changes the collector, for as long as the screen is there."""

    def __init__(self) -> None:
        """Leave everything as it is."""
        self._usual = gc.get_threshold()
        self._touched = self._tidied = 0.0
        self._answers = 0

    def begin(self) -> None:
        """Start no full collection by itself, and never look at what is there already."""
        young, middle, _ = self._usual
        gc.freeze()
        gc.set_threshold(young, middle, NEVER)
        self._tidied = time.monotonic()

    def end(self) -> None:
        """Let Python collect as it does."""
        gc.set_threshold(*self._usual)

    def touch(self) -> None:
        """Note that somebody is there."""
        self._touched = time.monotonic()

    def tidy(self, *, busy: bool) -> bool:
        """Collect everything if nobody waits, and say whether that was done."""
        now = time.monotonic()
        idle = now - self._touched > IDLE_SECONDS and self._tidied < self._touched
        if busy or not idle or now - self._tidied < EVERY_SECONDS:
            return False
        self._collect()
        return True

    def answered(self) -> None:
        """Note that a question is over: what was drawn for an earlier one may be garbage."""
        self._answers += 1
        if self._answers >= MOST_ANSWERS:
            self._collect()

    def _collect(self) -> None:
        gc.collect()
        self._answers = 0
        self._tidied = time.monotonic()
