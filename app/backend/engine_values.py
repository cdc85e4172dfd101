"""From the settings of a person to the values that the engine takes."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.errors import SourceMissing
from app.settings.config import Config
from app.settings.schema import AnswerSettings
from app.settings.zone import zone_of
from engine.errors import NoSources
from engine.settings import Settings

if TYPE_CHECKING:
    from engine.retrieval.memory import Memory


def memory_of(config: Config, size: int | None = None) -> Memory:
    """Return what reading keeps; `size` in bytes beats the settings."""
    from engine.retrieval.memory import Memory  # imports numpy

    workers, limit = config.values.reading.workers, size or config.values.reading.memory
    return Memory(workers, limit)


def settings_of(config: Config, **flags: Any) -> Settings:
    """Return the engine's settings; a flag that was given (not None) beats the configuration.

    A plan that was given is computed, over the items that it says.
    """
    if flags.get("plan") is not None:
        from engine.strategies.aggregate import Aggregate  # imports numpy

        flags |= {"strategy": flags.get("strategy") or Aggregate.name, "infer": False}
    values = {one.name: getattr(config.values.answer, one.name) for one in fields(AnswerSettings)}
    reading = config.values.reading
    values |= {"attachments": reading.attachments, "scans": reading.scans}
    values |= {name: value for name, value in flags.items() if value is not None}
    if fitted := config.values.answer.allocation:
        from engine.budget.allocation_file import read_allocation  # imports numpy

        values["allocation"] = read_allocation(fitted)
    return Settings(zone=zone_of(config), own=config.values.person.addresses, **values)


def sources_of(config: Config, paths: tuple[str, ...]) -> list[Path]:
    """Return the given paths, absolute, or the remembered ones.

    One missing source among others is skipped and reported. Raises `SourceMissing` when none
    of them exists, `NoSources` when there are none: nothing is tried then.
    """
    sources = [Path(path).expanduser().absolute() for path in paths] or list(config.sources)
    if not sources:
        raise NoSources(
            "There is nothing to read.",
            remedy="Name a path after the question, or remember one: askance sources add PATH.",
        )
    missing = [source for source in sources if not _exists(source)]
    if len(missing) == len(sources):
        remembered = "" if paths else "Remembered: "
        raise SourceMissing(
            f"{remembered}{', '.join(str(path) for path in missing)} does not exist.",
            remedy="Check the path." if paths else "See `askance sources check`.",
            path=missing[0],
        )
    return sources


def _exists(path: Path) -> bool:
    try:
        path.stat()
    except FileNotFoundError:
        return False
    except OSError:
        return True  # not permitted, a loop: reading reports it with its reason
    return True
