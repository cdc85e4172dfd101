"""Iterative query rewriting (TTRAG section 3.2 and A.8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

from engine.checking import abstention
from engine.events import FollowedUp, Steps
from engine.generation.draft import Draft
from engine.prompts.templates import render, show, show_plain
from engine.retrieval.recall import Scores, best_first
from engine.strategies.embedding import CANDIDATES, Ce, CeFilter, Retriever
from engine.toolbox.steps import Toolbox
from models.protocols import Beginnings, Generator

ANSWER = "Answer: "
REWRITTEN = "Rewritten question: "

Ranker = Literal["bm25", "ce_filter", "ce"]


@dataclass(frozen=True)
class Rewrite:
    """A few passages at a time: the model answers, or asks better with what it has read."""

    name: ClassVar[str] = "rewrite"
    summary: ClassVar[str] = "a few passages at a time; rewrites the question until they answer"
    documents: int = 3
    """Passages a round."""
    rewrites: int = 3
    """Rewritten questions at most."""
    total: int = 12
    """Passages over all rounds at most (k)."""
    ranker: Ranker = "bm25"
    weight: float = field(default=0.5, metadata={"most": 1})
    """Of the encoder's score against that of BM25, where an encoder ranks; 1 is the paper's."""
    plain: float = field(default=0.5, metadata={"most": 1})
    """Share of ordinary embeddings in the cosine of `ranker=ce`; 0 is the paper's."""
    candidates: int = CANDIDATES
    retriever: Retriever = "bm25"
    """What finds the candidates of an encoder; the paper's is "embedding"."""

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Retrieve, then answer or rewrite. No passage is shown twice (ours).

        So rounds share only the head of their prompts in the cache; to keep earlier passages in
        front would cost more context than it saves, and what they said is in the new question.
        Without an answer at the limit all passages seen are read together (ours).
        """
        question, seen = tools.query.text, list[int]()
        asked = {question}
        for index in range(self.rewrites + 1):
            room = min(self.documents, self.total - len(seen))
            fresh = yield from self._retrieve(tools, question, seen, room)
            if not fresh:
                break
            seen += fresh
            written = yield from self._answer_or_rewrite(tools, question, fresh)
            if written.text.startswith(ANSWER.strip()):
                reply = written.text.removeprefix(ANSWER.strip()).strip()
                draft = tools.finish(fresh, replace(written, text=reply))
                if not abstention.denies(reply) and _sure(tools, draft):
                    return draft
            question = written.text.removeprefix(REWRITTEN.strip()).strip()
            if not question or question in asked or written.text.startswith(ANSWER.strip()):
                break
            asked.add(question)
            yield FollowedUp(index, question, "")
        return (yield from tools.write(seen))

    def _retrieve(
        self, tools: Toolbox, question: str, seen: Sequence[int], count: int
    ) -> Steps[list[int]]:
        """Return the best passages for the question that were not seen yet.

        Passages already seen are no candidates for the encoder either, as it can rank only a few.
        """
        scores: Scores = tools.passages.scores_of(question)
        scores[list(seen)] = 0.0
        yield tools.passages.ranked("recall", scores)
        if self.ranker != "bm25":
            scores = yield from self._encoder().rank(tools, question, scores, seen)
        fitting = set(tools.fit_generator(scores)) if scores.any() else set()
        return [int(i) for i in best_first(scores) if int(i) in fitting][:count]

    def _encoder(self) -> CeFilter:
        if self.ranker == "ce":
            return Ce(self.candidates, self.weight, self.retriever, self.plain)
        return CeFilter(self.candidates, self.weight, self.retriever)

    def _answer_or_rewrite(
        self, tools: Toolbox, question: str, fresh: Sequence[int]
    ) -> Steps[Draft]:
        personal = tools.task.personal

        def prompt(model: Generator) -> str:
            evidence = tools.passages(fresh)  # as they are by then: a compressor may come before
            return render(
                model,
                "rewriting",
                system="personal system" if personal else "system",
                passages=show(evidence) if personal else show_plain(evidence),
                question=f"{question}\n{tools.language_remark(evidence)}".strip(),
            )

        return tools.reply_to(
            prompt, fresh, stage="ask", stop=("\n",), constraint=Beginnings((ANSWER, REWRITTEN))
        )


def _sure(tools: Toolbox, draft: Draft) -> bool:
    """Say whether the generator, asked again, confirms a personal answer."""
    return draft.confidence is None or draft.confidence >= tools.settings.least_confidence
