"""Passages that say it in other words: a sparse encoder ranks the candidates of recall anew."""

from __future__ import annotations

from engine.events import Noted, Steps
from engine.retrieval import sparse
from engine.retrieval.embedding import best_candidates
from engine.retrieval.recall import Scores
from engine.stages import stage
from engine.toolbox.steps import Toolbox

MOST_SHOWN = 8
"""Words beside those of the question that `--explain` shows."""


@stage("select")
def weighed(tools: Toolbox, scores: Scores) -> Steps[Scores]:
    """Return the scores, shape (passages,), with the candidates ranked by both.

    Raises `ModelMissing` where no sparse encoder is installed, and `TimeSpent`.
    """
    candidates = tools.passages.readable_numbers(best_candidates(scores, sparse.CANDIDATES))
    texts = [passage.searched for passage in tools.passages(candidates)]
    with tools.models.lend_sparse_encoder() as encoder:
        question = encoder.expand(tools.query.text)
        products = encoder.scores(question, texts)
    own = tools.query.text.casefold()
    other = [word for word in question.words if word.isalpha() and word not in own]
    yield Noted(f"words of the same meaning: {', '.join(other[:MOST_SHOWN]) or 'none'}")
    found = sparse.weighed(scores, candidates, products)
    yield tools.passages.ranked("select", found, {"backward": scores})
    return found
