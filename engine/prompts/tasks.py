"""Tasks: kinds of question, with their prompts and the limits of their answers. Personal questions
have a task of their own. A data set has the task of its paper (FB-RAG, tables 4 to 6). A task's
prompts are the sections of `engine/prompts/NAME.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.prompts.templates import render, show, show_plain
from engine.values import Passage
from models.protocols import Generator

REASONING_TOKENS = 64
"""Tokens of a look-ahead sample beside its answer (FB-RAG, section C.3)."""


@dataclass(frozen=True, slots=True)
class Task:
    """One row: prompts and limits."""

    name: str
    answer_tokens: int
    """Limit of an answer; for data sets LongBench's (FB-RAG, section C.3)."""
    sample_tokens: int
    """Limit of the answer within a look-ahead sample; its reasoning has 64 more."""
    personal: bool = False
    """Whether its passages are fenced, its answers cite and it may say "Not found"."""
    one_line: bool = True
    """Whether an answer is one line."""

    def prompt(
        self,
        model: Generator,
        part: str,
        question: str,
        passages: Sequence[Passage] = (),
        fence: str = "",
        **fields: str,
    ) -> str:
        """Return the prompt of a part ("answer", "route", "alone", …) as the model reads it.

        `fence` stands around each passage of a personal question.
        """
        shown = show(passages, fence=fence) if self.personal else show_plain(passages)
        values = {"today": "", "how": "", "examples": ""} | fields
        system = f"{_SYSTEM.get(part, part)} system"
        return render(
            model, self.name, part, system=system, passages=shown, question=question, **values
        )

    @property
    def lookahead_tokens(self) -> int:
        """Limit of a look-ahead sample that reasons before it answers."""
        return self.sample_tokens + REASONING_TOKENS

    @property
    def stop(self) -> tuple[str, ...]:
        """What ends an answer."""
        return ("\n",) if self.one_line and not self.personal else ("\n\n",)


LOOKAHEAD_PARTS = ("reasoning", "thought", "explanation", "answers")
"""The forms of a look-ahead sample that FB-RAG's table 8 compares; the paper's own is the first."""
_SYSTEM = dict.fromkeys(LOOKAHEAD_PARTS, "lookahead")

QUESTION = Task("question", answer_tokens=128, sample_tokens=32, personal=True)

TASKS = {
    task.name: task
    for task in (
        QUESTION,
        Task("multihop", 32, 32),
        Task("qasper", 128, 128),
        Task("narrativeqa", 128, 128),
        Task("multifieldqa", 64, 64),
        Task("qmsum", 512, 512, one_line=False),
        Task("book", 64, 64),
    )
}

DATASETS = {
    "hotpotqa": "multihop",
    "2wikimultihopqa": "multihop",
    "musique": "multihop",
    "nq": "multihop",
    "bamboogle": "multihop",
    "qasper": "qasper",
    "narrativeqa": "narrativeqa",
    "multifieldqa": "multifieldqa",
    "qmsum": "qmsum",
    "popqa": "multihop",
    "triviaqa": "multihop",
    "strategyqa": "multihop",
    "crag": "multihop",
    "pubmedqa": "multihop",
    "quality": "multifieldqa",
    "longbench": "multifieldqa",
    "longbench-2wikimqa": "multihop",
    "longbench-gov_report": "qmsum",
    "longbench-multi_news": "qmsum",
    "longbench-vcsum": "qmsum",
    "longbench-samsum": "qmsum",
    "infinitebench": "book",
    "infinitebench-longbook_sum_eng": "qmsum",
}
"""The task of each data set, a part of a suite being `SUITE-PART`; all other questions are
personal."""
SUITES = ("longbench", "infinitebench")
"""Suites whose parts have the task of the set with the part's name, else the suite's."""


def task_of(dataset: str) -> str:
    """Return the name of the task that a data set's questions are."""
    suite, _, part = dataset.partition("-")
    names = (dataset, part, suite) if suite in SUITES else (dataset,)
    return next((DATASETS[name] for name in names if name in DATASETS), QUESTION.name)
