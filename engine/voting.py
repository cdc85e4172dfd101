"""Several readings of the evidence, the vote over them, and what contradicts the winner."""

from __future__ import annotations

from collections.abc import Generator as Steps
from collections.abc import Sequence
from dataclasses import replace

from engine import abstaining
from engine.consensus import Consensus, Similarity, by_embedding, by_overlap, consensus
from engine.drafts import Draft, Reading
from engine.events import Drafted, Event, Token, Voted
from engine.pace import RoleName
from engine.stages import staged
from engine.steps import Toolbox
from engine.writing import Written
from models.protocols import Sampling

OTHERS_SHOWN = 2
"""Answers beside the winner's that are written out and judged."""


def read_each(
    tools: Toolbox, subsets: Sequence[Sequence[int]], tokens: int, role: RoleName
) -> Steps[Event, None, list[str]]:
    """Return the likeliest answer from each subset, cut at `tokens`; one batch for all."""
    return staged("vote", tools.timings, _read_each(tools, subsets, tokens, role))


def _read_each(
    tools: Toolbox, subsets: Sequence[Sequence[int]], tokens: int, role: RoleName
) -> Steps[Event, None, list[str]]:
    texts = [""] * len(subsets)
    for subset in subsets:
        yield from tools.compress(subset)
    with tools.metered(role) as model:
        prompts = [tools.asked.prompt(model, tools.passages(subset)) for subset in subsets]
        pieces = model.sample_many(
            prompts, max_tokens=tokens, sampling=Sampling(), stop=tools.task.stop
        )
        for piece in pieces:
            texts[piece.index] += piece.text
            if piece.finished:
                read = tools.passages(subsets[piece.index])
                yield Drafted(piece.index, read, texts[piece.index].strip())
    return [text.strip() for text in texts]


def read_often(
    tools: Toolbox, chosen: Sequence[int], samples: int, temperature: float
) -> Steps[Event, None, list[Written]]:
    """Return K whole answers drawn from the same passages, prefilled once."""
    return staged("vote", tools.timings, _read_often(tools, chosen, samples, temperature))


def _read_often(
    tools: Toolbox, chosen: Sequence[int], samples: int, temperature: float
) -> Steps[Event, None, list[Written]]:
    replies = [Written("", ended=False, doubt=0.0)] * samples
    yield from tools.compress(chosen)
    evidence = tools.passages(chosen)
    yield tools.selected("vote", chosen)
    with tools.metered("generator") as model:
        pieces = model.sample(
            tools.asked.prompt(model, evidence),
            n=samples,
            max_tokens=tools.task.answer_tokens,
            sampling=Sampling(temperature, seed=tools.seed),
            stop=tools.task.stop,
            watch=("Not",),
        )
        doubt = 0.0
        for piece in pieces:
            if piece.watched:
                doubt = piece.watched[0]
            reply = replies[piece.index]
            ended = piece.finished == "stop"
            replies[piece.index] = Written(reply.text + piece.text, ended, doubt)
            if piece.finished:
                yield Drafted(piece.index, evidence, replies[piece.index].text.strip())
    return [replace(reply, text=reply.text.strip()) for reply in replies]


def vote(
    tools: Toolbox, readings: Sequence[str], similarity: Similarity
) -> Steps[Event, None, Consensus]:
    """Compare the readings and say who agrees with whom."""
    return staged("vote", tools.timings, _vote(tools, readings, similarity))


def _vote(
    tools: Toolbox, readings: Sequence[str], similarity: Similarity
) -> Steps[Event, None, Consensus]:
    if similarity == "embedding":
        with tools.encoding() as encoder:
            found = consensus(readings, by_embedding(encoder))
    else:
        found = consensus(readings, by_overlap(similarity))
    yield Voted(found.votes.votes, found.votes.of, found.matrix.tolist(), found.winner)
    return found


def dissent(
    tools: Toolbox, draft: Draft, voted: Consensus, subsets: Sequence[Sequence[int]]
) -> Steps[Event, None, Draft]:
    """Return the winner's draft with its votes, and with what other subsets really answer.

    Only a personal question has them written out: their prompts are still in the cache.
    """
    others: list[Draft] = []
    if tools.task.personal:
        for subset in subsets[:OTHERS_SHOWN]:
            others.append((yield from _unseen(tools.write(subset))))
    return with_others(tools, draft, voted, others)


def _unseen(steps: Steps[Event, None, Draft]) -> Steps[Event, None, Draft]:
    """Pass all events on but tokens, which would run into the answer that is shown."""
    while True:
        try:
            event = next(steps)
        except StopIteration as stop:
            draft: Draft = stop.value
            return draft
        if not isinstance(event, Token):
            yield event


def with_others(tools: Toolbox, draft: Draft, voted: Consensus, others: Sequence[Draft]) -> Draft:
    """Return a draft with its votes and the contradicting answers the generator is sure of."""
    sure = [
        Reading(other.text, other.evidence)
        for other in others
        if other.confidence is not None
        and other.confidence >= tools.least_confidence
        and not abstaining.denies(other.text)
    ]
    return replace(draft, agreement=voted.votes, others=tuple(sure[:OTHERS_SHOWN]))
