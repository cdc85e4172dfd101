"""Ranks the candidates of recall by query likelihood: what reads least is chosen by a model."""

from __future__ import annotations

from engine.events import Noted, Steps
from engine.retrieval import likelihood
from engine.retrieval.embedding import best_candidates
from engine.retrieval.recall import Scores
from engine.stages import stage
from engine.strategies.weigh_words import weighed
from engine.toolbox.steps import Toolbox


def reranked(tools: Toolbox, scores: Scores) -> Steps[Scores]:
    """Return the scores of recall, shape (passages,), in the order of query likelihood.

    A sparse encoder, where one is installed, chooses the candidates among those of recall.
    Raises `ModelMissing` where no ranker is installed, and `TimeSpent`.
    """
    by_words = scores
    if tools.models.roles.sparse_encoder_id is not None:
        by_words = yield from weighed(tools, scores)
    return (yield from _by_likelihood(tools, scores, by_words))


@stage("select")
def _by_likelihood(tools: Toolbox, scores: Scores, by_words: Scores) -> Steps[Scores]:
    best = best_candidates(by_words, likelihood.CANDIDATES)
    candidates = tools.passages.readable_numbers(best)
    texts = [passage.text for passage in tools.passages(candidates)]
    with tools.models.lend_ranker() as ranker:
        likely = ranker.likelihoods(tools.query.text, texts)
    found = likelihood.reranked(scores, by_words, candidates, likely)
    yield Noted(f"ranked by how likely the question is behind each: {len(candidates)} passages")
    yield tools.passages.ranked("select", found, {"backward": scores})
    return found
