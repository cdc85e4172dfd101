"""The steps a strategy is composed of, with their events, timings and budgets."""

from __future__ import annotations

import time
from collections.abc import Generator as Steps
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal, TypeVar

import numpy as np

from engine import lookahead, selection, writing
from engine.constraints import allowed, constrained
from engine.corpus import Corpus
from engine.errors import TimeSpent
from engine.events import Event, Ranked, Stage, StageName, Token
from engine.lookahead import Sample
from engine.recall import Scores, best_first
from engine.settings import Budget
from engine.values import Agreement, ModelTokens, Passage, Query, Usage
from models.protocols import TokenCount
from models.roles import ModelSet

T = TypeVar("T")

RANKED_SHOWN = 20
"""Passages in a `Ranked` event."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What a strategy hands to citation checking."""

    text: str
    """The generator's words; empty when it was not asked."""
    evidence: tuple[Passage, ...]
    """Passages of its prompt, in prompt order: marker [1] is the first."""
    ended: bool = True
    """False when the text was cut by a limit."""
    confidence: float | None = None
    agreement: Agreement | None = None


@dataclass
class Timings:
    """Seconds by stage, in the order the stages began."""

    began: float = field(default_factory=time.monotonic)
    seconds: dict[str, float] = field(default_factory=dict)

    def add(self, name: str, seconds: float) -> None:
        """Add to a stage."""
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds

    def elapsed(self) -> float:
        """Return seconds since the question was asked."""
        return time.monotonic() - self.began


def staged(name: StageName, timings: Timings, body: Steps[Event, None, T]) -> Steps[Event, None, T]:
    """Run a step between its `Stage` events and time it."""
    yield Stage(name, "started")
    began = time.monotonic()
    result = yield from body
    seconds = time.monotonic() - began
    timings.add(name, seconds)
    yield Stage(name, "done", seconds)
    return result


@dataclass
class Toolbox:
    """What a strategy works with: one question, its corpus, two models and a budget."""

    query: Query
    corpus: Corpus
    models: ModelSet
    budget: Budget
    seed: int
    timings: Timings
    today: date
    deadline: float | None = None
    """`time.monotonic` at which the last token is due; None: no limit."""
    usage: Usage = field(default_factory=Usage)
    """Tokens handled so far, by role; one model may fill both."""

    def recall(self) -> Steps[Event, None, Scores]:
        """Return S(c; Q) for every passage."""
        return staged("recall", self.timings, self._recall())

    def _recall(self) -> Steps[Event, None, Scores]:
        scores: Scores = self._scores([self.query.text])[0]
        yield self.ranked("recall", scores)
        return scores

    def look_ahead(self, chosen: Sequence[int]) -> Steps[Event, None, list[Sample]]:
        """Return K samples of the look-ahead model over the chosen passages."""
        return staged("lookahead", self.timings, self._look_ahead(self._passages(chosen)))

    def _look_ahead(self, evidence: Sequence[Passage]) -> Steps[Event, None, list[Sample]]:
        self._check_time()
        model = self.models.lookahead
        before = replace(model.usage)
        samples = yield from lookahead.look_ahead(
            model,
            self.query.text,
            evidence,
            samples=self.budget.samples,
            seed=self.seed,
            deadline=self.deadline,
        )
        self.usage = replace(self.usage, lookahead=_since(before, model.usage))
        return samples

    def forward(self, samples: Sequence[Sample]) -> Scores:
        """Return S(c; [R_k, A_k]) for every sample and every passage, shape (K, passages)."""
        return self._scores([sample.text for sample in samples])

    def _scores(self, texts: Sequence[str]) -> Scores:
        return constrained(self.corpus.recall.scores(texts), self.query, self.corpus)

    def fit_lookahead(self, scores: Scores) -> list[int]:
        """Return the best passages within X tokens, best first; none loads no model."""
        budget = self.budget
        return self._fit(scores, "lookahead", budget.lookahead_tokens, budget.lookahead_share)

    def fit_generator(self, scores: Scores) -> list[int]:
        """Return the best passages within Y tokens, best first; none loads no model."""
        budget = self.budget
        return self._fit(scores, "generator", budget.generator_tokens, budget.generator_share)

    def _fit(
        self, scores: Scores, role: Literal["lookahead", "generator"], tokens: int, share: float
    ) -> list[int]:
        """Return what fits; without a hit all passages, in order, if there are so few.

        A question need not share a word with its answer, and what fits needs no ranking.
        """
        if scores.any():
            model = getattr(self.models, role)
            return selection.fit(self.corpus.passages, scores, tokens, model, share)
        numbers = np.flatnonzero(allowed(self.query, self.corpus)).tolist()
        passages = self._passages(numbers)
        if not passages or not selection.may_fit(passages, tokens):
            return []
        return numbers if selection.fits(passages, tokens, getattr(self.models, role)) else []

    def ranked(self, stage: StageName, scores: Scores) -> Ranked:
        """Describe a ranking: its best passages that score above 0."""
        best = [int(i) for i in best_first(scores)[:RANKED_SHOWN] if scores[i] > 0]
        return Ranked(stage, self._passages(best), [float(scores[i]) for i in best])

    def write(self, chosen: Sequence[int]) -> Steps[Event, None, Draft]:
        """Let the generator judge the chosen passages and answer from them."""
        return staged("write", self.timings, self._write(self._passages(chosen)))

    def _write(self, evidence: tuple[Passage, ...]) -> Steps[Event, None, Draft]:
        if not evidence:
            return Draft("", ())
        self._check_time()
        model = self.models.generator
        before = replace(model.usage)
        written = yield from self._note_first_token(
            writing.answer(
                model, self.query.text, evidence, today=self.today, deadline=self.deadline
            )
        )
        self.usage = replace(self.usage, generator=_since(before, model.usage))
        return Draft(written.text, evidence, written.ended, written.confidence)

    def _note_first_token(self, body: Steps[Event, None, T]) -> Steps[Event, None, T]:
        """Pass events on, and time the first token of the answer from the question on."""
        while True:
            try:
                event = next(body)
            except StopIteration as stop:
                result: T = stop.value
                return result
            if isinstance(event, Token) and "first_token" not in self.timings.seconds:
                self.timings.add("first_token", self.timings.elapsed())
            yield event

    def _check_time(self) -> None:
        if self.late():
            raise time_spent(self.timings)

    def late(self) -> bool:
        """Say whether the time budget is spent."""
        return self.deadline is not None and time.monotonic() > self.deadline

    def _passages(self, chosen: Sequence[int]) -> tuple[Passage, ...]:
        return tuple(self.corpus.passages[i] for i in chosen)


def time_spent(timings: Timings) -> TimeSpent:
    """Return the error that says how long it took and what to do."""
    return TimeSpent(
        f"The time budget was spent after {timings.elapsed():.0f} s, before an answer was written.",
        remedy="Give a longer --time-budget, or use --effort quick.",
    )


def _since(before: TokenCount, after: TokenCount) -> ModelTokens:
    return ModelTokens(
        after.prompt - before.prompt,
        after.computed - before.computed,
        after.generated - before.generated,
    )
