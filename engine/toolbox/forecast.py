"""Says what both models still have to do for one question, and how long that takes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os.path import commonprefix

from engine.answer_parts import ModelTokens
from engine.budget.work import (
    CorrectedSpeed,
    RoleName,
    Work,
    answer_work,
    look_ahead_work,
    reply_work,
)
from engine.events import Event, Expected
from engine.prompts.tasks import Task
from engine.retrieval import selection
from engine.toolbox.budget import QuestionBudget
from engine.toolbox.lender import Lender, since
from engine.toolbox.passages import Passages
from models.protocols import Generator


@dataclass
class Forecast:
    """Expects tokens and seconds, and learns from the seconds that were taken."""

    models: Lender
    passages: Passages
    budget: QuestionBudget
    task: Task
    speed: CorrectedSpeed | None = None
    """Knows how long work takes. None: nobody asks, and no forecast is made."""
    read_last: str = ""
    """The prompt of the last reply. Where the next one begins the same, that part is cached."""

    def looking(self, chosen: Sequence[int]) -> Iterator[Event]:
        """Say how long looking ahead and the answer after it take."""
        if self.speed is not None:
            limits = self.budget.limits
            read = selection.tokens(self.passages(chosen), self.models.of("lookahead"))
            ahead = look_ahead_work(read, self.task.lookahead_tokens, limits.samples)
            yield self._expected(ahead, answer_work(limits.generator_tokens))

    def writing(self, chosen: Sequence[int]) -> Iterator[Event]:
        """Say how long the answer takes."""
        if self.speed is not None:
            yield self._expected(answer_work(self._tokens(chosen)))

    def replies(
        self, model: Generator, prompt: str, *ahead: Work, count: int = 1
    ) -> Iterator[Event]:
        """Say how long so many replies to a prompt take, with the work `ahead` after them."""
        if self.speed is not None:
            known = len(commonprefix([self.read_last, prompt]))  # noqa: RUF071 -- of characters
            self.read_last = prompt
            yield self._expected(reply_work(model.count(prompt[known:]), count), *ahead)

    @contextmanager
    def learning(self, role: RoleName, sequences: int = 1) -> Iterator[None]:
        """Learn from the seconds and tokens of a model within the context."""
        began, before = time.monotonic(), getattr(self.budget.usage, role)
        yield
        used = since(before, getattr(self.budget.usage, role))
        self.note(role, used, time.monotonic() - began, sequences)

    def note(self, role: RoleName, used: ModelTokens, seconds: float, sequences: int = 1) -> None:
        """Learn from a model's tokens and seconds; it decoded so many sequences together."""
        if self.speed is not None:
            self.speed.note(role, used, seconds, sequences)

    def _tokens(self, chosen: Sequence[int]) -> int:
        return selection.tokens(self.passages(chosen), self.models.of("generator"))

    def _expected(self, *ahead: Work) -> Expected:
        seconds = self.speed.seconds(ahead) if self.speed else None
        return Expected(sum(work.read for work in ahead), seconds, self.budget.spending.tokens)
