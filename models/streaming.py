"""Bytes from a tokenizer to text for a person: whole characters, stop strings cut off."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from typing import Literal


class TextStream:
    """Text of one sequence. Holds back what could still become a stop string."""

    def __init__(self, stop: Sequence[str]) -> None:
        """Remember the stop strings."""
        self._stop = tuple(stop)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self.finished: Literal["stop", "length"] | None = None

    def feed(self, data: bytes) -> str:
        """Take a token's bytes; return the text that is now certain."""
        self._held += self._decoder.decode(data)
        cut = [at for at in (self._held.find(s) for s in self._stop) if at >= 0]
        if cut:
            self.finished = "stop"
            return self._release(min(cut), drop_rest=True)
        return self._release(len(self._held) - self._undecided())

    def end(self, reason: Literal["stop", "length"]) -> str:
        """Finish; return what was held back."""
        self.finished = reason
        self._held += self._decoder.decode(b"", final=True)
        return self._release(len(self._held))

    def _undecided(self) -> int:
        """Return the length of the longest tail that begins a stop string."""
        longest = max((len(s) - 1 for s in self._stop), default=0)
        for size in range(min(longest, len(self._held)), 0, -1):
            if any(s.startswith(self._held[-size:]) for s in self._stop):
                return size
        return 0

    def _release(self, size: int, *, drop_rest: bool = False) -> str:
        text = self._held[:size]
        self._held = "" if drop_rest else self._held[size:]
        return text
