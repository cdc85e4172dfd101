"""The models that take part in an answer, loaded when first used."""

from __future__ import annotations

from collections.abc import Callable

from models.protocols import Generator

Loader = Callable[[str], Generator]
"""Turns a catalogue id into a loaded model; raises `ModelError` or `RuntimeFailed`."""


class ModelSet:
    """Look-ahead and generator by role. One model in both roles is loaded once."""

    def __init__(self, lookahead: str, generator: str, load: Loader) -> None:
        """Remember the ids; nothing is loaded yet."""
        self.lookahead_id = lookahead
        self.generator_id = generator
        self._load = load
        self._loaded: dict[str, Generator] = {}

    def _get(self, model_id: str) -> Generator:
        if model_id not in self._loaded:
            self._loaded[model_id] = self._load(model_id)
        return self._loaded[model_id]

    @property
    def lookahead(self) -> Generator:
        """The small model that looks ahead."""
        return self._get(self.lookahead_id)

    @property
    def generator(self) -> Generator:
        """The large model that writes."""
        return self._get(self.generator_id)

    def close(self) -> None:
        """Free every loaded model."""
        for model in self._loaded.values():
            model.close()
        self._loaded.clear()
