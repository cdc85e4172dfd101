"""The command line with scripted models: its engine answers in the test's own process."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.backend.composition import make_engine
from models.roles import ModelSet


def asked_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have `ask`, `demo` and `--plain` answered in this process, by the models there are."""
    monkeypatch.setattr("app.backend.client.EngineProcess", make_engine)


def answered_by(monkeypatch: pytest.MonkeyPatch, models: ModelSet | Callable[[], ModelSet]) -> None:
    """Have `ask`, `demo` and `--plain` answered here, by these models or by what makes them."""

    def chosen(config: object, **choice: object) -> ModelSet:
        return models if isinstance(models, ModelSet) else models()

    monkeypatch.setattr("app.backend.composition.model_set", chosen)
    asked_here(monkeypatch)
