"""Turns one answer into a row: scores, offsets, tokens, seconds and hashes; never a passage."""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from engine.checking import abstention
from engine.checking.draft_sentences import MARKER
from engine.evaluation import metrics
from engine.evaluation.questions import Question, Support
from engine.events import Event, Noted, Ranked, Selected
from engine.prompts.tasks import TASKS
from engine.values import Answer, Passage
from ingest.item import Locator

RECALL_AT = (2, 5, 10)
NDCG_AT = 10
TRAIL = 10
"""Passages of each ranking whose places are kept."""
LEFT_FORM = re.compile(r"(\d+) of (\d+) replies left the form of Self-Ask")
"""The note of IterDRAG about a model that no constraint could hold to the form."""


@dataclass(slots=True)
class EventRecord:
    """Figures from the events before an answer."""

    rankings: dict[str, Sequence[Passage]] = field(default_factory=dict)
    """The last ranking of each stage."""
    read: Sequence[Passage] = ()
    """Passages that the generator was given for its answer."""
    asked: int = 0
    """Replies that should have the form of Self-Ask."""
    left_form: int = 0
    """How many of them had another form."""

    def note(self, event: Event) -> None:
        """Take an event in."""
        if isinstance(event, Ranked):
            self.rankings[event.stage] = event.passages
        elif isinstance(event, Selected) and event.stage == "write":
            self.read = event.kept
        elif isinstance(event, Selected) and event.stage == "ask":
            self.asked += 1
        elif isinstance(event, Noted) and (said := LEFT_FORM.fullmatch(event.text)):
            self.left_form, self.asked = int(said[1]), int(said[2])

    def scores_for(self, support: Sequence[Support]) -> dict[str, float | None]:
        """Return the share of gold evidence among the passages of the answer's prompt, where any is
        known, and of replies that left the form of Self-Ask, where any was asked for.

        The first is the recall of all rounds of IterDRAG together (Inference scaling, table 5).
        """
        scores: dict[str, float | None] = {}
        if support:
            scores["read_recall"] = metrics.recall_at(self.read, support, len(self.read))
        if self.asked:
            scores["left_form"] = self.left_form / self.asked
        return scores


def row_of(question: Question, answer: Answer, trail: EventRecord) -> dict[str, Any]:
    """Return the row of an answer."""
    rankings = trail.rankings
    return {
        "scores": _scores(question, answer, rankings) | trail.scores_for(question.support),
        "read": len(trail.read),
        "grounded": answer.grounded,
        "confidence": answer.confidence,
        "tokens": asdict(answer.usage),
        "effective_context": answer.usage.effective_context,
        "agreement": asdict(answer.agreement) if answer.agreement else None,
        "seconds": {name: round(value, 3) for name, value in answer.timings.items()},
        "answer": answer.text,
        "raw": answer.raw,
        "answer_sha256": hashlib.sha256(answer.text.encode()).hexdigest(),
        "cited": [citation.how for citation in answer.citations if citation.support],
        "evidence": _evidence(question, answer, rankings),
        "machine": f"{platform.system()} {platform.machine()}",
    }


def _evidence(
    question: Question, answer: Answer, rankings: dict[str, Sequence[Passage]]
) -> dict[str, list[dict[str, Any]]]:
    """Return the places of ranked and cited passages, and which are gold; no text."""
    trail = {
        stage: [_place(p, p.start, p.end, question.support) for p in ranked[:TRAIL]]
        for stage, ranked in rankings.items()
    }
    trail["cited"] = [
        _place(c.passage, c.start, c.end, question.support) | {"id": c.id, "how": c.how}
        for c in answer.citations
        if c.support
    ]
    return trail


def _place(passage: Passage, start: int, end: int, support: Sequence[Support]) -> dict[str, Any]:
    """Return a place in an item: its locator, offsets, and whether it is gold evidence."""
    locator = passage.item.locator
    known = {one.name: getattr(locator, one.name) for one in fields(Locator)}
    known = {name: value for name, value in known.items() if value is not None}
    path: Path = known.pop("path")
    gold = any(one.held_by(passage) for one in support) if support else None
    return {"file": path.name, **known, "start": start, "end": end, "gold": gold}


def _scores(
    question: Question, answer: Answer, rankings: dict[str, Sequence[Passage]]
) -> dict[str, float | None]:
    """Return every score that applies; an abstention is a wrong answer to a real question.

    Data sets score what the generator says, as their papers do, whether it is supported or not.
    """
    if TASKS[answer.query.task].personal:
        abstained = answer.grounded == "none"
        plain = "" if abstained else _without_markers(answer.text)
    else:
        abstained = abstention.denies(answer.raw)
        plain = answer.raw
    scores: dict[str, float | None] = {"abstained": float(abstained)}
    scores["rightly_abstained" if question.unanswerable else "wrongly_abstained"] = float(abstained)
    if question.answers and not question.unanswerable:
        scores |= answer_scores(question, plain)
    if not abstained:
        scores["answer_words"] = float(len(plain.split()))
    if question.support:
        precision, recall = metrics.citation_scores(answer.citations, question.support)
        scores |= {"citation_precision": precision, "citation_recall": recall}
        for stage, ranked in rankings.items():
            scores |= _ranking_scores(stage, ranked, question.support)
    return scores


def answer_scores(question: Question, said: str) -> dict[str, float | None]:
    """Return the scores of a reply against the question's gold answers."""
    scores: dict[str, float | None] = {
        "em": metrics.exact_match(said, question.answers),
        "f1": metrics.token_f1(said, question.answers),
        "acc": metrics.accuracy(said, question.answers),
        "substring": metrics.substring_match(said, question.answers),
        "holds": metrics.holds(said, question.answers),
    }
    if question.mode == "summary":
        scores["rouge_l"] = metrics.rouge_l(said, question.answers)
    if question.mode == "all" and question.answers:
        precision, recall, f1 = metrics.list_scores(said, question.answers)
        scores |= {"list_precision": precision, "list_recall": recall, "list_f1": f1}
    if question.options and question.answer_index is not None:
        scores["choice"] = metrics.choice_accuracy(said, question.options, question.answer_index)
    return scores


def _ranking_scores(
    stage: str, ranked: Sequence[Passage], support: Sequence[Support]
) -> dict[str, float | None]:
    found: dict[str, float | None] = {
        f"{stage}_recall@{k}": metrics.recall_at(ranked, support, k) for k in RECALL_AT
    }
    found[f"{stage}_ndcg@{NDCG_AT}"] = metrics.ndcg_at(ranked, support, NDCG_AT)
    found[f"{stage}_mrr"] = metrics.reciprocal_rank(ranked, support)
    return found


def _without_markers(text: str) -> str:
    return MARKER.sub("", text)
