"""What the look-ahead model says of a name or a date that the grammar could not place.

The model only chooses a role among fixed labels, by the log-probability of a letter; the value is
the name or the date as the question has it. Each label is asked for at each letter, since
small models like some letters better than others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.prompts.templates import render, section
from engine.question.analysis import Analysis
from engine.question.question_grammar import dated
from engine.values import Inferred
from models.protocols import Generator
from models.roles import ModelSet

LETTERS = "ABC"
MARGIN = 1.0
"""Log-probability by which a role must beat every other one, mean over the letters."""


def roles_by_model(models: ModelSet, read: Analysis, margin: float = MARGIN) -> list[Inferred]:
    """Return a filter for each known name and each date that the model gives a role.

    Without a name or a date no model is loaded.
    """
    found: list[Inferred] = []
    for words, roles in chosen_among(read):
        role = chosen_from(likelihoods(models.lookahead, read.question, words, roles), margin)
        if role == "date":
            found += dated(words, read.today, "past")
        if role == "sender" and words.casefold() in read.known.senders:
            found.append(Inferred("from", words, words))
        if role == "recipient" and words.casefold() in read.known.recipients:
            found.append(Inferred("to", words, words))
    return found


def chosen_among(read: Analysis) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the names and dates of a question in their order, each with what it may be."""
    for one in sorted(read.mentions, key=lambda one: one.start):
        if one.role == "date":
            yield one.words, ("date", "neither")
        elif one.role == "name":
            yield one.words, ("sender", "recipient", "neither")


def chosen_from(scores: Mapping[str, float], margin: float) -> str | None:
    """Return the likeliest role, or None when another is nearly as likely."""
    first, second = sorted(scores, key=lambda role: -scores[role])[:2]
    return first if scores[first] - scores[second] >= margin else None


def likelihoods(
    model: Generator, question: str, words: str, roles: Sequence[str]
) -> dict[str, float]:
    """Return the log-probability of each role, mean over the orders of the labels."""
    sums = dict.fromkeys(roles, 0.0)
    for turn in range(len(roles)):
        order = [*roles[turn:], *roles[:turn]]
        labels = [
            section("role", role, letter=letter, words=words).strip()
            for role, letter in zip(order, LETTERS, strict=False)
        ]
        prompt = render(model, "role", question=question, words=words, labels="\n".join(labels))
        said = model.next_token_logprobs(prompt, LETTERS[: len(order)])
        for role, logprob in zip(order, said, strict=True):
            sums[role] += logprob / len(roles)
    return sums
