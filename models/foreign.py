"""Runtimes that installed packages bring: entry points of the group `askance.runtimes`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from models.errors import RuntimeFailed
from models.stopping import stopped_by, until_stopped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from models.protocols import Generator, Piece

GROUP = "askance.runtimes"


@dataclass(frozen=True, slots=True)
class Runtime:
    """What an entry point of the group names: something that runs model files."""

    formats: frozenset[str]
    """Of the catalogue, "gguf" and "safetensors", which it can run."""
    load: Callable[[Path, str, int], Generator]
    """Takes a checked file, the model's id, the tokens of its context. Raises `RuntimeFailed`."""

    def open(self, path: Path, model_id: str, context: int) -> Generator:
        """Load a model that stops with the run it works for. Raises `RuntimeFailed`."""
        return cast("Generator", _StoppedWithRun(self.load(path, model_id, context)))


class _StoppedWithRun:
    """A generator that is told, at each call, how to find out whether its run was stopped."""

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


def found() -> tuple[str, ...]:
    """Return the names that the setting `models.runtime` may have besides; nothing is imported."""
    return tuple(point.name for point in entry_points(group=GROUP))


def runtime(name: str) -> Runtime:
    """Return the runtime of this name. Raises `RuntimeFailed` for one that cannot be used."""
    for point in entry_points(group=GROUP, name=name):
        try:
            brought = point.load()
        except (ImportError, AttributeError, OSError) as error:
            raise _unusable(name, f"it cannot be imported ({error})") from error
        if not isinstance(brought, Runtime):
            raise _unusable(name, "it is no models.foreign.Runtime")
        return brought
    raise _unusable(name, "no installed package brings it")


def _unusable(name: str, why: str) -> RuntimeFailed:
    return RuntimeFailed(
        f"The runtime {name!r} cannot be used: {why}.",
        remedy='Set `runtime` under [models] to "auto", or update the package.',
    )
