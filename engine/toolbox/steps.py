"""The steps a strategy is composed of, with their events, timings and budgets."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from collections.abc import Generator as Steps
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from typing import Protocol, TypeVar

from engine.attention.attending import LayersOf, Overheard
from engine.budget.pace import Work
from engine.compute.plan import Plan
from engine.drafts import Draft
from engine.events import Event, Sampled, StageName, Token
from engine.generation import lookahead, writing
from engine.generation.lookahead import Drawing, Sample
from engine.generation.writing import Asked, Written
from engine.language.languages import differ
from engine.prompts.examples import Example, first_of, shipped
from engine.prompts.prompting import section
from engine.retrieval import selection
from engine.retrieval.recall import Scores
from engine.settings import PROMPT_TOKENS
from engine.stages import passed, staged, unseen
from engine.toolbox.forecasting import Forecaster
from engine.toolbox.lending import since
from engine.values import ModelTokens, Passage
from models.protocols import (
    Constraint,
    Generator,
)

T = TypeVar("T")
DRAFTING_SHARE = 0.5
"""Of the time left, at most this goes into samples and readings; an answer is still to come."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Samples that several strategies share, and what they cost."""

    samples: list[Sample]
    tokens: ModelTokens
    seconds: float
    overheard: Overheard | None = None

    def serves(self, listening: LayersOf | None) -> bool:
        """Say whether the attention that is wanted was read while they were drawn."""
        return listening is None or (self.overheard is not None and self.overheard.by(listening))


Shared = dict[tuple[Drawing, tuple[int, ...]], Drawn]
"""By how they were drawn and from which passages, over one question."""


class Compressor(Protocol):
    """Cuts passages to what a question needs, before the generator reads them."""

    def compress(
        self, tools: Toolbox, passages: Sequence[Passage]
    ) -> Steps[Event, None, list[Passage | None]]:
        """Return each passage cut, or None where nothing of it is left."""


