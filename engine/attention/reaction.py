"""How much each token of a context reacts to a question, and each sentence (YOURA, equations 1-6).

The paper runs the model twice, over C and over C·Q. Attention is causal, so the rows of C are the
same in both, and one pass over C·Q gives both vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from engine.language.sentences import Span
from engine.retrieval.recall import Scores
from models.protocols import AttentionColumns

Mean = Literal["arithmetic", "geometric"]
Measure = Literal["reaction", "query"]

SINKS = 4
"""Tokens at the beginning of a window. They draw attention whatever they say (Xiao et al. 2024)."""
_TINY = 1e-12
"""In place of 0 in a geometric mean."""


def reaction(columns: AttentionColumns) -> Scores:
    """Return |AttnVec(C) - AttnVec(C·Q)| of each context token, shape (c,) (equations 1 to 5).

    Layers are averaged. With S and R the column sums over the c rows of the context and the q of
    the query: |S/c - (S + R)/(c + q)|.
    """
    c, q = len(columns.spans), columns.query_tokens
    alone = columns.context_sums / c
    together = (columns.context_sums + columns.query_sums) / (c + q)
    vector: Scores = np.abs(alone - together).mean(axis=0)
    return vector


def evenness(columns: AttentionColumns) -> float:
    """Return what makes reactions of windows of different lengths comparable, as a factor.

    The reaction is q/(c + q) · |S/c - R/q|: the first part depends on lengths alone, and of the
    second one token of c gets 1/c where attention is spread evenly. Times this factor it is a
    multiple of that even share. Within one window it changes no order.
    """
    c, q = len(columns.spans), columns.query_tokens
    return c * (c + q) / q


def token_scores(columns: AttentionColumns, measure: Measure) -> Scores:
    """Return a score a context token, comparable between windows, shape (c,).

    "reaction" is the paper's. It also depends on a token's position: row i of even attention gives
    1/i to each of its tokens, so S/c falls from ln(c)/c to 1/c² along the context, whatever the
    text says. "query" is R/q alone, what the query's rows give.
    """
    if measure == "reaction":
        return reaction(columns) * evenness(columns)
    c, q = len(columns.spans), columns.query_tokens
    given: Scores = columns.query_sums.mean(axis=0) * c / q
    return given


def tokens_of(spans: npt.NDArray[np.int64], sentences: Sequence[Span]) -> list[Span]:
    """Return the first and last (exclusive) token of each sentence, by characters alone.

    Tokens are in order, `spans` as in `AttentionColumns`. A token across two sentences belongs to
    both; a sentence may have none.
    """
    begins, ends = spans[:, 0], spans[:, 1]
    firsts = np.searchsorted(ends, [begin for begin, _ in sentences], side="right")
    lasts = np.searchsorted(begins, [end for _, end in sentences], side="left")
    pairs = zip(firsts.tolist(), lasts.tolist(), strict=True)
    return [(first, max(first, last)) for first, last in pairs]


def sentence_scores(
    vector: Scores, tokens: Sequence[Span], mean: Mean = "arithmetic", sinks: int = SINKS
) -> Scores:
    """Return the mean over each sentence's tokens, shape (sentences,) (equation 6; section 3.3).

    `tokens` are ranges as `tokens_of` gives them. The first `sinks` tokens count for none; a
    sentence without any other scores 0.
    """
    counted = np.log(np.maximum(vector, _TINY)) if mean == "geometric" else vector
    scores = np.zeros(len(tokens))
    for number, (first, last) in enumerate(tokens):
        part = counted[max(first, sinks) : last]
        if len(part):
            scores[number] = np.exp(part.mean()) if mean == "geometric" else part.mean()
    return scores
