"""YOURA's reaction computed as the paper has it, from whole matrices and in two passes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from engine.attention.reaction import reaction
from models.protocols import AttentionColumns

STORY = "Ann met Bob in Oslo on Monday. They spoke of the lease. "
QUERY = "Who met Bob, and where?"


def maps(network: Any, tokens: list[int]) -> npt.NDArray[np.float64]:
    """Return whole attention matrices, mean over heads; shape (layers, rows, columns)."""
    with torch.no_grad():
        said = network(torch.tensor([tokens]), output_attentions=True)
    return np.stack([layer[0].double().mean(dim=0).numpy() for layer in said.attentions])


def reaction_of(columns: AttentionColumns) -> npt.NDArray[np.float64]:
    """Return YOURA's reaction vector of each layer from one pass."""
    parts = [slice(layer, layer + 1) for layer in range(len(columns.layers))]
    return np.stack(
        [
            reaction(
                replace(
                    columns,
                    context_sums=columns.context_sums[part],
                    query_sums=columns.query_sums[part],
                )
            )
            for part in parts
        ]
    )


def two_passes(
    network: Any, context: list[int], query: list[int], layers: list[int]
) -> npt.NDArray[np.float64]:
    """Return them as the paper computes them: column means of C alone and of C with Q."""
    alone = maps(network, context)[layers].mean(axis=1)
    both = maps(network, [*context, *query])[layers].mean(axis=1)
    return np.abs(alone - both[:, : len(context)])
