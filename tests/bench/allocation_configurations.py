"""What run files say of inference parameters: how well each configuration does, and at what length.

The methods are those of Inference scaling, table 1. DRAG without examples is its RAG.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.errors import DataError
from engine.evaluation.arms import SETTINGS, Arm, arms_of, datasets_of
from engine.evaluation.runs import Run
from engine.strategies import registry
from engine.strategies.baselines import OrderPreserving, Vanilla
from engine.strategies.closed_book import ManyShot, ZeroShot
from engine.strategies.drag import DRAG, IterDRAG
from tests.bench.allocation_fit import Point

METHODS = ("zero-shot", "many-shot", "RAG", "DRAG", "IterDRAG")
FITTED = METHODS[3:]
"""What has k, m and n, and is fitted together."""
OF_ONE_SET = ("worked", "examples_sha256")
"""Settings that differ between data sets: each has examples of its own."""

Theta = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Configuration:
    """One configuration of a method on one data set."""

    method: str
    strategy: str
    theta: Theta | None
    """Documents, examples and rounds; None where as many are shown as fit or as there are."""
    dataset: str
    performance: float
    """Mean of a metric over all questions; what was refused counts as 0."""
    context: float
    """Mean effective context length of what was not refused, in tokens."""
    refused: float
    """Share of the questions that did not fit."""
    read: float | None = None
    """Mean passages behind an answer: documents that did not fit are not k of them."""

    @property
    def label(self) -> str:
        """What it is called in a table of its method."""
        return str(self.theta) if self.theta else self.strategy


def configurations(runs: Sequence[Run], metric: str) -> list[Configuration]:
    """Return every configuration that answered a question. Raises `DataError`.

    It refuses rows that do not belong together: of other settings, or of other questions.
    """
    arms = [arm for arm in arms_of(runs) if _methods(arm)]
    for dataset in datasets_of(arms):
        _refuse_mixed([arm for arm in arms if arm.dataset == dataset], metric)
    _refuse_two_settings(arms, [key for key in SETTINGS[1:] if key not in OF_ONE_SET])
    found = [one for arm in arms if arm.answered for one in _configurations(arm, metric)]
    return sorted(found, key=lambda one: METHODS.index(one.method))


def points_of(found: Sequence[Configuration]) -> list[Point]:
    """Return what the computation allocation model is fitted to, DRAG before IterDRAG."""
    return [
        Point(one.dataset, *one.theta, one.performance, one.context)
        for one in found
        if one.method in FITTED and one.theta
    ]


def best_within(
    found: Sequence[Configuration], dataset: str, method: str, budget: float
) -> Configuration | None:
    """Return a method's best configuration within a budget of tokens; None where none fits."""
    own = [one for one in found if (one.dataset, one.method) == (dataset, method)]
    within = [one for one in own if one.context <= budget]
    return max(within, key=lambda one: one.performance, default=None)


def _methods(arm: Arm) -> list[tuple[str, Theta | None]]:
    """Return which methods of the table a strategy is, with its inference parameters."""
    strategy = registry.get(arm.setting["strategy"])
    if isinstance(strategy, ZeroShot):
        return [("zero-shot", (0, 0, 1))]
    if isinstance(strategy, ManyShot):
        return [("many-shot", (0, strategy.examples, 1) if strategy.examples else None)]
    if isinstance(strategy, Vanilla | OrderPreserving):
        return [("RAG", None)]
    if isinstance(strategy, DRAG):
        theta = (strategy.k, strategy.m, 1)
        without = [("RAG", theta)] if strategy.k and not strategy.m else []
        return [*without, ("DRAG", theta)]
    if isinstance(strategy, IterDRAG):
        return [("IterDRAG", (strategy.k, strategy.m, strategy.n))]
    return []


def _configurations(arm: Arm, metric: str) -> Iterator[Configuration]:
    values = _values(arm, metric).values()
    read = [row["read"] for row in arm.answered if "read" in row]
    for method, theta in _methods(arm):
        yield Configuration(
            method,
            str(arm.setting["strategy"]),
            theta,
            arm.dataset,
            sum(values) / len(values),
            arm.context,
            arm.refused,
            sum(read) / len(read) if read else None,
        )


def _values(arm: Arm, metric: str) -> dict[str, float]:
    """Return a metric by question; a refusal is no answer, so a wrong one."""
    refused = {i: 0.0 for i, row in arm.rows.items() if "tokens" not in row}
    return arm.values(metric) | refused


def _refuse_mixed(arms: Sequence[Arm], metric: str) -> None:
    """Refuse arms of one data set that were not all asked the same in the same way."""
    _refuse_two_settings(arms, SETTINGS[1:])
    asked = {arm.label: _values(arm, metric).keys() for arm in arms}
    everything = set[str]().union(*asked.values())
    for label, questions in asked.items():
        if questions != everything:
            raise DataError(
                f"{arms[0].dataset}: {label} has {len(questions)} of {len(everything)} questions "
                f"with {metric}.",
                remedy="Ask every configuration the same questions; a run goes on from its file.",
            )
    strategies = [arm.setting["strategy"] for arm in arms]
    for one in strategies:
        if strategies.count(one) > 1:
            raise DataError(
                f"{arms[0].dataset}: several run files hold {one}.",
                remedy="Give each configuration once.",
            )


def _refuse_two_settings(arms: Sequence[Arm], keys: Sequence[str]) -> None:
    for key in keys:
        values = sorted({json.dumps(arm.setting[key], sort_keys=True) for arm in arms})
        if len(values) > 1:
            raise DataError(
                f"Rows of two settings: {key} is {values[0]} in some and {values[1]} in others.",
                remedy="Give rows of one setting; only the strategy may differ.",
            )
