"""Says while a question is answered what is still to come, and takes in how long things took."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os.path import commonprefix

from engine.budget.pace import Pace, RoleName, Work, checking, looking, replying, writing_out
from engine.events import Event, Expected
from engine.prompts.tasks import TASKS, Task
from engine.retrieval import selection
from engine.toolbox.choosing import Chooser
from engine.toolbox.lending import since
from models.protocols import Generator


@dataclass(kw_only=True)
class Forecaster(Chooser):
    """What both models are still to do for one question, and how long that takes here."""

    pace: Pace | None = None
    """Says how long things take; None: nobody asks."""
    read_last: str = ""
    """The prompt of the last reply: what the next one begins with alike is not computed again."""

    @property
    def task(self) -> Task:
        """What kind of question it is."""
        return TASKS[self.query.task]

    def expect_looking(self, chosen: Sequence[int]) -> Iterator[Event]:
        """Say how long looking ahead takes, and the answer behind it."""
        if self.pace is not None:
            read = selection.tokens(self.passages(chosen), self.models.lookahead)
            ahead = looking(read, self.task.lookahead_tokens, self.budget.samples)
            yield self._expected(ahead, writing_out(self.budget.generator_tokens))

    def expect_writing(self, chosen: Sequence[int]) -> Iterator[Event]:
        """Say how long the answer takes."""
        if self.pace is not None:
            read = selection.tokens(self.passages(chosen), self.models.generator)
            yield self._expected(writing_out(read))

    def expect_replies(
        self, model: Generator, prompt: str, *ahead: Work, count: int = 1
    ) -> Iterator[Event]:
        """Say how long so many replies to a prompt take, and what comes behind them."""
        if self.pace is not None:
            known = len(commonprefix([self.read_last, prompt]))  # noqa: RUF071 -- of characters
            self.read_last = prompt
            yield self._expected(replying(model.count(prompt[known:]), count), *ahead)

    def checks(self, chosen: Sequence[int]) -> list[Work]:
        """Return the work of checking an answer over passages, where it is checked."""
        if self.pace is None or not (self.task.personal and chosen):
            return []
        return [checking(selection.tokens(self.passages(chosen), self.models.generator))]

    @contextmanager
    def paced(self, role: RoleName, sequences: int = 1) -> Iterator[None]:
        """Take in how long a model takes for what it handles meanwhile."""
        began, before = time.monotonic(), getattr(self.usage, role)
        yield
        if self.pace is not None:
            used = since(before, getattr(self.usage, role))
            self.pace.note(role, used, time.monotonic() - began, sequences)

    def _expected(self, *ahead: Work) -> Expected:
        seconds = self.pace.seconds(ahead) if self.pace else None
        return Expected(sum(work.read for work in ahead), seconds, self.means.tokens)
