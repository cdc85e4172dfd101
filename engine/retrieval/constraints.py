"""Limits hits to passages with every phrase, from items without an excluded word."""

from __future__ import annotations

import numpy as np

from engine.retrieval.corpus import Corpus
from engine.retrieval.recall import Scores
from engine.retrieval.scan import Flags
from engine.values import Query


def constrained(scores: Scores, query: Query, corpus: Corpus) -> Scores:
    """Return the scores, shape (…, passages), with 0 for passages that may not be hits.

    All other scores stay the same: phrases and exclusions choose among all that was read, and do
    not change document frequencies and lengths.
    """
    if not (query.phrases or query.excluded):
        return scores
    return np.where(allowed(query, corpus), scores, 0.0)


def allowed(query: Query, corpus: Corpus) -> Flags:
    """Say of each passage whether it may be a hit, shape (passages,)."""
    flags = np.ones(len(corpus.passages), dtype=np.bool_)
    for phrase in query.phrases:
        flags &= corpus.recall.holding(phrase)
    refused: set[int] = set()
    for words in query.excluded:
        held = np.flatnonzero(corpus.recall.holding(words)).tolist()
        refused.update(id(corpus.passages[i].item) for i in held)
    if refused:
        flags &= np.array([id(passage.item) not in refused for passage in corpus.passages])
    return flags
