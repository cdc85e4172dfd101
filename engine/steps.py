"""The steps a strategy is composed of, with their events, timings and budgets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Generator as Steps
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import Protocol, TypeVar

from engine import lookahead, selection, writing
from engine.attending import LayersOf, Overheard
from engine.choosing import Chooser
from engine.compute.plan import Plan
from engine.drafts import Draft
from engine.events import Event, Expected, Sampled, StageName, Token
from engine.examples import Example, shipped
from engine.lending import since
from engine.lookahead import Drawing, Sample
from engine.pace import Pace, Work, looking, writing_out
from engine.prompting import section
from engine.recall import Scores
from engine.stages import passed, staged, unseen
from engine.tasks import TASKS, Task
from engine.values import ModelTokens, Passage
from engine.writing import Asked, Written
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
class Toolbox(Chooser):
    """What a strategy works with: one question, its corpus, two models and a budget."""

    seed: int
    today: date
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
    pace: Pace | None = None
    """Says how long things take; None: nobody asks."""
    words: str = ""
    """Words that recall looks for beside the question's."""
    listening: LayersOf | None = None
    """Which layers' attention is read along while the look-ahead model reads; None: none."""
    overheard: Overheard | None = None
    """What was read so."""
    recalled: Scores | None = None
    """S(c; Q) as `recall` found them, or as a strategy ranked them anew; None: not yet."""

    @property
    def task(self) -> Task:
        """What kind of question it is."""
        return TASKS[self.query.task]

    @property
    def asked(self) -> Asked:
        """The question as the generator is asked it."""
        remark = section("question", "language") if self.words and self.task.personal else ""
        return Asked(self.task, self.query.text, self.today, self.deadline, remark)

    def solved_examples(self, at_most: int) -> Sequence[Example]:
        """Return the first examples, those that come with the program where none were given."""
        return (self.examples or shipped())[:at_most]

    def _expect_looking(self, chosen: Sequence[int]) -> Iterator[Event]:
        """Say how long looking ahead takes, and the answer behind it."""
        if self.pace is not None:
            read = selection.tokens(self.passages(chosen), self.models.lookahead)
            ahead = looking(read, self.task.lookahead_tokens, self.budget.samples)
            yield self._expected(ahead, writing_out(self.budget.generator_tokens))

    def _expect_writing(self, chosen: Sequence[int]) -> Iterator[Event]:
        """Say how long the answer takes."""
        if self.pace is not None:
            read = selection.tokens(self.passages(chosen), self.models.generator)
            yield self._expected(writing_out(read))

    def _expected(self, *ahead: Work) -> Expected:
        seconds = self.pace.seconds(ahead) if self.pace else None
        return Expected(sum(work.read for work in ahead), seconds, self.means.tokens)

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
        yield from self._expect_looking(chosen)
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
        yield from self._expect_writing(chosen)
        evidence = self.passages(chosen)
        began, before = time.monotonic(), self.usage.generator
        with self.metered("generator") as model:
            written = yield from self.note_first_token(
                writing.answer(model, self.asked, evidence, part)
            )
        if self.pace is not None:
            used = since(before, self.usage.generator)
            self.pace.note("generator", used, time.monotonic() - began)
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
        return self.reply_to(
            lambda model: self.asked.prompt(model, self.passages(chosen), part, **fields),
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
    ) -> Steps[Event, None, Written]:
        """Let the generator reply to any prompt over the chosen passages, unchecked."""
        steps = self._reply_to(prompt, chosen, stage, max_tokens, stop, constraint)
        return staged(stage, self.timings, steps)

    def _reply_to(
        self,
        prompt: Callable[[Generator], str],
        chosen: Sequence[int],
        stage: StageName,
        max_tokens: int | None,
        stop: tuple[str, ...] | None,
        constraint: Constraint | None,
    ) -> Steps[Event, None, Written]:
        if chosen:
            yield from self.compress(chosen)
            yield self.selected(stage, chosen)
        with self.metered("generator") as model:
            steps = writing.write(
                model,
                self.asked,
                prompt(model),
                max_tokens=max_tokens,
                stop=stop,
                constraint=constraint,
            )
            return (yield from self.note_first_token(steps if stage == "write" else unseen(steps)))

    def finish(self, chosen: Sequence[int], written: Written) -> Draft:
        """Return a reply as a draft; to a personal question the generator judges it first."""
        evidence = self.passages(chosen)
        if self.task.personal and evidence:
            with self.metered("generator") as model:
                written = writing.finish(model, self.asked, evidence, written)
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
