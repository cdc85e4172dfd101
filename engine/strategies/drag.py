"""Demonstration-based RAG, at once and in steps (Inference scaling, sections 3.2 and 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Generator as Steps
from dataclasses import dataclass, field
from typing import ClassVar

from engine.demonstrations import FINAL, FOLLOW_UP, INTERMEDIATE, Kind, in_prompt_order, prompt
from engine.drafts import Draft
from engine.events import Event, FollowedUp, Noted
from engine.steps import Toolbox
from models.protocols import Beginnings, Generator

STEP_TOKENS = 48
"""Limit of a follow-up question and of an intermediate answer."""


@dataclass(frozen=True)
class DRAG:
    """m solved questions with k documents each, then k documents and the question."""

    name: ClassVar[str] = "drag"
    summary: ClassVar[str] = "worked examples with their documents, then the best passages"
    k: int = field(default=5, metadata={"least": 0})
    """Documents, of the question and of each example; fewer where the budget has no room."""
    m: int = field(default=2, metadata={"least": 0})
    """Worked examples."""

    def run(self, tools: Toolbox) -> Steps[Event, None, Draft]:
        """Recall, show the examples, write."""
        scores = yield from tools.recall()
        best = tools.fit_generator(scores)[: self.k]
        if self.k and not best:
            return Draft("", ())
        ordered = in_prompt_order([best])
        written = yield from tools.reply_to(_asking(tools, "drag", [best], self.k, self.m), ordered)
        return tools.finish(ordered, written)


@dataclass(frozen=True)
class IterDRAG:
    """The same in the form of Self-Ask: each follow-up question brings documents of its own."""

    name: ClassVar[str] = "iterdrag"
    summary: ClassVar[str] = "asks itself follow-up questions, each with passages of its own"
    k: int = 5
    """Documents for the question, for each follow-up question and in each example."""
    m: int = field(default=2, metadata={"least": 0})
    """Worked examples."""
    n: int = 5
    """Follow-up questions at most; then the final answer is forced."""

    def run(self, tools: Toolbox) -> Steps[Event, None, Draft]:
        """Recall; ask, retrieve and answer in turn; write the final answer.

        New passages stand behind the old ones, so that only they, the question and the
        transcript are computed anew. Asking the same again ends the rounds (ours).
        """
        scores = yield from tools.recall()
        best = tools.fit_generator(scores)
        if not best:
            return Draft("", ())
        groups = [best[: self.k]]
        transcript, asked, said = "", set[str](), list[bool]()
        for index in range(self.n):
            move = yield from self._say(tools, groups, transcript, (FOLLOW_UP, FINAL), said)
            if move.startswith(FINAL.strip()):
                break
            question = move.removeprefix(FOLLOW_UP.strip()).strip()
            if not question or question in asked:
                break
            asked.add(question)
            groups.append(self._further(tools, question, groups))
            transcript += f"{FOLLOW_UP}{question}\n"
            reply = yield from self._say(tools, groups, transcript, (INTERMEDIATE,), said)
            answer = reply.removeprefix(INTERMEDIATE.strip()).strip()
            transcript += f"{INTERMEDIATE}{answer}\n"
            yield FollowedUp(index, question, answer)
        if not all(said):
            yield Noted(f"{said.count(False)} of {len(said)} replies left the form of Self-Ask")
        ordered = in_prompt_order(groups)
        make = _asking(tools, "iterdrag", groups, self.k, self.m)
        written = yield from tools.reply_to(
            lambda model: f"{make(model)}{transcript}{FINAL}", ordered, stop=("\n",)
        )
        return tools.finish(ordered, written)

    def _say(
        self,
        tools: Toolbox,
        groups: Sequence[Sequence[int]],
        transcript: str,
        beginnings: tuple[str, ...],
        said: list[bool],
    ) -> Steps[Event, None, str]:
        """Return the next line of the transcript, which is to begin with one of `beginnings`.

        `said` takes in whether it does: a server may not hold its model to a form.
        """
        make = _asking(tools, "iterdrag", groups, self.k, self.m)
        written = yield from tools.reply_to(
            lambda model: make(model) + transcript,
            in_prompt_order(groups),
            stage="ask",
            max_tokens=STEP_TOKENS,
            stop=("\n",),
            constraint=Beginnings(beginnings),
        )
        said.append(written.text.startswith(tuple(one.strip() for one in beginnings)))
        return written.text

    def _further(self, tools: Toolbox, question: str, groups: Sequence[Sequence[int]]) -> list[int]:
        """Return the best passages for a follow-up question that are not there yet."""
        known = {number for group in groups for number in group}
        best = tools.fit_generator(tools.scores_of(question))
        return [number for number in best if number not in known][: self.k]


def _asking(
    tools: Toolbox, kind: Kind, groups: Sequence[Sequence[int]], documents: int, examples: int
) -> Callable[[Generator], str]:
    worked = tools.solved_examples(examples)

    def ask(model: Generator) -> str:
        shown = [tools.passages(group) for group in groups]  # a compressor may come before
        return prompt(model, kind, tools.task, tools.query.text, shown, worked, documents)

    return ask
