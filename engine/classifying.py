"""Which of four kinds of work a question needs (TTRAG section 3.3).

What the words of the question settle is settled without a model: a key, a word for summarising,
or a plan in which every word has its part. For the rest the look-ahead model chooses among four
labels, by the log-probability of a letter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from engine.compute.understand import Understanding
from engine.prompting import render, section
from models.protocols import Generator

Label = Literal["question", "key_value", "summary", "aggregate"]
LABELS: tuple[Label, ...] = get_args(Label)
LETTERS = "ABCD"
MARGIN = 1.0
"""Log-probability by which another label must beat "question", mean over the letters."""

_KEY = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{16,}\b"
    r"|\b(?:key|field|setting|variable|property|parameter)\b \S*[\w.-]+",
    re.IGNORECASE,
)
_VALUE = re.compile(r"\b(?:value|stored|holds?|set to|equals?|belongs? to|under)\b", re.IGNORECASE)
_SUMMARY = re.compile(
    r"\b(?:summar(?:y|ies|i[sz]e[ds]?|i[sz]ing)|overview|recap|digest|gist|synopsis|tl;?dr"
    r"|(?:main|key|essential) points?|catch me up|bring me up to (?:speed|date)|sum up"
    r"|in a nutshell|condense|outline)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Classified:
    """A label, and how it was found."""

    label: Label
    by: Literal["words", "plan", "model"]
    scores: Mapping[Label, float] = field(default_factory=dict)
    """Of the model: mean log-probability of each label."""


def by_words(question: str, read: Understanding | None = None) -> Classified | None:
    """Return the label that the question's words settle, or None."""
    if _KEY.search(question) and _VALUE.search(question):
        return Classified("key_value", "words")
    if _SUMMARY.search(question):
        return Classified("summary", "words")
    if read is not None and read.sure:
        return Classified("aggregate", "plan")
    return None


def by_model(model: Generator, question: str, margin: float = MARGIN) -> Classified:
    """Return the label that the model finds likeliest; "question" where it is not sure."""
    scores = likelihoods(model, question)
    best = max(LABELS, key=lambda label: scores[label])
    sure = scores[best] - scores["question"] >= margin
    return Classified(best if sure else "question", "model", scores)


def likelihoods(model: Generator, question: str) -> dict[Label, float]:
    """Return the log-probability of each label, mean over the orders in which they are listed."""
    sums: dict[Label, float] = dict.fromkeys(LABELS, 0.0)
    for turn in range(len(LABELS)):
        order = (*LABELS[turn:], *LABELS[:turn])
        labels = [
            section("classify", label.replace("_", " "), letter=letter).strip()
            for label, letter in zip(order, LETTERS, strict=True)
        ]
        prompt = render(model, "classify", question=question, labels="\n".join(labels))
        said = model.next_token_logprobs(prompt, LETTERS)
        for label, logprob in zip(order, said, strict=True):
            sums[label] += logprob / len(LABELS)
    return sums
