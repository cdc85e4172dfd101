"""Says what both models are still to do for one question, and how long that takes here."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os.path import commonprefix

from engine.budget.work import (
    CorrectedSpeed,
    RoleName,
    Work,
    answer_work,
    check_work,
    look_ahead_work,
    reply_work,
)
from engine.events import Event, Expected
from engine.prompts.tasks import Task
from engine.retrieval import selection
from engine.toolbox.budget import QuestionBudget
from engine.toolbox.lender import Lender, since
from engine.toolbox.passages import Passages
from engine.values import ModelTokens
from models.protocols import Generator


@dataclass
class Forecast:
    """What is expected of the models; it learns from how long things took."""

    models: Lender
    passages: Passages
    budget: QuestionBudget
    task: Task
    speed: CorrectedSpeed | None = None
    """Says how long things take; None: nobody asks, and nothing is expected."""
    read_last: str = ""
    """The prompt of the last reply: what the next one begins with alike is not computed again."""

    def looking(self, chosen: Sequence[int]) -> Iterator[Event]:
        """Say how long looking ahead takes, and the answer behind it."""
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
        """Say how long so many replies to a prompt take, and what comes behind them."""
        if self.speed is not None:
            known = len(commonprefix([self.read_last, prompt]))  # noqa: RUF071 -- of characters
            self.read_last = prompt
            yield self._expected(reply_work(model.count(prompt[known:]), count), *ahead)

    def checks(self, chosen: Sequence[int]) -> list[Work]:
        """Return the work of checking an answer over passages, where it is checked."""
        if self.speed is None or not (self.task.personal and chosen):
            return []
        return [check_work(self._tokens(chosen))]

    @contextmanager
    def learning(self, role: RoleName, sequences: int = 1) -> Iterator[None]:
        """Take in how long a model takes for what it handles meanwhile."""
        began, before = time.monotonic(), getattr(self.budget.usage, role)
        yield
        used = since(before, getattr(self.budget.usage, role))
        self.note(role, used, time.monotonic() - began, sequences)

    def note(self, role: RoleName, used: ModelTokens, seconds: float, sequences: int = 1) -> None:
        """Take in what a model took, where it decoded so many sequences together."""
        if self.speed is not None:
            self.speed.note(role, used, seconds, sequences)

    def _tokens(self, chosen: Sequence[int]) -> int:
        return selection.tokens(self.passages(chosen), self.models.of("generator"))

    def _expected(self, *ahead: Work) -> Expected:
        seconds = self.speed.seconds(ahead) if self.speed else None
        return Expected(sum(work.read for work in ahead), seconds, self.budget.spending.tokens)
