"""Bytes from a tokenizer to text for a person: whole characters, no thoughts, no stop strings."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from typing import Literal

OPEN, CLOSE = "<think>", "</think>"


class Thoughts:
    """Takes out what a reasoning model writes between `<think>` and `</think>` before it replies.

    Marks count only at the very beginning; further on they are quotations.
    """

    def __init__(self, *, thinking: bool) -> None:
        """`thinking` says that the prompt has opened the thoughts already."""
        self._state: Literal["unsure", "thinking", "after", "replying"] = (
            "thinking" if thinking else "unsure"
        )
        self._held = ""

    @property
    def thinking(self) -> bool:
        """Whether what comes now is hidden."""
        return self._state == "thinking"

    def feed(self, text: str) -> str:
        """Take a bit of the reply; return the part that is certainly not a thought."""
        if self._state == "replying":
            return text
        self._held += text
        if self._state == "unsure":
            self._decide()
        if self._state == "thinking":
            self._skip()
        if self._state == "after" and self._held.lstrip():
            self._state, self._held = "replying", self._held.lstrip()
        return self._release() if self._state == "replying" else ""

    def _decide(self) -> None:
        begun = self._held.lstrip()
        if begun.startswith(OPEN):
            self._state, self._held = "thinking", begun.removeprefix(OPEN)
        elif not OPEN.startswith(begun):
            self._state = "replying"

    def _skip(self) -> None:
        _, mark, rest = self._held.partition(CLOSE)
        if mark:
            self._state, self._held = "after", rest
        else:
            self._held = self._held[-(len(CLOSE) - 1) :]

    def end(self) -> str:
        """Return undecided text; thoughts that never closed are dropped."""
        return self._release() if self._state == "unsure" else ""

    def _release(self) -> str:
        text, self._held = self._held, ""
        return text


class TextStream:
    """Text of one sequence. Holds back what could still become a stop string."""

    def __init__(self, stop: Sequence[str], thoughts: Thoughts | None = None) -> None:
        """Remember the stop strings. They are not looked for in thoughts."""
        self._stop = tuple(stop)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._thoughts = thoughts
        self._held = ""
        self.finished: Literal["stop", "length"] | None = None

    @property
    def thinking(self) -> bool:
        """Whether what comes now is hidden."""
        return self._thoughts is not None and self._thoughts.thinking

    def feed(self, data: bytes) -> str:
        """Take a token's bytes; return the text that is now certain."""
        text = self._decoder.decode(data)
        self._held += self._thoughts.feed(text) if self._thoughts else text
        cut = [at for at in (self._held.find(s) for s in self._stop) if at >= 0]
        if cut:
            self.finished = "stop"
            return self._release(min(cut), drop_rest=True)
        return self._release(len(self._held) - self._undecided())

    def end(self, reason: Literal["stop", "length"]) -> str:
        """Finish; return what was held back."""
        self.finished = reason
        text = self._decoder.decode(b"", final=True)
        if self._thoughts:
            text = self._thoughts.feed(text) + self._thoughts.end()
        self._held += text
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
