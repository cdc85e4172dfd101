"""`askance eval` with scripted models: its questions are asked in the test's own process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from engine.evaluation.apart import Apart, At
from engine.evaluation.parallel import Engine, OpenModels, Orders, Task
from engine.evaluation.runs import Row
from models.roles import ModelSet


class Here:
    """Workers that ask everything in this process, in order."""

    def __init__(self, count: int, orders: Orders, open_models: OpenModels) -> None:
        self._engine = Engine(orders, open_models)

    def results(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, list[Row]]]:
        for task in tasks:
            yield task, self._engine.rows(task)


def evaluated_by(
    monkeypatch: pytest.MonkeyPatch, models: ModelSet | Callable[[], ModelSet]
) -> None:
    """Have evaluations asked here, by these models or by what makes them."""

    def chosen(config: object, **choice: object) -> ModelSet:
        return models if isinstance(models, ModelSet) else models()

    def results(worker: Any, piece: object) -> Iterator[object]:
        yield from (one for one in worker._begin()(piece) if not isinstance(one, At))

    monkeypatch.setattr("app.evaluation.workers.model_set", chosen)
    monkeypatch.setattr("app.evaluation.workers.Processes", Here)
    monkeypatch.setattr("app.evaluation.workers.forbid_core_dumps", lambda: None)
    monkeypatch.setattr(Apart, "results", results)
