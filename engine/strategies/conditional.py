"""Conditional compute: a classifier picks what a question needs (TTRAG section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from engine.compute.question_plan import PlanReading
from engine.compute.vocabulary import QuestionVocabulary
from engine.confidence.reasons import IN_PART, MIXED
from engine.events import Decided, Noted, Steps
from engine.generation.draft import Draft
from engine.routes.labels import MARGIN, Classified, Label, by_model, by_words
from engine.stages import staged
from engine.strategies.computation import compute, understood
from engine.strategies.fb_rag import FBRag
from engine.strategies.key_value import KeyValue
from engine.strategies.summary.scope import scope_of
from engine.strategies.summary.strategy import Summary
from engine.toolbox.steps import Toolbox


@dataclass(frozen=True)
class Conditional:
    """Summary, key-value and aggregate have a route each; everything else is retrieval."""

    name: ClassVar[str] = "conditional"
    summary: ClassVar[str] = "a classifier sends each question to what it needs"
    margin: float = MARGIN
    """How sure the model must be to leave the route of ordinary questions."""
    mode: Literal["auto", "question"] = "auto"
    """question: every question is an ordinary one, and nothing classifies."""

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Classify, take the route; one that finds nothing is followed by retrieval."""
        if self.mode == "question":
            return (yield from self.retrieve(tools))
        vocabulary, read = understood(tools)
        found = yield from staged("understand", tools.timings, self._classify(tools, read))
        yield Noted(_said(found))
        draft = yield from take(tools, found.label, vocabulary, read)
        return draft if draft is not None else (yield from self.retrieve(tools))

    def retrieve(self, tools: Toolbox) -> Steps[Draft]:
        """Answer an ordinary question."""
        return (yield from FBRag().run(tools))

    def _classify(self, tools: Toolbox, read: PlanReading) -> Steps[Classified]:
        yield from ()
        settled = by_words(tools.query.text, read)
        if settled is not None:
            return settled
        with tools.models.lend("lookahead") as model:
            return by_model(model, tools.query.text, self.margin)


def take(
    tools: Toolbox, label: Label, vocabulary: QuestionVocabulary, read: PlanReading
) -> Steps[Draft | None]:
    """Return the draft of a label's route; None leaves the question to retrieval.

    A sure plan, or a person's own, answers "none" when it finds no items. It does not where words
    of the question choose the items, as the texts may use other words. Amounts that were looked at
    in part, or that are of different sorts, answer nothing; a person's own plan shows them. Where
    nothing is from the days asked about, there is nothing to summarise.
    """
    draft, settled = Draft("", ()), False
    if label == "summary":
        draft = yield from Summary().run(tools)
        settled = _names_days(tools, vocabulary)
    elif label == "aggregate":
        draft = yield from compute(tools, vocabulary, read)
        if tools.settings.plan is None and {IN_PART, MIXED}.intersection(draft.reasons):
            yield Decided("route", False, "it came to amounts in part or of different sorts")
            return None
        settled = _settles(tools, read)
    elif label == "key_value":
        draft = yield from KeyValue().run(tools)
    return draft if draft.text or settled else None


def _names_days(tools: Toolbox, vocabulary: QuestionVocabulary) -> bool:
    scope = scope_of(tools.query.text, vocabulary, tools.settings.today)
    return bool(scope.since or scope.until)


def _settles(tools: Toolbox, read: PlanReading) -> bool:
    """Say whether a plan that finds no items proves that there are none."""
    if tools.settings.plan is not None:
        return True
    if read.plan is not None and read.plan.value == "addressee":
        return False  # several people are, and the text may say which one is meant
    by_words = read.plan is None or any(
        source.texts or (source.subjects and read.plan.operation == "list")
        for source in read.plan.sources
    )
    return read.sure and not by_words


def _said(found: Classified) -> str:
    scores = ", ".join(f"{label} {score:.2f}" for label, score in found.scores.items())
    return f"class: {found.label}, by {found.by}{f' ({scores})' if scores else ''}"
