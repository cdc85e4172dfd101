"""Demonstration-based RAG, at once and in steps (Inference scaling, sections 3.2 and 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import ClassVar

from engine.budget.work import USUAL_ANSWER, Work, reply_work
from engine.errors import BudgetTooSmall
from engine.events import FollowedUp, Noted, Steps
from engine.generation.draft import Draft
from engine.prompts.demonstrations import (
    FINAL,
    FOLLOW_UP,
    INTERMEDIATE,
    Demonstration,
    Kind,
    in_prompt_order,
)
from engine.retrieval import selection
from engine.retrieval.recall import Scores
from engine.settings import STEP_TOKENS
from engine.toolbox.steps import Toolbox
from models.protocols import Beginnings, Generator


@dataclass(frozen=True)
class DRAG:
    """m solved questions with k documents each, then k documents and the question."""

    name: ClassVar[str] = "drag"
    summary: ClassVar[str] = "worked examples with their documents, then the best passages"
    k: int = field(default=5, metadata={"least": 0})
    """Documents, of the question and of each example; where fewer fit Y, that is noted."""
    m: int = field(default=2, metadata={"least": 0})
    """Worked examples; fewer than these are refused."""

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Recall, show the examples, write. Without documents nothing is recalled."""
        asking = yield from _begun(tools, "drag", self.k, self.m)
        if asking is None:
            return Draft("", ())
        written = yield from tools.reply_to(asking.kept, asking.chosen)
        return tools.finish(asking.chosen, written)


