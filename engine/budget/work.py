"""How long the rest of an answer takes: what is still to be done, at the speed measured here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from engine.settings import PROMPT_TOKENS
from engine.values import ModelTokens
from models.speed import Speed

RoleName = Literal["lookahead", "generator"]

TOGETHER = 1.2
"""What several sequences that are decoded together take, against one (docs/results.md: 1.19)."""

USUAL_ANSWER = 16
"""Tokens of a usual answer; limits are far above it."""


@dataclass(frozen=True, slots=True)
class Work:
    """Something a model is still to do."""

    role: RoleName
    read: int
    """Tokens of the prompt that no cache holds."""
    written: float
    """Tokens that are decoded, of sequences decoded together those of one."""


@dataclass
class CorrectedSpeed:
    """The speed of both models, corrected by what they have done for this question."""

    speed_of: Callable[[RoleName], Speed | None]
    """Measures it where it is not known; None for a model that is not of this machine."""
    expected: dict[RoleName, float] = field(default_factory=dict)
    taken: dict[RoleName, float] = field(default_factory=dict)

    def seconds(self, ahead: Sequence[Work]) -> float | None:
        """Return what the work takes; None where a speed is not known."""
        total = 0.0
        for work in ahead:
            speed = self.speed_of(work.role)
            if speed is None:
                return None
            total += speed.seconds(work.read, work.written) * self._correction(work.role)
        return total

    def note(self, role: RoleName, used: ModelTokens, seconds: float, sequences: int = 1) -> None:
        """Take in what a model really took, where it decoded so many sequences together."""
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
    """Return the work of answering from passages of so many tokens, and checking that."""
    return Work("generator", read + PROMPT_TOKENS, USUAL_ANSWER)


def reply_work(read: int, replies: int = 1) -> Work:
    """Return the work of so many replies to a prompt of which so many tokens are new."""
    return Work("generator", read, together(USUAL_ANSWER, replies))


def check_work(read: int) -> Work:
    """Return the work of judging an answer over passages that no prompt before began with."""
    return Work("generator", read + PROMPT_TOKENS, 0)


def together(written: float, sequences: int) -> float:
    """Return the tokens of one sequence that take as long as so many sequences of `written`."""
    return written * (TOGETHER if sequences > 1 else 1.0)
