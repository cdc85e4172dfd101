"""A model in somebody else's runtime, stopped with the run that it works for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from models.protocols import Generator, Piece
from models.stopping import stopped_by, until_stopped


def stopped_with_run(model: Generator) -> Generator:
    """Return the model, told at each call how to find out whether its run was stopped."""
    return cast(Generator, _StoppedWithRun(model))


class _StoppedWithRun:
    """A generator whose pieces end with the run, also where its runtime does not ask."""

    def __init__(self, model: Generator) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def sample(self, prompt: str, **options: Any) -> Iterator[Piece]:
        return until_stopped(self._model.sample(prompt, **_told(options)))

    def sample_many(self, prompts: Sequence[str], **options: Any) -> Iterator[Piece]:
        return until_stopped(self._model.sample_many(prompts, **_told(options)))

    def next_token_logprobs(
        self, prompt: str, choices: Sequence[str], **options: Any
    ) -> list[float]:
        return self._model.next_token_logprobs(prompt, choices, **_told(options))


def _told(options: dict[str, Any]) -> dict[str, Any]:
    return options | {"stopped": stopped_by(options.get("stopped"))}
