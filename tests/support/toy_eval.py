"""`askance eval` with scripted models: its questions are asked in the test's own process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from engine.evaluation.child_process import ChildProcess, StageReached
from engine.evaluation.parallel import EvaluationWorker, OpenModels, Orders, PendingQuestion
from engine.evaluation.runs import Row
from models.roles import ModelSet


class Here:
    """Workers that ask everything in this process, in order."""

    def __init__(self, count: int, orders: Orders, open_models: OpenModels) -> None:
        self._engine = EvaluationWorker(orders, open_models)

    def results(
        self, pieces: Sequence[PendingQuestion]
    ) -> Iterator[tuple[PendingQuestion, list[Row]]]:
        for piece in pieces:
            yield piece, self._engine.rows(piece)


def evaluated_by(
    monkeypatch: pytest.MonkeyPatch, models: ModelSet | Callable[[], ModelSet]
) -> None:
    """Have evaluations asked here, by these models or by what makes them."""

    def chosen(config: object, **choice: object) -> ModelSet:
        return models if isinstance(models, ModelSet) else models()

    def results(worker: Any, piece: object) -> Iterator[object]:
        yield from (one for one in worker._begin()(piece) if not isinstance(one, StageReached))

    monkeypatch.setattr("app.evaluation.workers.model_set", chosen)
    monkeypatch.setattr("app.evaluation.workers.Processes", Here)
    monkeypatch.setattr("app.evaluation.workers.forbid_core_dumps", lambda: None)
    monkeypatch.setattr(ChildProcess, "results", results)
