"""Runtimes that installed packages bring: entry points of the group `askance.runtimes`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from models.errors import RuntimeFailed

if TYPE_CHECKING:
    from models.protocols import Generator

GROUP = "askance.runtimes"


@dataclass(frozen=True, slots=True)
class Runtime:
    """What an entry point of the group names: something that runs model files."""

    formats: frozenset[str]
    """The formats of the catalogue that it can run, of "gguf" and "safetensors"."""
    load: Callable[[Path, str, int], Generator]
    """Takes a checked file, the model's id, the tokens of its context. Raises `RuntimeFailed`."""

    def open(self, path: Path, model_id: str, context: int) -> Generator:
        """Load a model that stops with the run it works for. Raises `RuntimeFailed`."""
        # Imported here, since the settings import this module before the first screen is drawn.
        from models.foreign_generator import stopped_with_run

        return stopped_with_run(self.load(path, model_id, context))


def found() -> tuple[str, ...]:
    """Return the further names that `models.runtime` may have. Imports no package."""
    return tuple(point.name for point in entry_points(group=GROUP))


def runtime(name: str) -> Runtime:
    """Return the runtime of this name. Raises `RuntimeFailed` for one that cannot be used."""
    for point in entry_points(group=GROUP, name=name):
        try:
            brought = point.load()
        except (ImportError, AttributeError, OSError) as error:
            raise _unusable(name, f"it cannot be imported ({error})") from error
        if not isinstance(brought, Runtime):
            raise _unusable(name, "it is not a models.foreign.Runtime")
        return brought
    raise _unusable(name, "no installed package brings it")


def _unusable(name: str, why: str) -> RuntimeFailed:
    return RuntimeFailed(
        f"The runtime {name!r} cannot be used: {why}.",
        remedy='Set `runtime` under [models] to "auto", or update the package.',
    )