@dataclass(kw_only=True)
class Toolbox(Forecaster):
    """What a strategy works with: one question, its corpus, two models and a budget."""

    seed: int
    now: datetime
    """The present moment, aware, in the local zone."""
    examples: Sequence[Example] = ()
    """Solved questions; none: those that come with the program."""
    least_confidence: float = 0.0
    shared: Shared | None = None
    """Samples of other strategies for this question; None: each draws its own."""
    own: Sequence[str] = ()
    """Addresses of the person who asks."""
    plan: Plan | None = None
    """How to compute the answer; None: by the question."""
    compressor: Compressor | None = None
    instead: dict[object, object] = field(default_factory=dict)
    """What was done in place of a strategy that could not be followed, by that strategy."""
    words: str = ""
    """Words that recall looks for beside the question's."""
    listening: LayersOf | None = None
    """Which layers' attention is read along while the look-ahead model reads; None: none."""
    overheard: Overheard | None = None
    """What was read so."""
    recalled: Scores | None = None
    """S(c; Q) as `recall` found them, or as a strategy ranked them anew; None: not yet."""

    @property
    def today(self) -> date:
        """The local calendar day."""
        return self.now.date()

    @property
    def closed_book(self) -> bool:
        """Whether a data set asks for what the models know: it brings no passage."""
        return not (self.corpus.passages or self.task.personal)

    @property
    def asked(self) -> Asked:
        """The question as the generator is asked it over no passage."""
        return self.asked_over(())

    def asked_over(self, evidence: Sequence[Passage]) -> Asked:
        """Return the question as the generator is asked it over these passages."""
        remark = self.language_remark(evidence)
        return Asked(self.task, self.query.text, self.today, self.deadline, remark)

    def language_remark(self, evidence: Sequence[Passage]) -> str:
        """Return what asks for the question's language; nothing where the passages have it too."""
        texts = (passage.text for passage in evidence)
        if self.task.personal and (self.words or differ(self.query.text, texts)):
            return section("question", "language")
        return ""

    @property
    def known_examples(self) -> Sequence[Example]:
        """All solved questions there are: those given, else those that come with the program."""
        return self.examples or shipped()

    def solved_examples(self, wanted: int) -> Sequence[Example]:
        """Return the first solved questions. Raises `QuestionError` where there are fewer."""
        return first_of(self.known_examples, wanted)

    def recall(self) -> Steps[Event, None, Scores]:
        """Return S(c; Q) for every passage; a second time at no cost."""
        if self.recalled is not None:
            yield from ()
            return self.recalled
        return (yield from staged("recall", self.timings, self._recall()))

    def _recall(self) -> Steps[Event, None, Scores]:
        self.recalled = self.scores_of(f"{self.query.text} {self.words}".strip())
        yield self.ranked("recall", self.recalled)
        return self.recalled

    def look_ahead(
        self, chosen: Sequence[int], form: lookahead.Form, temperature: float
    ) -> Steps[Event, None, list[Sample]]:
        """Return K samples of the look-ahead model over the chosen passages."""
        drawing = Drawing(self.budget.samples, self.seed, form, temperature)
        return staged("lookahead", self.timings, self._look_ahead(tuple(chosen), drawing))

    def _look_ahead(
        self, chosen: tuple[int, ...], drawing: Drawing
    ) -> Steps[Event, None, list[Sample]]:
        yield self.selected("lookahead", chosen)
        drawn = self.shared.get((drawing, chosen)) if self.shared is not None else None
        if drawn is not None and drawn.serves(self.listening):
            return (yield from self._take_over(drawn))
        yield from self.expect_looking(chosen)
        began, before = time.monotonic(), self.usage.lookahead
        passages = self.passages(chosen)
        look = partial(
            lookahead.look_ahead,
            task=self.task,
            question=self.query.text,
            passages=passages,
            drawing=drawing,
            deadline=self.due(DRAFTING_SHARE),
        )
        if self.listening is None:
            with self.metered("lookahead") as model:
                samples = yield from look(model)
        else:
            heard = self.overheard = Overheard(passages)
            with self.lent(lambda: self.models.attentive_lookahead, "lookahead") as attentive:
                draw = partial(heard.sample, attentive, self.listening)
                samples = yield from look(attentive, draw=draw)
        tokens, seconds = since(before, self.usage.lookahead), time.monotonic() - began
        if self.pace is not None:
            self.pace.note("lookahead", tokens, seconds, drawing.samples)
        if self.shared is not None:
            self.shared[drawing, chosen] = Drawn(samples, tokens, seconds, self.overheard)
        return samples

    def _take_over(self, drawn: Drawn) -> Steps[Event, None, list[Sample]]:
        """Return samples already drawn, at their full price."""
        for index, sample in enumerate(drawn.samples):
            yield Sampled(index, sample.rationale, sample.answer)
        self.count("lookahead", drawn.tokens)
        self.timings.lend("lookahead", drawn.seconds)
        self.overheard = drawn.overheard
        return drawn.samples

    def write(self, chosen: Sequence[int], part: str = "answer") -> Steps[Event, None, Draft]:
        """Let the generator judge the chosen passages and answer from them."""
        return staged("write", self.timings, self._write(chosen, part))

    def _write(self, chosen: Sequence[int], part: str) -> Steps[Event, None, Draft]:
        if not chosen:
            return Draft("", ())
        yield from self.compress(chosen)
        yield self.selected("write", chosen)
        yield from self.expect_writing(chosen)
        evidence = self.passages(chosen)
        asked = self.asked_over(evidence)
        with self.paced("generator"), self.metered("generator") as model:
            steps = writing.answer(model, asked, evidence, part)
            written = yield from self.note_first_token(steps)
        return Draft(written.text, evidence, written.ended, written.confidence)

    def reply(
        self,
        part: str,
        chosen: Sequence[int] = (),
        *,
        more_tokens: int = 0,
        stop: tuple[str, ...] | None = None,
        **fields: str,
    ) -> Steps[Event, None, Written]:
        """Let the generator reply to a prompt of the task, unchecked; `fields` fill it."""

        def prompt(model: Generator) -> str:
            evidence = self.passages(chosen)
            return self.asked_over(evidence).prompt(model, evidence, part, **fields)

        return self.reply_to(
            prompt,
            chosen,
            max_tokens=self.task.answer_tokens + more_tokens,
            stop=stop,
        )

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
    ) -> Steps[Event, None, Written]:
        """Let the generator reply to any prompt over the chosen passages, unchecked.

        `ahead` is what comes behind the reply, beside the check of an answer.
        """
        steps = self._reply_to(prompt, chosen, stage, max_tokens, stop, constraint, ahead)
        return staged(stage, self.timings, steps)

    def _reply_to(
        self,
        prompt: Callable[[Generator], str],
        chosen: Sequence[int],
        stage: StageName,
        max_tokens: int | None,
        stop: tuple[str, ...] | None,
        constraint: Constraint | None,
        ahead: Sequence[Work],
    ) -> Steps[Event, None, Written]:
        if chosen:
            yield from self.compress(chosen)
            yield self.selected(stage, chosen)
        behind = [*ahead, *(self.checks(chosen) if stage == "write" else ())]
        with self.paced("generator"), self.metered("generator") as model:
            text = prompt(model)
            yield from self.expect_replies(model, text, *behind)
            steps = writing.write(
                model,
                self.asked,
                text,
                max_tokens=max_tokens,
                stop=stop,
                constraint=constraint,
            )
            return (yield from self.note_first_token(steps if stage == "write" else unseen(steps)))

    def finish(self, chosen: Sequence[int], written: Written) -> Draft:
        """Return a reply as a draft; to a personal question the generator judges it first.

        A surer reply is looked for as long as the tokens last: two checks and a second reply.
        """
        evidence = self.passages(chosen)
        if self.task.personal and evidence:
            with self.metered("generator") as model:
                once = selection.tokens(evidence, model) + PROMPT_TOKENS
                lasts = 3 * once <= self.tokens_left
                asked = self.asked_over(evidence)
                written = writing.finish(model, asked, evidence, written, once=not lasts)
        return Draft(written.text, evidence, written.ended, written.confidence)

    def note_first_token(self, body: Steps[Event, None, T]) -> Steps[Event, None, T]:
        """Pass events on, and time the first token of the answer from the question on."""

        def note(event: Event) -> bool:
            if isinstance(event, Token) and "first_token" not in self.timings.seconds:
                self.timings.add("first_token", self.timings.elapsed())
            return True

        return passed(body, note)

    def compress(self, chosen: Sequence[int]) -> Steps[Event, None, None]:
        """Have the chosen passages cut, where there is a compressor and they are not cut yet."""
        fresh = self.readable_numbers([i for i in chosen if i not in self.cut])
        if self.compressor is not None and fresh:
            cut = yield from self.compressor.compress(self, self.passages(fresh))
            self.cut.update(zip(fresh, cut, strict=True))
