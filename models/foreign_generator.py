"""A model in somebody else's runtime, stopped with the run that it works for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

from models.protocols import GenerationRequest, Generator, Piece, Stopped
from models.stopping import stopped_by, until_stopped


def stopped_with_run(model: Generator) -> Generator:
    """Return a model that learns with each request whether its run was stopped."""
    return cast(Generator, _StoppedWithRun(model))


class _StoppedWithRun:
    """A generator whose pieces end with the run, even if its runtime never asks."""

    def __init__(self, model: Generator) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def sample(self, request: GenerationRequest) -> Iterator[Piece]:
        told = replace(request, stopped=stopped_by(request.stopped))
        return until_stopped(self._model.sample(told))

    def next_token_logprobs(
        self,
        prompt: str,
        choices: Sequence[str],
        *,
        stopped: Stopped | None = None,
        adapted: bool = False,
    ) -> list[float]:
        return self._model.next_token_logprobs(prompt, choices, stopped=stopped_by(stopped))
