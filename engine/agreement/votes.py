"""Several readings of the evidence, the vote over them, and what contradicts the winner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from engine.agreement.consensus import (
    Consensus,
    Same,
    Similarity,
    as_alike,
    by_embedding,
    by_overlap,
    consensus,
)
from engine.agreement.disagreement import stands
from engine.answer_parts import Usage
from engine.budget.work import RoleName
from engine.checking import abstention
from engine.checking.contradiction import same_answer
from engine.events import Drafted, Steps, Voted
from engine.generation.draft import Draft
from engine.stages import is_past, stage, unseen
from engine.toolbox.budget import DRAFTING_SHARE
from engine.toolbox.steps import Toolbox
from models.protocols import GenerationRequest, Sampling

SIDES_SHOWN = 3
"""Different answers that are written out and judged."""


@stage("vote")
def read_each(
    tools: Toolbox, subsets: Sequence[Sequence[int]], tokens: int, role: RoleName
) -> Steps[list[str]]:
    """Return the likeliest answer from each subset, cut at `tokens`; one batch for all.

    Where time runs out, the texts are used as far as they were written.
    """
    texts = [""] * len(subsets)
    for subset in subsets:
        yield from tools.compress(subset)
    due = tools.budget.due(DRAFTING_SHARE)
    with tools.models.lend(role) as model:
        read = [tools.evidence(subset) for subset in subsets]
        prompts = [tools.asked_over(passages).prompt(model, passages) for passages in read]
        pieces = model.sample(
            GenerationRequest(tuple(prompts), max_tokens=tokens, stop=tools.task.stop)
        )
        for piece in pieces:
            texts[piece.index] += piece.text
            if piece.finished:
                yield Drafted(piece.index, read[piece.index], texts[piece.index].strip())
            if is_past(due):
                break
    return [text.strip() for text in texts]


@stage("vote")
def read_often(
    tools: Toolbox, chosen: Sequence[int], samples: int, temperature: float
) -> Steps[list[Draft]]:
    """Return K whole answers drawn from the same passages, prefilled once.

    Where time runs out, the texts are used as far as they were written.
    """
    replies = [Draft("", ended=False)] * samples
    yield from tools.compress(chosen)
    evidence = tools.evidence(chosen)
    yield tools.passages.selected("vote", chosen)
    due = tools.budget.due(DRAFTING_SHARE)
    with tools.forecast.learning("generator", samples), tools.models.lend("generator") as model:
        prompt = tools.asked_over(evidence).prompt(model, evidence)
        yield from tools.forecast.replies(model, prompt, count=samples)
        pieces = model.sample(
            GenerationRequest(
                (prompt,),
                n=samples,
                max_tokens=tools.task.answer_tokens,
                sampling=Sampling(temperature, seed=tools.settings.seed),
                stop=tools.task.stop,
                logprobs=True,
            )
        )
        for piece in pieces:
            reply = replies[piece.index]
            replies[piece.index] = Draft(
                reply.text + piece.text,
                ended=piece.finished == "stop",
                logprobs=(*reply.logprobs, *piece.logprobs),
            )
            if piece.finished:
                yield Drafted(piece.index, evidence, replies[piece.index].text.strip())
            if is_past(due):
                break
    return [replace(reply, text=reply.text.strip()) for reply in replies]


def sameness(tools: Toolbox) -> Same:
    """Return what tells whether two readings give one answer: to a person, what they state."""
    return partial(same_answer, question=tools.query.text) if tools.task.personal else as_alike


@stage("vote")
def vote(tools: Toolbox, readings: Sequence[str], similarity: Similarity) -> Steps[Consensus]:
    """Compare the readings and say who agrees with whom: to a person, by what they state."""
    yield from ()
    same = sameness(tools)
    if similarity == "embedding":
        with tools.models.lend_encoder() as encoder:
            return consensus(readings, by_embedding(encoder), same)
    return consensus(readings, by_overlap(similarity), same)


@stage("write")
def judge(tools: Toolbox, chosen: Sequence[int], reply: Draft) -> Steps[Draft]:
    """Return a whole reply as a draft, judged where a person asks."""
    yield from ()
    return tools.finish(chosen, reply)


def generated(usage: Usage) -> int:
    """Return how many tokens both models wrote."""
    return usage.lookahead.generated + usage.generator.generated


@dataclass(frozen=True, slots=True)
class Ballot:
    """Readings that vote, and the way from a reading to a whole answer."""

    tools: Toolbox
    readings: Sequence[str]
    similarity: Similarity
    write_out: Callable[[int], Steps[Draft]]
    """Writes the whole answer of a reading; a person's is judged."""
    short: int | None = None
    """Tokens that the readings took, where they were cut short; None: they are whole."""

    def settle(self) -> Steps[Draft]:
        """Return the winner's whole answer with its votes, and the answers that contradict it.

        Only a personal question shows contradicting answers, so only there do readings vote on the
        text that is shown.
        """
        voted = yield from vote(self.tools, self.readings, self.similarity)
        before = self.tools.budget.usage
        draft = yield from self.write_out(voted.winner)
        saved = self._saved(generated(self.tools.budget.usage) - generated(before))
        others: dict[int, Draft] = {}
        if self.tools.task.personal:
            voted = yield from self._with_answer(voted, draft.text)
            cost = self.tools.budget.usage.effective_context - before.effective_context
            voted, others = yield from self._with_others(voted, draft, cost)
        votes = voted.votes
        yield Voted(votes.votes, votes.of, voted.matrix.tolist(), voted.winner, saved)
        draft, *rest = (
            replace(one, agreement=replace(voted.votes_for(i), tokens_saved=saved))
            for i, one in {voted.winner: draft, **others}.items()
        )
        return replace(draft, others=tuple(rest))

    def _saved(self, whole: int) -> int | None:
        """Return the tokens saved: V whole answers less the short ones and the one whole answer."""
        return None if self.short is None else (len(self.readings) - 1) * whole - self.short

    def _with_answer(self, voted: Consensus, answer: str) -> Steps[Consensus]:
        """Return the vote with the winner's whole answer, where it does not begin as its reading.

        A look-ahead model's readings are no votes for what the generator then writes.
        """
        reading = self.readings[voted.winner]
        if reading and answer.startswith(reading):
            return voted
        readings = [*self.readings]
        readings[voted.winner] = answer
        found = yield from vote(self.tools, readings, self.similarity)
        return replace(voted, alike=found.alike)

    def _with_others(
        self, voted: Consensus, draft: Draft, cost: int
    ) -> Steps[tuple[Consensus, dict[int, Draft]]]:
        """Return the vote with whole answers of dissenters, and those that may be shown and differ.

        A reading that finds nothing is no answer to show. Each answer takes about `cost` input
        tokens, as the winner's did; as many are written as time and tokens allow.
        """
        shown = SIDES_SHOWN - (not abstention.denies(draft.text))
        dissent = [i for i in voted.dissenters if not abstention.denies(self.readings[i])]
        whole = {voted.winner: draft}
        for i in dissent[:shown]:
            if not self.tools.budget.late() and cost <= self.tools.budget.tokens_left:
                whole[i] = yield from unseen(self.write_out(i))
        if len(whole) == 1:
            return voted, {}
        texts = [one.text for one in whole.values()]
        voted = voted.amended([*whole], (yield from vote(self.tools, texts, self.similarity)))
        sides: dict[int, Draft] = {}
        for i, one in whole.items():
            if not voted.alike[i, [*sides]].any() and self._stands(one):
                sides[i] = one
        sides.pop(voted.winner, None)
        return voted, sides

    def _stands(self, draft: Draft) -> bool:
        return stands(draft, self.tools.query.text, self.tools.settings.least_confidence)
