"""The steps that strategies are composed of, with their events, timings and budgets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

import numpy as np

from engine.attention.sentence_attention import LayersOf
from engine.budget.effort import spending_of
from engine.budget.work import CorrectedSpeed, Work
from engine.comparison.asked import Comparison, comparison_of
from engine.comparison.stated import compare, weight_of
from engine.confidence.calibration import Calibration, calibration_of
from engine.confidence.signals import margin_of
from engine.errors import BudgetTooSmall
from engine.events import StageName, Steps
from engine.generation.dated import asks_when, dated
from engine.generation.draft import Draft
from engine.generation.first_words import Opening, opening_of
from engine.generation.lookahead import Drawing, Form, Sample
from engine.generation.reply import GeneratorQuestion, finish, write
from engine.language.languages import differ
from engine.prompts.examples import Example, first_of, shipped
from engine.prompts.tasks import TASKS, Task
from engine.prompts.templates import section
from engine.retrieval.corpus import Corpus
from engine.retrieval.recall import Scores
from engine.settings import Settings, budget_for
from engine.stages import Timings, first_token_timed, stage, staged, unseen
from engine.toolbox.budget import QuestionBudget
from engine.toolbox.forecast import Forecast
from engine.toolbox.lender import Lender
from engine.toolbox.passages import Passages
from engine.toolbox.samples import LookAheadSampler, Shared
from engine.values import Passage, Query
from models.protocols import Constraint, Generator
from models.roles import ModelSet


class Compressor(Protocol):
    """Cuts passages to what a question needs, before the generator reads them."""

    def compress(self, tools: Toolbox, passages: Sequence[Passage]) -> Steps[list[Passage | None]]:
        """Return each passage after cutting; None where nothing is left of it."""


@dataclass(frozen=True, kw_only=True)
class Toolbox:
    """What a strategy works with: a question, its parts, and the steps that use them.

    A strategy assigns nothing. To work otherwise from some step on, it continues with the toolbox
    that `compressing`, `looking_for` or `ranked_by` returns, which shares the parts.
    """

    query: Query
    models: Lender
    passages: Passages
    budget: QuestionBudget
    forecast: Forecast
    sampler: LookAheadSampler
    settings: Settings
    """With `now` set: the present moment is one for the whole question."""
    compressor: Compressor | None = None
    """Cuts passages before the generator reads them; None: they stay whole."""
    words: str = ""
    """Words that recall looks for beside the question's."""
    ranking: Scores | None = None
    """Scores used instead of recall's; None: recall's own."""
    replaced: dict[object, object] = field(default_factory=dict)
    """Substitutes that ran, by the strategy that could not run."""

    @classmethod
    def of(
        cls,
        query: Query,
        corpus: Corpus,
        models: ModelSet,
        settings: Settings,
        *,
        timings: Timings | None = None,
        shared: Shared | None = None,
        reads_passages: bool = True,
    ) -> Toolbox:
        """Return the toolbox of a question. Raises `QuestionError` for too small a budget."""
        task = TASKS[query.task]
        timings = timings or Timings()
        ends = None if settings.time_budget is None else timings.began + settings.time_budget
        budget = QuestionBudget(
            limits=budget_for(settings, reads_passages),
            spending=spending_of(settings),
            timings=timings,
            deadline=ends,
        )
        lender = Lender(roles=models, budget=budget)
        passages = Passages(
            query=query,
            corpus=corpus,
            present=settings.present,
            guard=settings.guard and task.personal,
        )
        parts = lender, passages, budget
        forecast = Forecast(
            *parts, task, CorrectedSpeed(models.speed) if settings.estimate else None
        )
        return cls(
            query=query,
            models=lender,
            passages=passages,
            budget=budget,
            forecast=forecast,
            sampler=LookAheadSampler(*parts, forecast, shared),
            settings=replace(settings, now=settings.present),
        )

    def compressing(self, compressor: Compressor) -> Toolbox:
        """Return a toolbox that has passages cut before the generator reads them."""
        return replace(self, compressor=compressor)

    def looking_for(self, words: str) -> Toolbox:
        """Return a toolbox whose recall looks for these words too."""
        return replace(self, words=words)

    def ranked_by(self, scores: Scores) -> Toolbox:
        """Return a toolbox that uses these scores instead of recall's."""
        return replace(self, ranking=scores)

    def asking(self, text: str) -> Toolbox:
        """Return a toolbox that asks another question over the same passages and budget."""
        query = replace(self.query, text=text)
        passages = self.passages.asking(query)
        forecast = replace(self.forecast, passages=passages)
        sampler = replace(self.sampler, passages=passages, forecast=forecast, shared=None)
        asked = replace(self, query=query, words="", ranking=None)
        return replace(asked, passages=passages, forecast=forecast, sampler=sampler)

    def replace_strategy(self, strategy: object, by: object) -> None:
        """Note the substitute of a strategy that cannot run."""
        self.replaced[strategy] = by

    @property
    def corpus(self) -> Corpus:
        """All that was read."""
        return self.passages.corpus

    @property
    def timings(self) -> Timings:
        """Seconds by stage."""
        return self.budget.timings

    @property
    def task(self) -> Task:
        """What kind of question it is."""
        return self.forecast.task

    @property
    def window(self) -> int:
        """Tokens that a prompt of the generator and its reply may take together."""
        context = self.models.of("generator").context
        return min(self.budget.limits.window or context, context)

    @property
    def comparison(self) -> Comparison | None:
        """What a personal question asks to compare; None where it asks for something else."""
        return comparison_of(self.query.text) if self.task.personal else None

    @property
    def closed_book(self) -> bool:
        """Whether a data set asks what the models know, without passages."""
        return not (self.corpus.passages or self.task.personal)

    def evidence(self, chosen: Sequence[int]) -> tuple[Passage, ...]:
        """Return passages as the generator reads them: dates added where it is asked when."""
        passages = self.passages(chosen)
        when = self.task.personal and asks_when(self.query.text)
        return dated(passages) if when else passages

    def asked_over(self, evidence: Sequence[Passage] = ()) -> GeneratorQuestion:
        """Return the question as it is put to the generator, over these passages."""
        today, remark = self.settings.today, self.language_remark(evidence)
        fence = self.passages.fence_around(evidence)
        deadline = self.budget.deadline
        return GeneratorQuestion(self.task, self.query.text, today, deadline, remark, fence)

    def language_remark(self, evidence: Sequence[Passage]) -> str:
        """Return a remark that asks for the question's language; empty if the passages share it."""
        texts = (passage.text for passage in evidence)
        if self.task.personal and (self.words or differ(self.query.text, texts)):
            return section("question", "language")
        return ""

    @property
    def known_examples(self) -> Sequence[Example]:
        """All solved questions: those given, else those that come with the program."""
        return self.settings.examples or shipped()

    def solved_examples(self, wanted: int) -> Sequence[Example]:
        """Return the first solved questions. Raises `QuestionError` where there are fewer."""
        return first_of(self.known_examples, wanted)

    def recall(self) -> Steps[Scores]:
        """Return S(c; Q) for every passage. Asking again costs nothing."""
        if self.ranking is not None:
            return self.ranking
        if self._recalled_by not in self.passages.recalled:
            yield from self._recall(self._recalled_by)
        return self._recalled

    @stage("recall")
    def _recall(self, text: str) -> Steps[None]:
        scores = self.passages.recalled[text] = self.passages.scores_of(text)
        yield self.passages.ranked("recall", scores)

    def fit_lookahead(self, scores: Scores) -> list[int]:
        """Return the best passages within X tokens, best first; without any it loads no model."""
        limits = self.budget.limits
        model = partial(self.models.of, "lookahead")
        return self.passages.fit(scores, model, limits.lookahead_tokens, limits.lookahead_share)

    def fit_generator(self, scores: Scores, share: float | None = None) -> list[int]:
        """Return the best passages within Y tokens, best first; without any it loads no model.

        They score at least this share of the best; None: the effort's share.
        """
        limits = self.budget.limits
        least = limits.generator_share if share is None else share
        model = partial(self.models.of, "generator")
        return self.passages.fit(scores, model, limits.generator_tokens, least)

    def fit_first(self, scores: Scores) -> list[int]:
        """Return the best passages for a first, short reading, best first; at least one."""
        model = partial(self.models.of, "generator")
        limits = self.budget.limits
        with suppress(BudgetTooSmall):  # the best passage is longer
            tokens = min(limits.first_tokens, limits.generator_tokens)
            return self.passages.fit(scores, model, tokens, 0.0)
        return self.fit_generator(scores)[:1]

    @stage("lookahead")
    def look_ahead(
        self,
        chosen: Sequence[int],
        form: Form,
        temperature: float,
        layers_of: LayersOf | None = None,
    ) -> Steps[list[Sample]]:
        """Return K samples of the look-ahead model over the chosen passages.

        `layers_of` names the layers whose attention is read meanwhile; None: none is read.
        """
        drawing = Drawing(self.budget.limits.samples, self.settings.seed, form, temperature)
        yield self.passages.selected("lookahead", chosen)
        return (yield from self.sampler.draw(chosen, drawing, layers_of))

    @stage("write")
    def write(self, chosen: Sequence[int], part: str = "answer") -> Steps[Draft]:
        """Let the generator answer from the chosen passages; say how sure a personal answer is."""
        if not chosen:
            return Draft("")
        yield from self.compress(chosen)
        yield self.passages.selected("write", chosen)
        yield from self.forecast.writing(chosen)
        evidence = self.evidence(chosen)
        asked = self.asked_over(evidence)
        with self.forecast.learning("generator"), self.models.lend("generator") as model:
            lacking: tuple[str, ...] = ()
            if part == "answer" and (comparison := self.comparison):
                comparing = compare(model, asked, evidence, comparison)
                compared = yield from first_token_timed(self.timings, comparing)
                if compared.chosen:
                    weight = weight_of(comparison)
                    return compared.answer(self.finish(chosen, compared.reply, compared=weight))
                lacking = compared.lacking
            prompt = asked.prompt(model, evidence, part)
            opening = Opening()
            if part == "answer":
                opening = opening_of(model, asked, prompt, self.models.roles)
            if opening.decided:
                yield opening.decided
            steps = write(model, asked, prompt, constraint=opening.held, adapted=opening.adapted)
            draft = yield from first_token_timed(self.timings, steps)
        draft = replace(draft, denied=opening.denied)
        return replace(self.finish(chosen, draft), lacking=lacking)

    def reply(
        self,
        part: str,
        chosen: Sequence[int] = (),
        *,
        more_tokens: int = 0,
        stop: tuple[str, ...] | None = None,
        **fields: str,
    ) -> Steps[Draft]:
        """Let the generator reply to a prompt of the task, unchecked; `fields` fill it."""

        def prompt(model: Generator) -> str:
            evidence = self.evidence(chosen)
            return self.asked_over(evidence).prompt(model, evidence, part, **fields)

        limit = self.task.answer_tokens + more_tokens
        return self.reply_to(prompt, chosen, max_tokens=limit, stop=stop)

    def reply_to(
        self,
        prompt: Callable[[Generator], str],
        chosen: Sequence[int],
        *,
        stage: StageName = "write",
        max_tokens: int | None = None,
        stop: tuple[str, ...] | None = None,
        constraint: Constraint | None = None,
        ahead: Sequence[Work] = (),
    ) -> Steps[Draft]:
        """Let the generator reply to any prompt over the chosen passages, unchecked.

        `ahead` is the work after the reply, besides the check of an answer.
        """

        def steps() -> Steps[Draft]:
            if chosen:
                yield from self.compress(chosen)
                yield self.passages.selected(stage, chosen)
            with self.forecast.learning("generator"), self.models.lend("generator") as model:
                text = prompt(model)
                yield from self.forecast.replies(model, text, *ahead)
                asked = self.asked_over()
                reply = write(
                    model, asked, text, max_tokens=max_tokens, stop=stop, constraint=constraint
                )
                shown = reply if stage == "write" else unseen(reply)
                return (yield from first_token_timed(self.timings, shown))

        return staged(stage, self.timings, steps())

    def finish(self, chosen: Sequence[int], reply: Draft, *, compared: float = 0.0) -> Draft:
        """Return a reply as a draft; one to a personal question gets its confidence.

        `compared` is the signal of a reply whose statements the program compares.
        """
        evidence = self.evidence(chosen)
        if not (self.task.personal and evidence):
            return replace(reply, evidence=evidence)
        margin = margin_of(self._recalled)
        asked = self.asked_over(evidence)
        return finish(asked, evidence, reply, self.calibration, margin, compared=compared)

    @property
    def _recalled(self) -> Scores:
        """The scores of recall itself, as far as it was asked."""
        return self.passages.recalled.get(self._recalled_by, np.zeros(0))

    @property
    def _recalled_by(self) -> str:
        return f"{self.query.text} {self.words}".strip()

    @property
    def calibration(self) -> Calibration:
        """The fitted confidence of the generator."""
        return calibration_of(self.models.roles)

    def compress(self, chosen: Sequence[int]) -> Steps[None]:
        """Have the compressor cut the chosen passages that are not cut yet."""
        fresh = self.passages.uncut_numbers(chosen)
        if self.compressor is not None and fresh:
            left = yield from self.compressor.compress(self, self.passages(fresh))
            self.passages.cut(dict(zip(fresh, left, strict=True)))