@dataclass(frozen=True)
class IterDRAG:
    """The same in the form of Self-Ask: each follow-up question brings documents of its own."""

    name: ClassVar[str] = "iterdrag"
    summary: ClassVar[str] = "asks itself follow-up questions, each with passages of its own"
    k: int = 5
    """Documents for the question, for each follow-up question and in each example; where fewer fit
    Y, that is noted."""
    m: int = field(default=2, metadata={"least": 0})
    """Worked examples; fewer than these are refused."""
    n: int = 5
    """Follow-up questions at most; then, or where tokens run out, the final answer is forced."""

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Recall; ask, retrieve and answer in turn; write the final answer.

        New passages come after the old ones, so that only they, the question and the transcript are
        computed. A repeated question ends the rounds (ours). So do passages that would leave no
        tokens for the final answer, which is noted.
        """
        asking = yield from _begun(tools, "iterdrag", self.k, self.m)
        if asking is None:
            return Draft("", ())
        asking = yield from self._rounds(asking)
        if not all(asking.said):
            left = asking.said.count(False)
            yield Noted(f"{left} of {len(asking.said)} replies left the form of Self-Ask")
        final = asking.going_on(FINAL.strip())  # words are tokens with the blank before them
        written = yield from tools.reply_to(final.kept, final.chosen, stop=("\n",))
        return tools.finish(final.chosen, written)

    def _rounds(self, asking: _Asking) -> Steps[_Asking]:
        """Ask, retrieve and answer until nothing new is asked; return the transcript."""
        asked = set[str]()
        for index in range(self.n):
            to_come = 2 * (self.n - index)
            if not asking.has_room:
                yield Noted(f"The tokens last for {index} of {self.n} follow-up questions")
                break
            move = (yield from asking.say((FOLLOW_UP, FINAL), to_come - 1)).text
            question = move.removeprefix(FOLLOW_UP.strip()).strip()
            if move.startswith(FINAL.strip()) or not question or question in asked:
                break
            asked.add(question)
            fresh = yield from self._further(asking, question)
            further = asking.going_on(f"{FOLLOW_UP}{question}\n", fresh)
            yield from asking.tools.compress(fresh)
            if not further.has_room:
                yield Noted(f"No tokens are left for what answers: {question}")
                break
            reply = yield from further.say((INTERMEDIATE,), to_come - 2)
            answer = reply.text.removeprefix(INTERMEDIATE.strip()).strip()
            asking = further.going_on(f"{INTERMEDIATE}{answer}\n")
            yield FollowedUp(index, question, answer)
        return asking

    def _further(self, asking: _Asking, question: str) -> Steps[list[int]]:
        """Return the best passages for a sub-question that the prompt does not hold yet."""
        tools, known = asking.tools, asking.chosen
        if tools.closed_book:
            return []
        scores = tools.passages.scores_of(question)
        scores[known] = 0.0
        with suppress(BudgetTooSmall):  # those that are there may answer it
            return (yield from _best(tools, scores, self.k, known))
        return []


@dataclass(frozen=True)
class _Asking:
    """A question behind its examples, with the passages and the words that it has so far."""

    tools: Toolbox
    form: Demonstration
    groups: list[list[int]]
    transcript: str = ""
    said: list[bool] = field(default_factory=list)
    """Whether each reply kept to the form: a server may not hold its model to one."""

    @property
    def chosen(self) -> list[int]:
        """The passages as the prompt numbers them."""
        return in_prompt_order(self.groups)

    def going_on(self, words: str, fresh: list[int] | None = None) -> _Asking:
        """Return a copy with more words in the transcript and more passages after the others."""
        groups = self.groups if fresh is None else [*self.groups, fresh]
        return replace(self, groups=groups, transcript=self.transcript + words)

    def prompt(self, model: Generator) -> str:
        """Return the prompt so far."""
        shown = [self.tools.passages(group) for group in self.groups]
        remark = self.tools.language_remark([one for group in shown for one in group])
        question = f"{self.tools.query.text}\n{remark}".strip()
        return self.form.prompt(model, question, shown) + self.transcript

    def kept(self, model: Generator) -> str:
        """Return the prompt; the model keeps what the examples make of it."""
        prompt = self.prompt(model)
        self.form.keep(model, prompt)
        return prompt

    def say(self, beginnings: tuple[str, ...], to_come: int) -> Steps[Draft]:
        """Return the next line of the transcript, which has to begin with one of `beginnings`.

        `to_come` lines and the final answer follow it.
        """
        written = yield from self.tools.reply_to(
            self.kept,
            self.chosen,
            stage="ask",
            max_tokens=STEP_TOKENS,
            stop=("\n",),
            constraint=Beginnings(beginnings),
            ahead=self._ahead(to_come),
        )
        self.said.append(written.text.startswith(tuple(one.strip() for one in beginnings)))
        return written

    def _ahead(self, lines: int) -> list[Work]:
        """Return the work of so many further lines, each second one with passages, and the end."""
        if self.tools.forecast.speed is None:
            return []
        chosen = self.chosen
        passages = self._passage_tokens / max(1, len(chosen)) * self.form.documents
        read = int(lines * (passages / 2 + STEP_TOKENS))
        rounds = Work("generator", read, lines * USUAL_ANSWER)
        return [rounds, reply_work(STEP_TOKENS)]

    @property
    def _passage_tokens(self) -> int:
        return selection.tokens(self.tools.passages(self.chosen), self.tools.models.roles.generator)

    @property
    def _tokens(self) -> int:
        """What the prompt takes, the examples included."""
        model = self.tools.models.roles.generator
        return model.count(self.prompt(model))

    def require_room(self) -> None:
        """Raise `BudgetTooSmall` where not even the answer has room over all calls."""
        shown = f"{len(self.chosen)} documents behind {len(self.form.examples)} examples"
        self.tools.budget.require_tokens(self._tokens, shown)

    @property
    def has_room(self) -> bool:
        """Whether another line and the final answer fit the tokens and the context."""
        once = self._tokens
        last = once + STEP_TOKENS
        context = self.tools.models.roles.generator.context - self.tools.task.answer_tokens
        return once + last <= self.tools.budget.tokens_left and last <= context


def _begun(tools: Toolbox, kind: Kind, k: int, m: int) -> Steps[_Asking | None]:
    """Recall `k` documents and set `m` examples before them; nothing where none was found.

    Raises `QuestionError` for fewer examples than asked for, `BudgetTooSmall`.
    """
    best: list[int] = []
    if k and not tools.closed_book:
        best = yield from _best(tools, (yield from tools.recall()), k)
        if not best:
            return None
    form = Demonstration(kind, tools.task, tools.solved_examples(m), k)
    asking = _Asking(tools, form, [best])
    yield from tools.compress(asking.chosen)
    asking.require_room()
    return asking


def _best(
    tools: Toolbox, scores: Scores, wanted: int, known: Sequence[int] = ()
) -> Steps[list[int]]:
    """Return the best other passages that fit Y; where that makes fewer than wanted, say so."""
    fitting = tools.fit_generator(scores, share=0.0)
    best = [number for number in fitting if number not in known][:wanted]
    if len(best) < min(wanted, int((scores > 0).sum())):
        yield Noted(
            f"{len(best)} of {wanted} documents are shown: "
            f"more do not fit {tools.budget.limits.generator_tokens:,} tokens"
        )
    return best
