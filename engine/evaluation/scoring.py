"""Turns one answer into a row: scores, tokens, seconds and hashes; never a passage."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from engine import abstaining, citing
from engine.evaluation import metrics
from engine.evaluation.data import Question
from engine.events import Event, Ranked
from engine.tasks import TASKS
from engine.values import Answer, Passage

RECALL_AT = (2, 5, 10)


def note(event: Event, rankings: dict[str, Sequence[Passage]]) -> None:
    """Keep the last ranking of each stage."""
    if isinstance(event, Ranked):
        rankings[event.stage] = event.passages


def row_of(
    question: Question, answer: Answer, rankings: dict[str, Sequence[Passage]]
) -> dict[str, Any]:
    """Return what is kept of an answer."""
    return {
        "scores": _scores(question, answer, rankings),
        "grounded": answer.grounded,
        "confidence": answer.confidence,
        "tokens": asdict(answer.usage),
        "agreement": asdict(answer.agreement) if answer.agreement else None,
        "seconds": {name: round(value, 3) for name, value in answer.timings.items()},
        "answer": answer.text,
        "raw": answer.raw,
        "answer_sha256": hashlib.sha256(answer.text.encode()).hexdigest(),
        "cited": [citation.how for citation in answer.citations if citation.support],
        "machine": f"{platform.system()} {platform.machine()}",
    }


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
        abstained = abstaining.denies(answer.raw)
        plain = answer.raw
    scores: dict[str, float | None] = {"abstained": float(abstained)}
    if not question.unanswerable:
        scores |= {
            "em": metrics.exact_match(plain, question.answers),
            "f1": metrics.token_f1(plain, question.answers),
            "acc": metrics.accuracy(plain, question.answers),
            "substring": metrics.substring_match(plain, question.answers),
        }
        if question.mode == "summary":
            scores["rouge_l"] = metrics.rouge_l(plain, question.answers)
    if not abstained:
        scores["answer_words"] = float(len(plain.split()))
    if question.support:
        precision, recall = metrics.citation_scores(answer.citations, question.support)
        scores |= {"citation_precision": precision, "citation_recall": recall}
        for stage, ranked in rankings.items():
            for k in RECALL_AT:
                scores[f"{stage}_recall@{k}"] = metrics.recall_at(ranked, question.support, k)
    return scores


def _without_markers(text: str) -> str:
    return citing.MARKER.sub("", text)
