"""How long the rest of an answer takes: the work left, at the speed measured on this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from engine.answer_parts import ModelTokens
from engine.settings import PROMPT_TOKENS
from models.speed import Speed

RoleName = Literal["lookahead", "generator"]

TOGETHER = 1.2
"""Time of several sequences decoded together, as a multiple of one (docs/results.md: 1.19)."""

USUAL_ANSWER = 16
"""Tokens of a usual answer; the limits are far higher."""


@dataclass(frozen=True, slots=True)
class Work:
    """Something a model is still to do."""

    role: RoleName
    read: int
    """Tokens of the prompt that no cache holds."""
    written: float
    """Tokens that are decoded. Of sequences decoded together, the tokens of one."""


@dataclass
class CorrectedSpeed:
    """The speed of both models, corrected by what they have done for this question."""

    speed_of: Callable[[RoleName], Speed | None]
    """Measures an unknown speed; returns None for a model on another machine."""
    expected: dict[RoleName, float] = field(default_factory=dict)
    taken: dict[RoleName, float] = field(default_factory=dict)

    def seconds(self, ahead: Sequence[Work]) -> float | None:
        """Return the seconds that the work takes; None where a speed is unknown."""
        total = 0.0
        for work in ahead:
            speed = self.speed_of(work.role)
            if speed is None:
                return None
            total += speed.seconds(work.read, work.written) * self._correction(work.role)
        return total

    def note(self, role: RoleName, used: ModelTokens, seconds: float, sequences: int = 1) -> None:
        """Learn from the seconds that a model took to decode so many sequences together."""
        speed = self.speed_of(role)
        if speed is None:
            return
        written = together(used.generated / sequences, sequences)
        self.expected[role] = self.expected.get(role, 0.0) + speed.seconds(used.computed, written)
        self.taken[role] = self.taken.get(role, 0.0) + seconds

    def _correction(self, role: RoleName) -> float:
        return self.taken[role] / self.expected[role] if self.expected.get(role) else 1.0


def look_ahead_work(read: int, written: int, samples: int) -> Work:
    """Return the work of drawing samples from passages of so many tokens."""
    return Work("lookahead", read + PROMPT_TOKENS, together(written, samples))


def answer_work(read: int) -> Work:
    """Return the work of answering from passages of so many tokens."""
    return Work("generator", read + PROMPT_TOKENS, USUAL_ANSWER)


def reply_work(read: int, replies: int = 1) -> Work:
    """Return the work of replies to a prompt with `read` new tokens."""
    return Work("generator", read, together(USUAL_ANSWER, replies))


def together(written: float, sequences: int) -> float:
    """Return the length of one sequence that takes as long as `sequences` of length `written`."""
    return written * (TOGETHER if sequences > 1 else 1.0)
