"""Draws tokens from logits in numpy: temperature, top-k, top-p, min-p, then a draw."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from models.protocols import Sampling

Top = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]
"""The likeliest tokens, likeliest first, and their logits."""


class LogitRows(Protocol):
    """The logits of the last batch, which tokens are drawn from."""

    def top(self, row: int, k: int) -> Top:
        """Return the `k` likeliest tokens of a row; 0: all."""


class Draws:
    """The draws of one sequence. A temperature of 0 is greedy and draws nothing."""

    def __init__(self, source: LogitRows, sampling: Sampling, seed: int) -> None:
        """`seed` may be any whole number; equal seeds draw equally from equal logits."""
        self._source = source
        self._sampling = sampling
        self._greedy = sampling.temperature <= 0
        self._chance = np.random.default_rng(seed & 0xFFFFFFFF)

    def draw(self, row: int) -> int:
        """Draw a token from the logits of a batch row."""
        tokens, logits = self._source.top(row, 1 if self._greedy else self._sampling.top_k)
        if self._greedy:
            return int(tokens[0])
        shares = np.cumsum(kept_shares(logits, self._sampling))
        at = np.searchsorted(shares, self._chance.random() * shares[-1], side="right")
        return int(tokens[min(int(at), len(shares) - 1)])

    def close(self) -> None:
        """Do nothing, since nothing is held."""


def kept_shares(logits: npt.NDArray[np.float64], sampling: Sampling) -> npt.NDArray[np.float64]:
    """Return the shares of the tokens that may be drawn, likeliest first; they need not sum to 1.

    `logits` are sorted, likeliest first. The likeliest is always kept.
    """
    shares: npt.NDArray[np.float64] = np.exp((logits - logits[0]) / sampling.temperature)
    shares /= shares.sum()
    before = np.cumsum(shares) - shares
    before[0] = -1
    kept = before < sampling.top_p
    kept &= shares >= sampling.min_p * shares[0]
    return shares[: int(kept.sum())]


def log_softmax(logits: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Return log-probabilities; the logits stay as they are."""
    exact = logits.astype(np.float64)
    exact -= exact.max()
    exact -= np.log(np.exp(exact).sum())
    return exact
