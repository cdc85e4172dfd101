"""The models that take part in an answer: loaded when first used, unloaded when in the way."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from models.protocols import Generator

Loader = Callable[[str], Generator]
"""Turns a catalogue id into a loaded model; raises `ModelError` or `RuntimeFailed`."""
FitTogether = Callable[[str, str], bool]
"""Says by estimate whether two models have room in memory at once."""


@dataclass(frozen=True, slots=True)
class Loading:
    """That a model was loaded, and what it cost."""

    model_id: str
    seconds: float
    instead_of: str | None = None
    """The model that had to go because both do not fit; its cached prompts went with it."""


class ModelSet:
    """Look-ahead and generator by role. One model in both roles is loaded once."""

    def __init__(
        self,
        lookahead: str,
        generator: str,
        load: Loader,
        *,
        fit_together: FitTogether = lambda one, other: True,
        idle_seconds: float | None = None,
        show: Callable[[Loading], object] = lambda loading: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Remember the ids; nothing is loaded yet.

        After `idle_seconds` without use `release_idle` unloads a model; None: never. `show` is
        told of every loading.
        """
        self.lookahead_id = lookahead
        self.generator_id = generator
        self.loadings: list[Loading] = []
        self._load = load
        self._fit_together = fit_together
        self._idle_seconds = idle_seconds
        self._show = show
        self._clock = clock
        self._loaded: dict[str, Generator] = {}
        self._used: dict[str, float] = {}

    def _get(self, model_id: str) -> Generator:
        if model_id in self._loaded and self._loaded[model_id].closed:
            del self._loaded[model_id]  # memory ran out while it was at work
        if model_id not in self._loaded:
            self._load_into_room(model_id)
        self._used[model_id] = self._clock()
        return self._loaded[model_id]

    def _load_into_room(self, model_id: str) -> None:
        began = self._clock()
        in_the_way = [other for other in self._loaded if not self._fit_together(other, model_id)]
        for other in in_the_way:
            self._unload(other)
        self._loaded[model_id] = self._load(model_id)
        loading = Loading(model_id, self._clock() - began, next(iter(in_the_way), None))
        self.loadings.append(loading)
        self._show(loading)

    @property
    def lookahead(self) -> Generator:
        """The small model that looks ahead."""
        return self._get(self.lookahead_id)

    @property
    def generator(self) -> Generator:
        """The large model that writes."""
        return self._get(self.generator_id)

    def release_idle(self) -> list[str]:
        """Unload what was not used for `idle_seconds`; return the ids.

        Not while an answer is written: a model is counted as used when it is asked for.
        """
        if self._idle_seconds is None:
            return []
        before = self._clock() - self._idle_seconds
        idle = [model_id for model_id in self._loaded if self._used[model_id] <= before]
        for model_id in idle:
            self._unload(model_id)
        return idle

    def forget(self) -> None:
        """Drop what loaded models keep of earlier prompts.

        What is computed upon a kept prompt is rounded otherwise than what is computed at once, so
        that the same question and seed could give another reply.
        """
        for model in self._loaded.values():
            model.forget()

    def _unload(self, model_id: str) -> None:
        self._loaded.pop(model_id).close()

    def close(self) -> None:
        """Free every loaded model."""
        for model_id in list(self._loaded):
            self._unload(model_id)
